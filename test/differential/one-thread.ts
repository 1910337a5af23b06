/** The plainest schedule: every dispatch is one invocation that runs everything in program order. */
import { decider, defaultOptions } from "../../src/ir/decisions.ts";
import type { Mapped } from "../../src/ir/mapping/map-program.ts";
import { nestOf, programLoop } from "../../src/ir/mapping/nest.ts";
import { rewriteProgram } from "../../src/ir/mapping/rewrite-program.ts";
import {
  eachStatementId,
  findStatement,
  type Program,
  type ProgramNode,
} from "../../src/ir/program.ts";
import { band, type ScheduleNode, sequence } from "../../src/ir/schedule.ts";
import { defined } from "../../src/support/assert.ts";
import type { DeviceProfile } from "../../src/support/device-profile.ts";

/** The buffers that the statements of a node touch. */
function buffersOf(program: Program, node: ProgramNode): number {
  const touched = new Set<string>();
  for (const id of eachStatementId([node])) {
    const { write, reads } = defined(findStatement(program, id), id);
    for (const { tensor } of [write, ...reads]) touched.add(tensor);
  }
  const tensors = program.tensors.filter((t) => touched.has(t.name));
  return tensors.reduce((count, t) => count + t.components.length, 0);
}

/**
 * Maps a program without any choice: one kernel of one invocation for each node of the tree. A loop
 * that touches more buffers than a kernel may have runs on the host. Only what a legal execution
 * needs is rewritten.
 */
export function mapOneThread(program: Program, profile: DeviceProfile): Mapped {
  const plain = decider(defaultOptions, ({ values, default: wanted }) => values[0] ?? wanted);
  const { program: rewritten, folds } = rewriteProgram(program, profile, plain);
  let kernels = 0;
  const mapNode = (node: ProgramNode): ScheduleNode => {
    const tooMany = buffersOf(rewritten, node) > profile.limits.maxStorageBuffers;
    if (node.kind === "loop" && tooMany) {
      const { loop } = programLoop(rewritten, node.name);
      return band([{ ...loop, on: "host" }], sequence(node.body.map(mapNode)));
    }
    const prefix = `one${kernels++}`;
    const nest = nestOf(rewritten, [node], [], prefix);
    const grid = { id: `${prefix}.grid`, extent: 1, on: "grid" } as const;
    return { kind: "band", loops: [grid], child: nest.node };
  };
  const root = sequence(rewritten.tree.map(mapNode));
  return { program: rewritten, schedule: { root, places: folds } };
}
