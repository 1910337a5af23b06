import { type Affine, add, addConstant, scale, variable } from "../../../src/ir/affine.ts";
import { boundingBox } from "../../../src/ir/domain.ts";
import {
  isScatter,
  type Program,
  type ProgramNode,
  type Statement,
} from "../../../src/ir/program.ts";
import {
  band,
  type Leaf,
  type Level,
  type Loop,
  type Phase,
  type Schedule,
  type ScheduleNode,
} from "../../../src/ir/schedule.ts";
import { type Random, seededRandom } from "../../../src/support/random.ts";

interface Context {
  readonly random: Random;
  readonly program: Program;
  fresh: number;
}

/** What is around a node: the loops that all statements of a kernel may share, and program loops. */
interface Around {
  readonly shared: readonly Loop[];
  readonly bound: ReadonlyMap<string, Affine>;
}

function extentOf(s: Statement, dim: string): { lo: number; extent: number } {
  const { lo, hi } = boundingBox(s.domain).get(dim) ?? { lo: 0, hi: 0 };
  return { lo, extent: Math.max(0, hi - lo + 1) };
}

function newLoop(c: Context, on: Level, extent: number): Loop {
  return { id: `l${c.fresh++}`, extent, on };
}

/** One or two loops that run through a dim, maybe from its end. */
function ownLoops(
  c: Context,
  extent: number,
  levels: readonly Level[],
): { readonly loops: readonly Loop[]; readonly form: Affine } {
  const reversed = c.random.chance(0.2);
  const turn = (form: Affine): Affine =>
    reversed ? addConstant(scale(form, -1), extent - 1) : form;
  if (extent > 2 && c.random.chance(0.3)) {
    const outer = newLoop(c, c.random.pick(levels), Math.ceil(extent / 2));
    const inner = newLoop(c, c.random.pick(levels), 2);
    const form = add(variable(outer.id, 2), variable(inner.id));
    return { loops: [outer, inner], form: turn(form) };
  }
  const loop = newLoop(c, c.random.pick(levels), extent);
  return { loops: [loop], form: turn(variable(loop.id)) };
}

/** The binding of one phase's dims, with loops of its own for those that shared loops do not run. */
function leafNode(
  c: Context,
  s: Statement,
  phase: Phase,
  dims: readonly string[],
  bound: ReadonlyMap<string, Affine>,
  levels: readonly Level[],
): ScheduleNode {
  const binding = new Map<string, Affine>();
  const loops: Loop[] = [];
  for (const dim of dims) {
    const known = bound.get(dim);
    const { lo, extent } = extentOf(s, dim);
    if (known !== undefined) binding.set(dim, known);
    else {
      const reduced = s.reduction?.dims.includes(dim) === true && phase !== "whole";
      const own = ownLoops(c, extent, reduced ? ["serial"] : levels);
      loops.push(...own.loops);
      binding.set(dim, addConstant(own.form, lo));
    }
  }
  if (c.random.chance(0.4)) loops.reverse();
  const leaf: Leaf = { kind: "leaf", statement: s.id, phase, binding };
  return band(loops, leaf);
}

function statementNode(c: Context, s: Statement, around: Around): ScheduleNode {
  const bound = new Map(around.bound);
  const dims = s.domain.dims.map((d) => d.name);
  const reduced = new Set(s.reduction?.dims ?? []);
  const scatter = isScatter(s);
  const free = dims.filter((d) => !bound.has(d) && (scatter || !reduced.has(d)));
  for (const loop of around.shared) {
    const at = free.findIndex((d) => extentOf(s, d).extent <= loop.extent);
    const [dim] = at < 0 ? [] : free.splice(at, 1);
    if (dim === undefined) continue;
    const { lo } = extentOf(s, dim);
    const turned = addConstant(variable(loop.id, -1), loop.extent - 1 + lo);
    const form = c.random.chance(0.15) ? turned : addConstant(variable(loop.id), lo);
    bound.set(dim, form);
  }
  const levels: readonly Level[] = c.random.chance(0.5) ? ["serial"] : ["serial", "workgroup"];
  if (s.reduction === null || scatter) return leafNode(c, s, "whole", dims, bound, levels);
  const parallel = dims.filter((d) => !reduced.has(d));
  const outside: Loop[] = [];
  for (const dim of parallel) {
    if (bound.has(dim) || c.random.chance(0.3)) continue;
    const { lo, extent } = extentOf(s, dim);
    const own = ownLoops(c, extent, levels);
    outside.push(...own.loops);
    bound.set(dim, addConstant(own.form, lo));
  }
  return band(outside, {
    kind: "sequence",
    children: [
      leafNode(c, s, "init", parallel, bound, ["serial"]),
      leafNode(c, s, "update", dims, bound, ["serial"]),
      leafNode(c, s, "finish", parallel, bound, ["serial"]),
    ],
  });
}

function nodesOf(
  c: Context,
  nodes: readonly ProgramNode[],
  around: Around,
): readonly ScheduleNode[] {
  const found = nodes.flatMap((node): readonly ScheduleNode[] => {
    if (node.kind === "statement") {
      const s = c.program.statements.find((x) => x.id === node.statement);
      return s === undefined ? [] : [statementNode(c, s, around)];
    }
    const user = c.program.statements.find((s) => s.loops.includes(node.name));
    const { lo, extent } = user === undefined ? { lo: 0, extent: 0 } : extentOf(user, node.name);
    const all = c.program.statements.filter((s) => s.loops.includes(node.name));
    const same = all.every((s) => {
      const other = extentOf(s, node.name);
      return other.lo === lo && other.extent === extent;
    });
    const loop = newLoop(c, c.random.chance(0.85) ? "serial" : "workgroup", same ? extent : 0);
    const bound = new Map(around.bound).set(node.name, addConstant(variable(loop.id), lo));
    const children = nodesOf(c, node.body, { ...around, bound });
    return [band([loop], { kind: "sequence", children })];
  });
  if (found.length > 1 && c.random.chance(0.05)) return [...found].reverse();
  return found;
}

function kernelNode(c: Context, nodes: readonly ProgramNode[]): ScheduleNode {
  const shared: Loop[] = [];
  const grid = newLoop(c, "grid", c.random.chance(0.4) ? 6 : 1);
  const local = c.random.chance(0.7) ? [newLoop(c, "workgroup", c.random.integer(2, 7))] : [];
  if (grid.extent > 1) shared.push(grid);
  shared.push(...local);
  const around = { shared, bound: new Map<string, Affine>() };
  const children = nodesOf(c, nodes, around);
  return band([grid, ...local], { kind: "sequence", children });
}

/**
 * A schedule of a program: its top-level nodes in one or several kernels, program loops serial (or
 * wrongly parallel), dims on shared or own loops, tiled or reversed. Often not legal.
 */
export function randomSchedule(program: Program, seed: number): Schedule {
  const c: Context = { random: seededRandom(seed), program, fresh: 0 };
  const groups: ProgramNode[][] = [];
  for (const node of program.tree) {
    const last = groups.at(-1);
    if (last === undefined || c.random.chance(0.4)) groups.push([node]);
    else last.push(node);
  }
  const children = groups.map((g) => kernelNode(c, g));
  return { root: { kind: "sequence", children }, places: [] };
}
