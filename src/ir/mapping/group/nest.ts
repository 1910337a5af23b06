/**
 * Purpose: the plain loop nest of a group of statements, before anything is tiled or bound.
 *
 * Ensures: axes are the outer loops, shared by the group; below them come the program loops of the
 * group, then each statement's other parallel dims, then its reduction as init, update, finish. All
 * loops are serial.
 */

import { defined } from "../../../support/assert.ts";
import { type Affine, addConstant, variable } from "../../affine.ts";
import { boundingBox } from "../../domain.ts";
import {
  isScatter,
  type Program,
  type ProgramNode,
  parallelDims,
  type Statement,
  statementOf,
} from "../../program.ts";
import { band, type Leaf, type Loop, type ScheduleNode, sequence } from "../../schedule.ts";
import type { Axis } from "./axes.ts";

/** A group's nest and the names of its loops. */
export interface Nest {
  /** One band of the axes' loops (if there are any) around the group. */
  readonly node: ScheduleNode;
  /** The loop of each axis. */
  readonly axes: readonly string[];
  /** By statement: the loops of its other parallel dims, outermost first. */
  readonly inner: ReadonlyMap<string, readonly string[]>;
  /** By statement: the loops of its reduced dims that have several iterations. */
  readonly reduced: ReadonlyMap<string, readonly string[]>;
}

interface Names {
  readonly prefix: string;
  readonly axes: readonly Axis[];
  readonly inner: Map<string, readonly string[]>;
  readonly reduced: Map<string, readonly string[]>;
}

/** The loop of a program loop, and what to add to it to get the loop's index. */
export function programLoop(
  program: Program,
  name: string,
): { readonly loop: Loop; readonly lower: number } {
  const inside = program.statements.filter((s) => s.loops.includes(name));
  let [lo, hi] = [Infinity, -Infinity];
  for (const s of inside) {
    const range = defined(boundingBox(s.domain).get(name), "range of", name);
    lo = Math.min(lo, range.lo);
    hi = Math.max(hi, range.hi);
  }
  const extent = inside.length === 0 ? 0 : Math.max(0, hi - lo + 1);
  return { loop: { id: name, extent, on: "serial" }, lower: inside.length === 0 ? 0 : lo };
}

/** The nest of some nodes of the program tree. */
export function nestOf(
  program: Program,
  nodes: readonly ProgramNode[],
  axes: readonly Axis[],
  prefix: string,
): Nest {
  const names: Names = { prefix, axes, inner: new Map(), reduced: new Map() };
  const loops = axes.map(
    (axis, a): Loop => ({
      id: `${prefix}.p${a}`,
      extent: Math.max(0, axis.upper - axis.lower),
      on: "serial",
    }),
  );
  const body = sequence(nodes.map((n) => nestOfNode(program, n, names)));
  return {
    node: band(loops, body),
    axes: loops.map((l) => l.id),
    inner: names.inner,
    reduced: names.reduced,
  };
}

function nestOfNode(program: Program, node: ProgramNode, names: Names): ScheduleNode {
  if (node.kind === "loop") {
    const { loop } = programLoop(program, node.name);
    return band([loop], sequence(node.body.map((n) => nestOfNode(program, n, names))));
  }
  const statement = statementOf(program, node.statement);
  return nestOfStatement(program, statement, names);
}

/** How the dims of a statement are bound, and the loops of those that are not axes. */
function bindingOf(
  program: Program,
  statement: Statement,
  names: Names,
): {
  readonly binding: ReadonlyMap<string, Affine>;
  readonly parallel: readonly Loop[];
  readonly reduced: readonly Loop[];
} {
  const box = boundingBox(statement.domain);
  const binding = new Map<string, Affine>();
  const parallel: Loop[] = [];
  const reduced: Loop[] = [];
  const isParallel = new Set(parallelDims(statement));
  for (const { name } of statement.domain.dims) {
    const axis = names.axes.findIndex((a) => a.dims.get(statement.id) === name);
    if (statement.loops.includes(name)) {
      binding.set(name, addConstant(variable(name), programLoop(program, name).lower));
    } else if (axis >= 0) {
      const lower = names.axes[axis]?.lower ?? 0;
      binding.set(name, addConstant(variable(`${names.prefix}.p${axis}`), lower));
    } else {
      const { lo, hi } = defined(box.get(name), "range of", name);
      const list = isParallel.has(name) ? parallel : reduced;
      const id = `${statement.id}.${isParallel.has(name) ? "q" : "r"}${list.length}`;
      list.push({ id, extent: Math.max(0, hi - lo + 1), on: "serial" });
      binding.set(name, addConstant(variable(id), lo));
    }
  }
  return { binding, parallel, reduced };
}

function nestOfStatement(program: Program, statement: Statement, names: Names): ScheduleNode {
  const { binding, parallel, reduced } = bindingOf(program, statement, names);
  names.inner.set(
    statement.id,
    parallel.map((l) => l.id),
  );
  names.reduced.set(
    statement.id,
    reduced.filter((l) => l.extent > 1).map((l) => l.id),
  );
  const leaf = (phase: Leaf["phase"], over: Leaf["binding"]): Leaf => ({
    kind: "leaf",
    statement: statement.id,
    phase,
    binding: over,
  });
  if (statement.reduction === null || isScatter(statement)) {
    return band([...parallel, ...reduced], leaf("whole", binding));
  }
  const dims = new Set(parallelDims(statement));
  const outside = new Map([...binding].filter(([d]) => dims.has(d)));
  return band(
    parallel,
    sequence([
      leaf("init", outside),
      band(reduced, leaf("update", binding)),
      leaf("finish", outside),
    ]),
  );
}
