/**
 * Random schedules that nobody asked about legality: nests of the mapping with random axes, shapes
 * and places, whose loops are then turned around, swapped and bound to any level.
 */
import { addConstant, scale, variable } from "../../src/ir/affine.ts";
import { boundingBox } from "../../src/ir/domain.ts";
import { type GroupShape, mapGroup } from "../../src/ir/mapping/build/map-group.ts";
import { type Axis, axesOf, spreadableDims } from "../../src/ir/mapping/group/axes.ts";
import { programLoop } from "../../src/ir/mapping/group/nest.ts";
import {
  eachStatementId,
  findStatement,
  type Program,
  type ProgramNode,
  type Statement,
} from "../../src/ir/program.ts";
import {
  band,
  eachKernel,
  eachLeaf,
  type Level,
  type Loop,
  type Place,
  type Schedule,
  type ScheduleNode,
  sequence,
} from "../../src/ir/schedule.ts";
import { bind } from "../../src/ir/scheduling/bind.ts";
import { mapNode, rebind } from "../../src/ir/scheduling/map-node.ts";
import { reorder } from "../../src/ir/scheduling/reorder.ts";
import type { Random } from "../../src/support/random.ts";

interface Context {
  readonly program: Program;
  readonly random: Random;
  kernels: number;
}

/** An axis over any dims of the same statements, whatever they mean; null when one has none left. */
function arbitraryAxis(
  random: Random,
  statements: readonly Statement[],
  used: readonly Axis[],
): Axis | null {
  const dims = new Map<string, string>();
  let [lower, upper] = [Infinity, -Infinity];
  for (const s of statements) {
    const free = spreadableDims(s).filter((d) => !used.some((a) => a.dims.get(s.id) === d));
    if (free.length === 0) return null;
    const dim = random.pick(free);
    const range = boundingBox(s.domain).get(dim) ?? { lo: 0, hi: 0 };
    dims.set(s.id, dim);
    lower = Math.min(lower, range.lo);
    upper = Math.max(upper, range.hi + 1);
  }
  return { lower, upper: Math.max(lower, upper), dims };
}

function drawAxes(random: Random, statements: readonly Statement[]): readonly Axis[] {
  const aligned = axesOf(statements).filter(() => random.chance(0.7));
  if (random.chance(0.6)) return aligned.slice(0, 3);
  const axes: Axis[] = [];
  while (axes.length < 3 && random.chance(0.7)) {
    const axis = arbitraryAxis(random, statements, axes);
    if (axis === null) break;
    axes.push(axis);
  }
  return axes;
}

function drawShape(random: Random, axes: readonly Axis[]): GroupShape {
  return {
    tiles: axes.map(() => ({
      workgroup: random.pick([1, 1, 2, 3, 4]),
      thread: random.pick([1, 1, 2, 4, 8]),
    })),
    blocked: random.chance(0.5),
    points: random.pick(["serial", "unroll", "vector"] as const),
    innermost: axes.length === 0 ? 0 : random.integer(0, axes.length),
    team: random.pick([1, 1, 3, 4]),
    lanes: random.pick([1, 1, 2, 4]),
    unroll: random.pick([1, 1, 2]),
    inner: random.pick([1, 1, 2, 4]),
    combine: random.pick([null, 1, 1, 2, 4]),
  };
}

function loopsOf(node: ScheduleNode): readonly Loop[] {
  const found = new Map<string, Loop>();
  for (const { loops } of eachLeaf(node)) for (const l of loops) found.set(l.id, l);
  return [...found.values()];
}

/** Runs a loop from its end to its beginning. */
function turnAround(node: ScheduleNode, loop: Loop): ScheduleNode {
  const turned = addConstant(scale(variable(loop.id), -1), loop.extent - 1);
  return mapNode(node, (n) =>
    n.kind === "leaf" ? rebind(n, (l) => (l === loop.id ? turned : undefined)) : n,
  );
}

function swapTwo(random: Random, node: ScheduleNode): ScheduleNode {
  const sequences: ScheduleNode[] = [];
  mapNode(node, (n) => {
    if (n.kind === "sequence") sequences.push(n);
    return n;
  });
  if (sequences.length === 0) return node;
  const chosen = random.pick(sequences);
  return mapNode(node, (n) => {
    if (n !== chosen || n.kind !== "sequence") return n;
    const at = random.integer(0, n.children.length - 1);
    const moved = n.children.slice(at, at + 2).reverse();
    return { ...n, children: n.children.toSpliced(at, 2, ...moved) };
  });
}

/** One careless change. */
function change(random: Random, node: ScheduleNode): ScheduleNode {
  const inner = loopsOf(node).filter((l) => l.extent > 1 && l.on !== "grid");
  if (inner.length === 0) return node;
  const loop = random.pick(inner);
  switch (random.integer(0, 5)) {
    case 0:
      return loop.extent <= 8 ? bind(node, loop.id, "workgroup") : node;
    case 1:
      return bind(node, loop.id, random.pick(["serial", "unroll"] as const satisfies Level[]));
    case 2:
      return turnAround(node, loop);
    case 3:
      return reorder(node, [loop.id]);
    default:
      return swapTwo(random, node);
  }
}

/** Binds some loop of the kernel's first band to the grid, where there may be one more. */
function widen(random: Random, node: ScheduleNode): ScheduleNode {
  if (node.kind !== "band" || node.child.kind !== "band") return node;
  const [first] = node.child.loops;
  if (first === undefined || first.on !== "serial" || !random.chance(0.3)) return node;
  const loops = [...node.loops.filter((l) => l.on === "grid"), { ...first, on: "grid" } as const];
  const rest = node.loops.filter((l) => l.on !== "grid");
  return band([...loops, ...rest], band(node.child.loops.slice(1), node.child.child));
}

function kernelNode(c: Context, nodes: readonly ProgramNode[]): ScheduleNode {
  const { random, program } = c;
  const statements = [...eachStatementId(nodes)].flatMap((id) => findStatement(program, id) ?? []);
  const axes = drawAxes(random, statements);
  const prefix = `kernel${c.kernels++}`;
  let node = mapGroup(program, nodes, axes, drawShape(random, axes), prefix);
  node = widen(random, node);
  while (random.chance(0.35)) node = change(random, node);
  return node;
}

function scheduleNodes(c: Context, nodes: readonly ProgramNode[]): ScheduleNode {
  const { random } = c;
  const children: ScheduleNode[] = [];
  let group: ProgramNode[] = [];
  const close = (): void => {
    if (group.length > 0) children.push(kernelNode(c, group));
    group = [];
  };
  for (const node of nodes) {
    if (node.kind === "loop" && random.chance(0.4)) {
      close();
      const { loop } = programLoop(c.program, node.name);
      children.push(band([{ ...loop, on: "host" }], scheduleNodes(c, node.body)));
    } else {
      group.push(node);
      if (random.chance(0.5)) close();
    }
  }
  close();
  return sequence(children);
}

/** A place for each temporary that one kernel has to itself, or none. */
function drawPlaces(c: Context, root: ScheduleNode): readonly Place[] {
  const { program, random } = c;
  const places: Place[] = [];
  for (const { kernel } of eachKernel(root)) {
    const leaves = [...eachLeaf(kernel)];
    const inside = new Set(leaves.map((l) => l.leaf.statement));
    for (const t of program.tensors.filter((x) => x.role === "temporary")) {
      const touching = program.statements.filter(
        (s) => s.write.tensor === t.name || s.reads.some((r) => r.tensor === t.name),
      );
      if (touching.length === 0 || !touching.every((s) => inside.has(s.id))) continue;
      if (random.chance(0.3)) continue;
      const around = leaves.find((l) => l.leaf.statement === touching[0]?.id)?.loops ?? [];
      const at = random.chance(0.5) || around.length === 0 ? null : random.pick(around).id;
      const space = random.pick(["private", "workgroup", "scratch"] as const);
      places.push({ target: { kind: "tensor", tensor: t.name }, space, at, fold: null });
    }
  }
  return places;
}

/** A schedule with all instances of the program, legal or not. */
export function uncheckedSchedule(program: Program, random: Random): Schedule {
  const c: Context = { program, random, kernels: 0 };
  const root = scheduleNodes(c, program.tree);
  return { root, places: drawPlaces(c, root) };
}
