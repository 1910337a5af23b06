import { expect, test } from "vitest";
import { mappingOf } from "../../src/ir/mapping/mapping.ts";
import type { Candidate } from "../../src/tuner/candidate.ts";
import { partsOf } from "../../src/tuner/kernel-credit.ts";
import type { Entry } from "../../src/tuner/session.ts";
import { median } from "../../src/tuner/statistics.ts";
import { kernelNamed } from "./support/kernel-named.ts";

/** A candidate with one knob for each of its kernels. */
function candidateOf(values: Readonly<Record<string, number>>): Candidate {
  const own = Object.entries(values);
  const knobs = own.map(([name, value]) => ({
    path: `kernels/${name}/team`,
    values: [1, 2, 4, 8, 16],
    value,
  }));
  return {
    id: JSON.stringify(own),
    alternative: null,
    mapping: mappingOf(
      knobs.map((k) => [k.path, k.value]),
      "plain",
    ),
    knobs,
    kernels: own.map(([name, value]) => kernelNamed(name, `${name} ${value}`)),
    structure: Object.keys(values).join(),
    repairs: 0,
    statements: 10,
    workspace: 0,
  };
}

/** An entry: raced where times of its kernels are given, else refused, or known by the rough time of all of it. */
function entryOf(
  i: number,
  values: Readonly<Record<string, number>>,
  found: Readonly<Record<string, number>> | number | null,
): Entry {
  const times = typeof found === "object" && found !== null ? Object.entries(found) : [];
  const whole = typeof found === "number" ? found : times.reduce((sum, [, us]) => sum + us, 0);
  return {
    i,
    candidate: candidateOf(values),
    from: { kind: "step" },
    veto: null,
    refusal: found === null ? { kind: "invalid", why: "no" } : null,
    isHeld: found !== null,
    firstMs: 10,
    compileMs: 10,
    isCut: false,
    roughUs: found === null ? null : whole,
    samples: times.length > 0 ? [whole] : [],
    kernels: Object.fromEntries(times.map(([name, us]) => [name, [us]])),
  };
}

function wholeOf({ refusal, samples, roughUs }: Entry): number {
  if (refusal !== null) return Number.POSITIVE_INFINITY;
  return samples.length > 0 ? median(samples) : (roughUs ?? Number.POSITIVE_INFINITY);
}

function timesIn(entries: readonly Entry[], base: Entry) {
  return partsOf(entries, base, wholeOf).map(({ names, sources, share }) => ({
    names,
    share,
    sources: sources.map(({ entry, us }) => [entry.i, us]),
  }));
}

test("each kernel is credited with its own time, also where the rest was known from others", () => {
  const base = entryOf(0, { a: 1, b: 1 }, { a: 10, b: 30 });
  const other = entryOf(1, { a: 2, b: 1 }, { a: 5, b: 31 });
  // Not raced: `b` took 30 elsewhere, so that its new `a` took the rest.
  const rough = entryOf(2, { a: 4, b: 1 }, 38);
  expect(timesIn([base, other, rough], base)).toEqual([
    {
      names: ["a"],
      share: 0.25,
      sources: [
        [1, 5],
        [2, 8],
        [0, 10],
      ],
    },
    {
      names: ["b"],
      share: 0.75,
      sources: [
        [0, 30],
        [2, 30],
        [1, 31],
      ],
    },
  ]);
});

test("the time of a kernel that is alone says nothing of how others share theirs", () => {
  const alone = entryOf(0, { both: 1 }, { both: 50 });
  const base = entryOf(1, { a: 1, b: 1 }, 40);
  const other = entryOf(2, { a: 2, b: 1 }, 44);
  expect(timesIn([alone, base, other], base)).toEqual([
    {
      names: ["a", "b"],
      share: 1,
      sources: [
        [1, 40],
        [2, 44],
      ],
    },
  ]);
});

test("a candidate whose kernels are all new has no times of its own, and disturbs none", () => {
  const base = entryOf(0, { a: 1, b: 1 }, { a: 10, b: 30 });
  const other = entryOf(1, { a: 2, b: 2 }, 80);
  const parts = timesIn([base, other], base);
  expect(parts.map(({ sources }) => sources)).toEqual([
    [
      [0, 10],
      [1, 20],
    ],
    [
      [0, 30],
      [1, 60],
    ],
  ]);
  expect(timesIn([base, other], other).map(({ names }) => names)).toEqual([["a", "b"]]);
});

test("a kernel that was refused is expected to be slow, one that ran elsewhere is not to blame", () => {
  const base = entryOf(0, { a: 1, b: 1 }, { a: 10, b: 30 });
  const other = entryOf(1, { a: 2, b: 2 }, { a: 11, b: 33 });
  const expected = (entries: readonly Entry[], part: number, path: string, value: number) =>
    partsOf(entries, base, wholeOf)[part]?.surrogate?.expected(new Map([[path, value]])) ?? 0;
  const ran = [base, other];
  const refused = [...ran, entryOf(2, { a: 16, b: 2 }, null)];
  const a = "kernels/a/team";
  expect(expected(refused, 0, a, 16)).toBeGreaterThan(1.3 * expected(ran, 0, a, 16));
  const b = "kernels/b/team";
  expect(expected(refused, 1, b, 2)).toBe(expected(ran, 1, b, 2));
  // Of two that ran nowhere either may be the one.
  const unclear = [...ran, entryOf(2, { a: 16, b: 16 }, null)];
  expect(expected(unclear, 0, a, 16)).toBe(expected(ran, 0, a, 16));
});
