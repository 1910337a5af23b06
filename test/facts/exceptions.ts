/**
 * Bounds that today's defaults break, each with what is missing: a capability, or a rule of the policy where
 * the space has choices that keep the bound in about the same time by the model
 * (test/golden/facts/search.txt).
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
      "workgroups that wait for each other, where cores are more than rows; elsewhere a rule that carries all chunks in the workgroup that composes them, which takes about as long",
  },
  {
    veto: "cores",
    programs: [
      "elman T=128 B=16 C=128",
      "lstm T=128 B=16 C=128",
      "stacked lstm of 3 T=128 B=16 C=128",
      "gru T=128 B=16 C=128",
      "cumulative sum 16x65536",
      "running maximum 16x65536",
      "edit distance 512x512",
      "elman",
      "gru",
      "heat_equation",
      "histogram",
      "lstm",
      "lu",
      "sparse_product",
      "stacked_lstm",
      "triangular_solve",
    ],
    needs: "recurrences over several workgroups that wait for each other",
  },
  {
    veto: "empty",
    programs: ["lu"],
    needs:
      "a rule for loops whose statements are better not joined, or grids that depend on the step",
  },
  {
    veto: "fma",
    programs: ["n_body"],
    needs:
      "a rule for products of few columns, or slices of them that the kernel which follows adds up",
  },
  {
    veto: "used",
    programs: ["fir_filter", "max_pool"],
    needs: "copies of rows that are read with a stride",
  },
  {
    veto: "used",
    programs: ["avg_pool"],
    needs:
      "costs that tell what few large invocations have to store for each other: the cost model finds one kernel as good as two",
  },
  {
    veto: "used",
    programs: ["lu"],
    needs: "a rule for loops that take longer in a dispatch for each step than in one workgroup",
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
      "triangular_solve",
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
