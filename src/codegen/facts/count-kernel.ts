/**
 * A kernel's nodes with their counts: all workgroups of all its dispatches are executed where that is
 * little, else a first, a middle and a last one along each dimension, and iterations spread over long
 * loops, each for those that it stands for.
 */
import { flatMap } from "../../support/flat-map.ts";
import type { Kernel } from "../kernel.ts";
import { allNodes, annotate, type KernelNode } from "./access-sites.ts";
import type { LaneScope, Lanes } from "./lane-values.ts";
import { everyOne, firstMiddleLast, middles, type Sample } from "./samples.ts";
import { traceCost, traceWorkgroup } from "./trace-kernel.ts";

/** Statement executions, times lanes, up to which all of a kernel is executed. */
const wholeCost = 6_000_000;

/** Those of one workgroup, where a few are executed. */
const workgroupCost = 400_000;

/** What is counted, and of how much. */
export interface CountedKernel {
  readonly nodes: readonly KernelNode[];
  /** True where a part stands for the rest. */
  readonly sampled: boolean;
  /** Workgroups of all dispatches that store nothing; null where data decide. */
  readonly empty: number | null;
}

/** A dispatch's steps and one of its workgroups. */
interface Place {
  readonly steps: readonly (number | null)[];
  readonly group: readonly [number, number, number];
}

function scopeAt(kernel: Kernel, { steps, group }: Place): LaneScope {
  return { kernel, variables: new Map<string, Lanes>(), group, steps };
}

/** Whether a workgroup stores anything; null where data decide. */
function stores(kernel: Kernel, place: Place): boolean | null {
  const nodes = annotate(kernel);
  const options = { weight: 1, mostTrips: 2, touched: new Map() };
  traceWorkgroup(nodes, scopeAt(kernel, place), options);
  const all = allNodes(nodes);
  const storing = all.filter((n) => n.sites.some((s) => s.kind !== "load" && s.counts.lanes > 0));
  if (storing.length === 0) return false;
  return storing.some((n) => n.executed.uncertain < n.executed.lanes) ? true : null;
}

/** Workgroups of one dispatch that store nothing: they are its last ones, in the order of their numbers. */
function emptyAtEnd(kernel: Kernel, steps: Place["steps"]): number | null {
  const [nx, ny, nz] = kernel.grid;
  const at = (n: number): Place => {
    const group = [n % nx, Math.floor(n / nx) % ny, Math.floor(n / (nx * ny))] as const;
    return { steps, group };
  };
  const count = nx * ny * nz;
  if (count === 0) return 0;
  const last = stores(kernel, at(count - 1));
  if (last !== false) return last === null ? null : 0;
  let [full, empty] = [-1, count - 1];
  while (empty - full > 1) {
    const middle = Math.floor((full + empty) / 2);
    if (stores(kernel, at(middle)) === false) empty = middle;
    else full = middle;
  }
  return count - 1 - full;
}

/**
 * The first workgroup along each dimension that stores something beside a last one that does: those before it are not in
 * the triangle that a step of an elimination computes.
 */
function firstFull(kernel: Kernel, steps: Place["steps"]): readonly number[] {
  const last = kernel.grid.map((n) => n - 1);
  return last.map((most, d) => {
    const [x = 0, y = 0, z = 0] = last;
    const isFull = (n: number): boolean => {
      const group = [d === 0 ? n : x, d === 1 ? n : y, d === 2 ? n : z] as const;
      return stores(kernel, { steps, group }) !== false;
    };
    if (most === 0 || isFull(0)) return 0;
    let [empty, full] = [0, most];
    while (full - empty > 1) {
      const middle = Math.floor((full + empty) / 2);
      if (isFull(middle)) full = middle;
      else empty = middle;
    }
    return full;
  });
}

/** Of the workgroups of one dispatch: which stand for the others, and how many store nothing. */
interface Part {
  readonly samples: readonly { readonly place: Place; readonly weight: number }[];
  readonly empty: number | null;
}

/** Some workgroups of one dispatch for all of those that store something. */
function partOf(kernel: Kernel, steps: Place["steps"]): Part {
  const count = kernel.grid.reduce((a, b) => a * b, 1);
  const atEnd = emptyAtEnd(kernel, steps);
  const from = atEnd === 0 && count > 0 ? firstFull(kernel, steps) : kernel.grid.map(() => 0);
  const inside = kernel.grid.reduce((product, n, d) => product * (n - (from[d] ?? 0)), 1);
  const empty = atEnd === null ? null : atEnd + count - inside;
  const ranges = kernel.grid.map((n, d) =>
    firstMiddleLast(n - (from[d] ?? 0)).map(({ at, weight }) => ({
      at: at + (from[d] ?? 0),
      weight,
    })),
  );
  const samples = combinations(ranges)
    .map(({ at: [x = 0, y = 0, z = 0], weight }) => {
      const place: Place = { steps, group: [x, y, z] };
      return { place, weight };
    })
    .filter(({ place }) => stores(kernel, place) !== false);
  // Where the last workgroups do nothing, the others stand for fewer than their dimensions say.
  const full = sum(samples.map(({ weight }) => weight));
  const scale = empty === null || full === 0 ? 1 : (count - empty) / full;
  return {
    samples: samples.map(({ place, weight }) => ({ place, weight: weight * scale })),
    empty,
  };
}

/** Steps of the loops around a kernel, as so many of each, with how many such there are. */
function stepsOf(
  repeats: readonly (number | null)[],
  sample: (count: number) => readonly Sample[],
): readonly { readonly steps: Place["steps"]; readonly weight: number }[] {
  return combinations(repeats.map((r) => sample(r ?? 1))).map(({ at, weight }) => ({
    steps: repeats.map((r, n) => (r === null ? null : (at[n] as number))),
    weight,
  }));
}

/** The most steps of a loop that are looked at where they differ in how many workgroups have something to do. */
const mostSteps = 9;

/** Workgroups that stand for all of those of all dispatches that store something, and how many of them do not. */
function sampled(kernel: Kernel, repeats: readonly (number | null)[]): Part {
  const partsWith = (sample: (count: number) => readonly Sample[]) =>
    stepsOf(repeats, sample).map(({ steps, weight }) => ({ ...partOf(kernel, steps), weight }));
  const few = partsWith(firstMiddleLast);
  const isSame = new Set(few.map(({ empty }) => empty)).size === 1;
  const parts = isSame ? few : partsWith((count) => middles(count, mostSteps));
  return {
    samples: flatMap(parts, (part) =>
      part.samples.map(({ place, weight }) => ({ place, weight: weight * part.weight })),
    ),
    empty: parts.reduce<number | null>(
      (all, { empty, weight }) => (all === null || empty === null ? null : all + empty * weight),
      0,
    ),
  };
}

/** All workgroups of all dispatches. */
function everyPlace(kernel: Kernel, repeats: readonly (number | null)[]): Part {
  const samples = flatMap(stepsOf(repeats, everyOne), ({ steps }) =>
    combinations(kernel.grid.map(everyOne)).map(({ at: [x = 0, y = 0, z = 0] }) => {
      const place: Place = { steps, group: [x, y, z] };
      return { place, weight: 1 };
    }),
  );
  return { samples, empty: samples.filter(({ place }) => stores(kernel, place) === false).length };
}

/** Storage that a workgroup has not touched yet. */
function untouched(kernel: Kernel): ReadonlyMap<string, Set<number>> {
  const storage = kernel.arrays.filter((a) => a.space === "storage");
  return new Map(storage.map((a) => [a.id, new Set<number>()]));
}

/** One value for each dimension, with how many such there are. */
function combinations(
  ranges: readonly (readonly Sample[])[],
): readonly { readonly at: readonly number[]; readonly weight: number }[] {
  return ranges.reduce<readonly { readonly at: readonly number[]; readonly weight: number }[]>(
    (all, range) =>
      all.flatMap((one) =>
        range.map(({ at, weight }) => ({ at: [...one.at, at], weight: one.weight * weight })),
      ),
    [{ at: [], weight: 1 }],
  );
}

/** The most iterations of each loop for which a workgroup costs no more. */
function fittingTrips(nodes: readonly KernelNode[], lanes: number, most: number): number {
  const candidates = [Number.POSITIVE_INFINITY, 64, 32, 16, 8, 5, 3];
  return candidates.find((trips) => traceCost(nodes, lanes, trips) <= most) ?? 2;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}

/**
 * Counts what all dispatches of a kernel do. `repeats` are the iterations of the variables that its steps
 * read, null for what only the caller knows, and `others` those of repeats that it does not read.
 */
export function countKernel(
  kernel: Kernel,
  repeats: readonly (number | null)[],
  others: number,
): CountedKernel {
  const nodes = annotate(kernel);
  const lanes = kernel.workgroupSize;
  const extents = [...repeats.map((r) => r ?? 1), ...kernel.grid];
  const places = extents.reduce((a, b) => a * b, 1);
  const whole = places * traceCost(nodes, lanes, Number.POSITIVE_INFINITY) <= wholeCost;
  const mostTrips = whole ? Number.POSITIVE_INFINITY : fittingTrips(nodes, lanes, workgroupCost);
  const { samples, empty } = whole ? everyPlace(kernel, repeats) : sampled(kernel, repeats);
  for (const { place, weight } of samples) {
    const options = { weight: weight * others, mostTrips, touched: untouched(kernel) };
    traceWorkgroup(nodes, scopeAt(kernel, place), options);
  }
  return { nodes, sampled: !whole, empty: empty === null ? null : empty * others };
}
