/** What a run of random programs covered, and how close the executions were. */
import { dispatchCount } from "../../src/codegen/plan.ts";
import type { Agreement } from "./differential.ts";
import { featureNames, featuresOf } from "./features.ts";
import type { TcCase } from "./generate-tc.ts";
import { rewriteNames, rewritesOf } from "./rewrites.ts";
import type { Variant } from "./variants.ts";

/** Counters, which grow. */
export interface Tally {
  programs: number;
  refused: number;
  plans: number;
  dispatches: number;
  /** Kernels whose lanes give each other values. */
  exchanges: number;
  compared: number;
  ambiguous: number;
  worst: number;
  readonly features: Map<string, number>;
  readonly rewrites: Map<string, number>;
  /** `a + b` in the order of the names. */
  readonly pairs: Set<string>;
}

/** Nothing counted yet. */
export function createTally(): Tally {
  return {
    programs: 0,
    refused: 0,
    plans: 0,
    dispatches: 0,
    exchanges: 0,
    compared: 0,
    ambiguous: 0,
    worst: 0,
    features: new Map(),
    rewrites: new Map(),
    pairs: new Set(),
  };
}

/** Counts a definition that the front end took. */
export function countProgram(tally: Tally, tcCase: TcCase): void {
  tally.programs += 1;
  for (const [name, n] of featuresOf(tcCase.source, Object.keys(tcCase.sizes))) {
    tally.features.set(name, (tally.features.get(name) ?? 0) + n);
  }
}

/** Counts a plan and what made it. */
export function countVariant(tally: Tally, variant: Variant): void {
  tally.plans += 1;
  tally.dispatches += dispatchCount(variant.plan.steps);
  const inLanes = variant.plan.kernels.filter(({ kernel }) => kernel.subgroupSize !== undefined);
  tally.exchanges += inLanes.length;
  const found = rewriteNames.filter((name) => rewritesOf(variant).has(name));
  for (const [n, name] of found.entries()) {
    tally.rewrites.set(name, (tally.rewrites.get(name) ?? 0) + 1);
    for (const other of found.slice(n + 1)) tally.pairs.add(`${name} + ${other}`);
  }
}

/** Counts an execution that agreed. */
export function countAgreement(tally: Tally, agreement: Agreement): void {
  tally.compared += agreement.compared;
  tally.ambiguous += agreement.ambiguous;
  tally.worst = Math.max(tally.worst, agreement.worst);
}

/** The features and rewrites that never occurred. */
export function missingOf(tally: Tally): readonly string[] {
  return [
    ...featureNames.filter((name) => !tally.features.has(name)),
    ...rewriteNames.filter((name) => !tally.rewrites.has(name)),
  ];
}

/** The pairs of rewrites that no schedule had together. */
export function pairsNeverMet(tally: Tally): readonly string[] {
  return rewriteNames.flatMap((name, n) =>
    rewriteNames
      .slice(n + 1)
      .map((other) => `${name} + ${other}`)
      .filter((pair) => !tally.pairs.has(pair)),
  );
}

/** The part of all elements that could not be judged. */
export function ambiguousShare({ ambiguous, compared }: Tally): number {
  return ambiguous / Math.max(1, ambiguous + compared);
}

function list(names: readonly string[], counts: ReadonlyMap<string, number>): string {
  return names.map((name) => `${name} ${counts.get(name) ?? 0}`).join(", ");
}

/** The counters as text. */
export function printTally(tally: Tally): string {
  const never = pairsNeverMet(tally);
  return [
    `programs ${tally.programs} (and ${tally.refused} refused by the front end)`,
    `plans ${tally.plans}, dispatches ${tally.dispatches}, elements compared ${tally.compared}`,
    `largest fraction of the allowed error used: ${tally.worst.toFixed(3)}`,
    `elements that cannot be judged: ${(100 * ambiguousShare(tally)).toFixed(3)} %`,
    `features: ${list(featureNames, tally.features)}`,
    `rewrites: ${list(rewriteNames, tally.rewrites)}`,
    `pairs of rewrites that never met: ${never.length === 0 ? "none" : never.join(", ")}`,
  ].join("\n");
}
