/**
 * Bounds that today's defaults break, each with what is missing: a capability, or a rule of the policy where
 * the space has choices that keep the bound in about the same time by the model
 * (test/golden/facts/search.txt). What else is found there keeps a bound in more of the time: histograms `used` in 1.02
 * to 1.13.
 */
import type { FamilyName } from "../../src/support/device-families.ts";

/** A bound that the defaults of some programs break, on some families. */
export interface FactsException {
  readonly veto: string;
  readonly programs: readonly string[];
  /** What it takes to keep the bound. */
  readonly needs: string;
}

/** A bound that a program breaks on a family. */
export interface BrokenBound {
  readonly program: string;
  readonly family: FamilyName;
  readonly veto: string;
}

export const exceptions: readonly FactsException[] = [
  {
    veto: "cores",
    programs: ["cumsum 16x65536"],
    needs:
      "workgroups that wait for each other: on nvidia and amd-rdna cores are more than rows, each of which a workgroup carries",
  },
  {
    veto: "cores",
    programs: [
      "elman T=128 B=16 C=128",
      "lstm T=128 B=16 C=128",
      "stacked lstm of 3 T=128 B=16 C=128",
      "gru T=128 B=16 C=128",
      "edit distance 512x512",
      "elman",
      "gru",
      "heat_equation",
      "histogram",
      "lstm",
      "lu",
      "sparse_product",
      "stacked_lstm",
    ],
    needs: "recurrences over several workgroups that wait for each other",
  },
  {
    veto: "empty",
    programs: ["lu"],
    needs:
      "grids that depend on the step, on nvidia, where launches are short: one workgroup takes 1.75 of the time",
  },
  {
    veto: "used",
    programs: ["avg_pool"],
    needs:
      "costs that tell what few large invocations have to store for each other: the cost model finds one kernel as good as two, which keep the bound in 1.01 to 1.02 of the time, a launch; copies of rows take twice as long",
  },
  {
    veto: "used",
    programs: ["lu"],
    needs:
      "copies of columns that lie along the rows of memory, on nvidia, where launches are short: one workgroup takes 1.75 of the time",
  },
  {
    veto: "used",
    programs: [
      "cumsum 16x65536",
      "cumulative sum 16x65536",
      "cumulative sum 1x2^20",
      "running maximum 16x65536",
      "cummax",
      "histogram",
      "iir_filter",
      "n_body",
      "sparse_product",
    ],
    needs: "scans and recurrences whose state lies along the rows of memory",
  },
  {
    veto: "used",
    programs: ["cumsum"],
    needs:
      "scans that read whole sectors: a state in memory, which the search finds, only adds loads that are used",
  },
];

/** The exception that allows for a broken bound. */
export function exceptionFor({ program, veto }: BrokenBound): FactsException | undefined {
  return exceptions.find((one) => one.veto === veto && one.programs.includes(program));
}
