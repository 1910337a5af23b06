/** What the heuristic answers where maps can become rows of whole vectors, or go along rows that are none. */
import { type DeviceProfile, hasCheapLoops } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { boxVolume } from "../../domain.ts";
import type { Program } from "../../program.ts";

/** What a vector saves of the cost of a load or a store, for each of its elements. */
const savedByVector = 0.25;

/**
 * Whether some statements are to have rows of their own, over one dim or rounded up. Others of the
 * program may then not run in their loops any more: so they have to save what a launch costs, unless
 * there are no others. A long sum of one dim is made in two launches, so that a short one loses. A GPU
 * coalesces what neighbours load one by one.
 */
export function prefersRows(
  program: Program,
  { statements }: { readonly statements: readonly string[] },
  { class: kind, costs }: DeviceProfile,
): boolean {
  if (kind === "gpu") return false;
  const own = program.statements.filter((s) => statements.includes(s.id));
  const accesses = flatMap(own, (s) => [s.write, ...s.reads].map(() => boxVolume(s.domain)));
  const loads = accesses.reduce((sum, n) => sum + n, 0) * costs.load;
  // What a reduction writes is one element.
  if (own.some((s) => s.reduction !== null) && loads <= 2 * costs.launch) return false;
  return own.length === program.statements.length || loads * savedByVector > costs.launch;
}

/** Elements of a vector. */
const vector = 4;

/**
 * How many elements of a row an iteration of the loop along it has, 4 or fewer: where the driver would
 * write that loop out, so few that there are more iterations. On llvmpipe rows of 64 and 128 take 0.1 to
 * 0.3 s to compile then in place of 1 to 12 s, and 0.55 to 1.25 of the time to run. Loops that are short
 * even with one element in each are written out in any case.
 */
export function elementsInIteration(length: number, { costs }: DeviceProfile): number {
  if (length <= costs.writtenTrips) return vector;
  return [vector, 2].find((n) => Math.floor(length / n) > costs.writtenTrips) ?? 1;
}

/** The vectors behind that of its first element that a row of so many has wholly, wherever it begins. */
function wholeVectors(length: number): number {
  return Math.floor(length / vector) - 1;
}

/**
 * Whether loops along rows of these lengths, which begin anywhere in a vector, are to be in blocks of
 * vectors: where the driver does not write these out, or would write out all elements. A GPU coalesces
 * what neighbours load one by one.
 */
export function prefersAligned(
  lengths: readonly number[],
  { class: kind, costs: { writtenTrips } }: DeviceProfile,
): boolean {
  const pays = (length: number): boolean =>
    length <= writtenTrips || wholeVectors(length) > writtenTrips;
  return kind === "cpu" && lengths.every(pays);
}

/**
 * Whether each invocation of a map is to have rows of its own, of so many elements, which are no whole
 * vectors: where there are rows enough, and those of a workgroup follow each other. Others are loaded and
 * stored one by one. Such maps take 0.4 to 0.9 of the time on llvmpipe, after a first call of 0.1 to
 * 0.3 s more; on SwiftShader, where iterations cost more, they take as long as before.
 */
export function prefersOwnRows(
  counts: readonly number[],
  length: number,
  profile: DeviceProfile,
): boolean {
  const { class: kind, lanes, cores, costs } = profile;
  if (kind === "gpu" || !hasCheapLoops(profile)) return false;
  if (wholeVectors(length) <= costs.writtenTrips) return false;
  const rows = counts.reduce((product, n) => product * n, 1);
  const isClosed = counts.length === 1 || (counts.at(-1) ?? 1) % lanes === 0;
  return isClosed && rows >= 8 * lanes * cores;
}
