/** The plainest schedule: every dispatch is one invocation that runs everything in program order. */

import { stageWrites } from "../../src/ir/algebraic/stage-writes.ts";
import { verifySchedule } from "../../src/ir/legality/verify-schedule.ts";
import { nestOf, programLoop } from "../../src/ir/mapping/group/nest.ts";
import type { Mapped } from "../../src/ir/mapping/map-program.ts";
import type { Chooser } from "../../src/ir/mapping/structure/question.ts";
import { rewriteProgram } from "../../src/ir/mapping/structure/rewrite-program.ts";
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
  return tensors.reduce((n, t) => n + (t.unpacked === undefined ? t.components.length : 1), 0);
}

/** One kernel of one invocation for each node of the tree; where buffers run out, host loops. */
function scheduleOf(program: Program, profile: DeviceProfile): ScheduleNode {
  let kernels = 0;
  const mapNode = (node: ProgramNode): ScheduleNode => {
    const tooMany = buffersOf(program, node) > profile.limits.maxStorageBuffers;
    if (node.kind === "loop" && tooMany) {
      const { loop } = programLoop(program, node.name);
      return band([{ ...loop, on: "host" }], sequence(node.body.map(mapNode)));
    }
    const prefix = `one${kernels++}`;
    const nest = nestOf(program, [node], [], prefix);
    const grid = { id: `${prefix}.grid`, extent: 1, on: "grid" } as const;
    return { kind: "band", loops: [grid], child: nest.node };
  };
  return sequence(program.tree.map(mapNode));
}

/**
 * Maps a program without any choice. Only what a legal execution needs is rewritten: statements that
 * read their own tensor where others write it, and those of which the analysis cannot tell, write
 * elsewhere first.
 */
export function mapOneThread(program: Program, profile: DeviceProfile): Mapped {
  const plain: Chooser = { choose: ({ values }) => values[0] ?? false, refused: () => {} };
  const { program: rewritten, folds } = rewriteProgram(program, profile, plain);
  let current = rewritten;
  for (;;) {
    const schedule = { root: scheduleOf(current, profile), places: folds };
    const [fault] = verifySchedule(current, schedule);
    const [statement] = fault?.statements ?? [];
    if (statement === undefined) return { program: current, schedule };
    const staged = stageWrites(current, { statement });
    if (staged.kind === "refused") return { program: current, schedule };
    current = staged.program;
  }
}
