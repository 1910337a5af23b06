/** The recorded products of matrices as records of a database: 36 mappings at 15 sizes on llvmpipe. */
import { readFileSync } from "node:fs";
import type { Choices } from "../../../src/support/mapping-file.ts";
import { choicesId } from "../../../src/tuner/database.ts";
import { figuresOf, median } from "../../../src/tuner/statistics.ts";
import type { TuningRecord } from "../../../src/tuner/store.ts";
import { record } from "./records.ts";

/** A way to multiply: tiles of a workgroup, of an invocation and of the reduction, staged or not. */
interface Way {
  readonly BM: number;
  readonly BN: number;
  readonly BK: number;
  readonly TM: number;
  readonly TN: number;
  readonly sh: number;
}

/** `T[size][way]` are samples in nanoseconds. */
interface Recorded {
  readonly cfgs: readonly Way[];
  readonly sizes: readonly (readonly number[])[];
  readonly T: readonly (readonly (readonly number[])[])[];
}

const file = new URL("../fixtures/gemm-landscape-llvmpipe.json", import.meta.url);

export const recorded: Recorded = JSON.parse(readFileSync(file, "utf8"));

/** The default: a textbook kernel with tiles of 16 x 16 in workgroup memory, one point for each invocation. */
export const textbook: number = recorded.cfgs.findIndex(
  (c) => c.BM === 16 && c.sh === 1 && c.TM === 1,
);

function choicesOf({ BM, BN, BK, TM, TN, sh }: Way): Choices {
  return {
    axes: [
      { workgroup: BM / TM, points: TM },
      { workgroup: BN / TN, points: TN },
    ],
    reduced: [[BK]],
    operands: { "s0.read0": { stage: sh === 1 ? "workgroup" : "no" } },
  };
}

function samplesAt(size: number, way: number): readonly number[] {
  return (recorded.T[size]?.[way] ?? []).map((ns) => ns / 1_000);
}

/** Median microseconds of a way at a size, both by number. */
export function usAt(size: number, way: number): number {
  return median(samplesAt(size, way));
}

/** Which way choices are. */
export function wayOf(choices: Choices): number {
  const id = choicesId(choices);
  return recorded.cfgs.findIndex((way) => choicesId(choicesOf(way)) === id);
}

/** What tuning at one size would have recorded of its best ways; the fastest one won, and is swept. */
export function recordsAt(size: number, most: number = recorded.cfgs.length): TuningRecord[] {
  const ranking = recorded.cfgs.map((_, n) => n).sort((a, b) => usAt(size, a) - usAt(size, b));
  return ranking.slice(0, most).map((n, place) => {
    const { samples: _, ...figures } = figuresOf(samplesAt(size, n));
    const [way] = recorded.cfgs.slice(n);
    const won = place === 0 ? ({ won: true, swept: true } as const) : {};
    return record({
      kernel: "key:mm",
      text: `${n} at ${size}`,
      sizes: recorded.sizes[size] ?? [],
      choices: way === undefined ? {} : choicesOf(way),
      outcome: { kind: "ok", figures, defaultUs: usAt(size, textbook), ...won },
    });
  });
}
