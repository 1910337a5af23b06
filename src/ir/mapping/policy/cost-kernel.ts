/**
 * The cost model: roughly how long one kernel takes, in nanoseconds. It looks at loops, domains and
 * accesses only, and serves to compare kernels that do the same work: taken apart or together, with
 * what is read stored before or computed again.
 *
 * ```
 * kernel    = launch + sum over its statements of work * max(invocations, width)
 * work      = loads * load + stores * store + operations * fma + iterations, of one invocation
 * width     = invocations that the device needs to be busy
 * ```
 * Work below the width takes as long as if the device were full: this is how lost parallelism is
 * counted. A register tile divides the loads that do not vary along it: so a lost one is counted,
 * too. Temporaries of the kernel alone that have few elements for each invocation cost nothing.
 */

import type { DeviceCosts, DeviceProfile } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { boundingBox } from "../../domain.ts";
import { type BinaryOperator, type Expression, eachExpression } from "../../expression.ts";
import type { Monoid } from "../../monoid.ts";
import { type Access, indexVariables, parallelDims, type Statement } from "../../program.ts";
import { type Axis, extentOf } from "../group/axes.ts";
import type { AxisTile } from "../group/axis-tile.ts";
import { sharedExtent, sharesReduction } from "../group/shared-dims.ts";
import { grainOf } from "./cost-grain.ts";
import { tilesOfTeams } from "./team-defaults.ts";
import { preferredTiles } from "./tile-policy.ts";

/** The most elements of a temporary that an invocation keeps to itself for nothing. */
const registerElements = 16;

/** Starting an invocation costs as much as so many iterations of a loop. */
const startIterations = 20;

/** What an element costs that is loaded or stored in a vector, as a share of one that is not. */
const vectorShare = 0.8;

/** A workgroup alone with so many barriers counts as on no wider a device: other cores idle; fitted to LU decompositions. */
const barriersAlone = 256;
const widthAlone = 1280;

/** What is compared: some statements in one kernel. */
export interface KernelQuestion {
  readonly statements: readonly Statement[];
  readonly axes: readonly Axis[];
  /** Invocations that share a point of the axes. */
  readonly team: number;
  /** Tensors that nothing but this kernel touches. */
  readonly own: ReadonlySet<string>;
  /** Program loops around the kernel: their dims do not run inside. */
  readonly host: ReadonlySet<string>;
}

/**
 * Invocations that keep a device busy: a GPU hides latency with many times its lanes, and each core
 * of a processor wants a workgroup.
 */
export function widthOf({ lanes, cores, class: kind }: DeviceProfile): number {
  return lanes * cores * (kind === "gpu" ? 8 : 1);
}

/** The cost of what is computed for one instance, in fused multiply-adds. */
export function operationsOf(parts: readonly Expression[], { costs }: DeviceProfile): number {
  const call = costs.call / costs.fma;
  let sum = 0;
  for (const e of eachExpression(...parts)) {
    if (e.kind === "call") sum += call;
    else if (e.kind === "binary") sum += operatorCost(e.operator, costs);
    else if (e.kind === "select" || e.kind === "unary") sum += 0.5;
  }
  return sum;
}

function operatorCost(operator: BinaryOperator, { fma, extreme, choice }: DeviceCosts): number {
  switch (operator) {
    case "/":
    case "floorDiv":
    case "floorMod":
      return 4;
    // By the function or by a selection, whichever is cheaper.
    case "min":
    case "max":
      return Math.min(extreme, choice) / fma;
    default:
      return 0.5;
  }
}

/** The iterations of the dims of a statement, those of loops on the host left out. */
export function extentsOf(
  statement: Statement,
  host: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, number> {
  const box = boundingBox(statement.domain);
  return new Map(
    statement.domain.dims.map(({ name }) => {
      const range = box.get(name);
      const extent = range === undefined ? 1 : Math.max(0, range.hi - range.lo + 1);
      return [name, host.has(name) ? 1 : extent];
    }),
  );
}

function product(numbers: Iterable<number>): number {
  let result = 1;
  for (const n of numbers) result *= n;
  return result;
}

/** The dims that an access varies with. */
export function dimsOf(statement: Statement, { index }: Pick<Access, "index">): Set<string> {
  return new Set(flatMap(index, (i) => [...indexVariables(statement, i)]));
}

/** A statement as the kernel runs it. */
interface Placed {
  readonly statement: Statement;
  readonly extents: ReadonlyMap<string, number>;
  /** Points of an invocation along the axis of a dim. */
  readonly tile: ReadonlyMap<string, number>;
  /** The other dims that run in the kernel, outermost first. */
  readonly inner: readonly string[];
}

function place(statement: Statement, q: KernelQuestion, tiles: readonly AxisTile[]): Placed {
  const tile = new Map<string, number>();
  for (const [a, axis] of q.axes.entries()) {
    const dim = axis.dims.get(statement.id);
    if (dim !== undefined) tile.set(dim, tiles[a]?.thread ?? 1);
  }
  const outer = new Set(parallelDims(statement));
  const others = statement.domain.dims.map((d) => d.name).filter((d) => !tile.has(d));
  const inner = [...others.filter((d) => outer.has(d)), ...others.filter((d) => !outer.has(d))];
  return { statement, extents: extentsOf(statement, q.host), tile, inner };
}

/** How often an invocation loads an access, which stays loaded while no dim of its changes. */
function loadsOf({ statement, extents, tile, inner }: Placed, access: Access): number {
  const dims = dimsOf(statement, access);
  const deepest = inner.reduce((last, d, n) => (dims.has(d) ? n : last), -1);
  const trips = product(inner.slice(0, deepest + 1).map((d) => extents.get(d) ?? 1));
  return trips * product([...tile].map(([d, points]) => (dims.has(d) ? points : 1)));
}

/** Whether an invocation can keep what it needs of a temporary in registers. */
function isKept(
  q: KernelQuestion,
  placed: readonly Placed[],
  tensor: string,
  { costs }: DeviceProfile,
): boolean {
  if (!q.own.has(tensor)) return false;
  const dear = costs.privateLoad > costs.load;
  return placed
    .filter((p) => p.statement.write.tensor === tensor)
    .every(({ statement, extents, inner }) => {
      const dims = dimsOf(statement, statement.write);
      const own = inner.filter((d) => dims.has(d));
      const all = product(own.map((d) => extents.get(d) ?? 1));
      const elements = Math.ceil(all / shareOf(statement, q.axes, q.team));
      return elements === 1 || (elements <= registerElements && !dear);
    });
}

/** How many elements a map moves at once: a vector along its tile, or along its last inner dim. */
function vectorWidth({ statement, extents, tile, inner }: Placed, profile: DeviceProfile): number {
  if (inner.length === 0) return Math.min(4, Math.max(...tile.values(), 1));
  const last = extents.get(inner.at(-1) ?? "") ?? 1;
  const isMap = statement.reduction === null;
  return isMap && profile.class === "cpu" && last % 4 === 0 ? 4 : 1;
}

/** How many of a team share the work on a statement. */
function shareOf(statement: Statement, axes: readonly Axis[], team: number): number {
  if (team === 1) return 1;
  return Math.min(team, sharedExtent(statement, axes, team)?.extent ?? 1);
}

/** How often invocations of a team wait for each other for a statement; of several rows, other rows go on meanwhile in loops that it has alone. */
function barriersOf(s: Statement, { axes, team, host, statements }: KernelQuestion): number {
  if (team === 1 || sharedExtent(s, axes, team) === null) return 0;
  const extents = extentsOf(s, host);
  const isShared = (l: string): boolean => statements.some((o) => o !== s && o.loops.includes(l));
  const loops = axes.some((axis) => extentOf(axis) > 1) ? s.loops.filter(isShared) : s.loops;
  const turns = product(loops.map((l) => extents.get(l) ?? 1));
  return turns * (sharesReduction(s, axes) ? Math.log2(team) + 1 : 1);
}

/** The cost of combining states in order, in fused multiply-adds. */
export function operationsOfUpdate({ ordered, combine }: Monoid, profile: DeviceProfile): number {
  return operationsOf(ordered?.combine ?? combine, profile);
}

/** What one invocation spends on a statement, in nanoseconds. */
function workOf(
  placed: Placed,
  kept: ReadonlySet<string>,
  q: KernelQuestion,
  profile: DeviceProfile,
): number {
  const { axes, team } = q;
  const { costs } = profile;
  const { statement, extents, tile, inner } = placed;
  const parallel = new Set(parallelDims(statement));
  const points = product(tile.values());
  const each = (dims: readonly string[]): number => product(dims.map((d) => extents.get(d) ?? 1));
  const grain = grainOf(statement, q, profile);
  const loads = statement.reads
    .filter((r) => !kept.has(r.tensor))
    .reduce((sum, r) => sum + loadsOf(placed, r) * grain(r), 0);
  const stored = inner.filter((d) => parallel.has(d));
  const stores = kept.has(statement.write.tensor) ? 0 : points * each(stored);
  const once = points * each(inner) * operationsOf(statement.body, profile);
  const { reduction } = statement;
  const update =
    reduction === null ? 0 : Math.max(1, operationsOfUpdate(reduction.monoid, profile));
  const sum = points * each(inner) * update;
  const width = vectorWidth(placed, profile);
  // What is the same for a team is one request, and stored by one of it.
  const share = shareOf(statement, axes, team);
  const alike = share === 1 ? team : 1;
  const accesses =
    ((loads * costs.load + stores * costs.store) * (width > 1 ? vectorShare : 1)) / alike;
  const iterations = each(inner) / (inner.length > 0 ? width : 1);
  const all = accesses + (once + sum) * costs.fma + iterations * costs.iteration;
  return all / share;
}

/** Roughly how long a kernel takes when nothing else runs, in nanoseconds. */
export function costOfKernel(q: KernelQuestion, profile: DeviceProfile): number {
  const tiles =
    q.team === 1
      ? preferredTiles(q.axes, q.statements, profile)
      : tilesOfTeams(q.axes, q.team, profile);
  const placed = q.statements.map((s) => place(s, q, tiles));
  const temporaries = new Set(q.statements.map((s) => s.write.tensor));
  const kept = new Set([...temporaries].filter((t) => isKept(q, placed, t, profile)));
  const points = q.axes.map((axis, a) =>
    Math.ceil(Math.max(0, axis.upper - axis.lower) / (tiles[a]?.thread ?? 1)),
  );
  const invocations = product(points) * q.team;
  const work = placed.reduce((sum, p) => sum + workOf(p, kept, q, profile), 0);
  const waits = q.statements.reduce((sum, s) => sum + barriersOf(s, q), 0);
  const barriers = waits * profile.costs.barrier;
  const { launch, iteration } = profile.costs;
  const start = startIterations * iteration;
  const isAlone = invocations === q.team && waits >= barriersAlone;
  const width = isAlone ? Math.min(widthAlone, widthOf(profile)) : widthOf(profile);
  return launch + (start + work + barriers) * Math.max(invocations, width);
}
