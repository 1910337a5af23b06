import { describe, expect, it } from "vitest";
import { type Expected, judge, scaleOf } from "../../../src/ir/interpret/judge.ts";
import { seededRandom } from "../../../src/support/random.ts";
import type { ElementType } from "../../../src/support/scalar-type.ts";

interface Given {
  readonly type?: ElementType;
  readonly bound?: number;
  readonly samples?: readonly (readonly number[])[];
}

/** An output `y` with one bound for all elements, and a list of samples for each. */
function output(values: readonly number[], { type = "float32", bound, samples }: Given): Expected {
  const data = Float64Array.from(values);
  return {
    name: "y",
    type,
    values: data,
    scale: scaleOf(data),
    ...(bound === undefined ? {} : { bound: data.map(() => bound) }),
    ...(samples === undefined
      ? {}
      : { samples: [0, 1].map((s) => Float64Array.from(samples, (of) => of[s] ?? 0)) }),
  };
}

function verdict(one: Expected, ...found: readonly number[]): ReturnType<typeof judge> {
  return judge([one], { y: Float32Array.from(found) });
}

describe("the first judge", () => {
  it("allows the bound where it is at most a thousandth of the element or the output", () => {
    const one = output([1, 1e-6], { bound: 7e-4 });
    expect(verdict(one, 1.0006, 6e-4)).toMatchObject({ decision: "right", compared: 2 });
    const wrong = verdict(one, 1.0008, 0);
    expect(wrong.decision).toBe("wrong");
    expect(wrong.wrong).toMatchObject([{ tensor: "y", element: 0, allowed: 7e-4 }]);
  });

  it("says nothing by a bound that is wider: without samples the element is not decided", () => {
    const one = output([0.46, 0.4], { bound: 1e30 });
    expect(verdict(one, 0.46, 0.4)).toMatchObject({ decision: "undecided", compared: 0 });
    expect(verdict(output([2, 3], { bound: 2e-3 }), 2, 3).ambiguous).toBe(0);
    expect(verdict(output([2, 1], { bound: 2e-3 }), 2, 1).ambiguous).toBe(1);
  });

  it("states the largest error that is allowed and the largest there is", () => {
    const { outputs } = verdict(output([3, -4], { bound: 2 ** -10 }), 3, -4 + 2 ** -12);
    const { allowed, measured, scale } = { allowed: 0, measured: 0, scale: 0, ...outputs[0] };
    expect([allowed, measured, scale]).toEqual([2 ** -10, 2 ** -12, Math.sqrt(12.5)]);
  });
});

describe("the second judge", () => {
  const wide = { bound: Infinity, samples: [[1 + 3e-6, 1 - 4e-6]] };

  it("allows ten times the samples' distance from the reference and four units", () => {
    const spread = Math.sqrt((3e-6 ** 2 + 4e-6 ** 2) / 2);
    const allowed = 10 * spread + 4 * 2 ** -23;
    const one = output([1], wide);
    const [found] = verdict(one, 1).outputs;
    expect(found).toMatchObject({ decision: "right", sampled: 1 });
    expect(found?.allowed).toBeCloseTo(allowed, 12);
    expect(verdict(one, 1 + 0.99 * allowed).decision).toBe("right");
    expect(verdict(one, 1 + 1.02 * allowed).decision).toBe("wrong");
  });

  it("does not decide where that is more than a thousandth of the output", () => {
    const one = output([1], { bound: Infinity, samples: [[1.00009, 0.99991]] });
    expect(verdict(one, 1).decision).toBe("right");
    const far = output([1], { bound: Infinity, samples: [[1.00011, 0.99989]] });
    expect(verdict(far, 1)).toMatchObject({ decision: "undecided", ambiguous: 1, compared: 0 });
    // Nor does it call wrong what it cannot call right.
    expect(verdict(far, 7).decision).toBe("undecided");
  });

  it("takes integers that all samples agree about, and those alone", () => {
    const agreed = output([5, 6], {
      type: "int32",
      bound: Infinity,
      samples: [
        [5, 5],
        [6, 6],
      ],
    });
    expect(verdict(agreed, 5, 6).decision).toBe("right");
    expect(verdict(agreed, 5, 7).decision).toBe("wrong");
    const tie = output([5, 6], {
      type: "int32",
      bound: Infinity,
      samples: [
        [5, 5],
        [6, 2],
      ],
    });
    expect(verdict(tie, 5, 6)).toMatchObject({ decision: "undecided", compared: 1, ambiguous: 1 });
  });

  it("lets one undecided element in a hundred pass, and counts it", () => {
    const at = (ties: number): ReturnType<typeof judge> => {
      const values = Array.from({ length: 200 }, () => 5);
      const samples = values.map((_, n) => (n < ties ? [5, 9] : [5, 5]));
      return verdict(output(values, { type: "int32", bound: Infinity, samples }), ...values);
    };
    expect(at(2)).toMatchObject({ decision: "right", compared: 198, ambiguous: 2 });
    expect(at(3)).toMatchObject({ decision: "undecided", compared: 197, ambiguous: 3 });
  });

  it("gives float16 a thirty-second: it has three digits", () => {
    const half = { type: "float16", bound: 2e-3 } as const;
    expect(verdict(output([1, 1], half), 1.001, 1)).toMatchObject({ decision: "right" });
    expect(verdict(output([1, 1], { ...half, bound: 0.04 }), 1, 1).decision).toBe("undecided");
  });
});

describe("NaN and infinity", () => {
  const [nan, inf] = [Number.NaN, Number.POSITIVE_INFINITY];

  it("are compared as such, and counted", () => {
    const one = output([inf, 2, -inf], { bound: 0 });
    const same = verdict(one, inf, 2, -inf);
    expect(same).toMatchObject({ decision: "right", compared: 3 });
    expect(same.outputs).toMatchObject([{ notFinite: 2, notFiniteAlike: 2, scale: 2 }]);
    for (const other of [nan, -inf, 3e38]) {
      const differs = verdict(one, other, 2, -inf);
      expect(differs).toMatchObject({ decision: "wrong", worst: inf });
      expect(differs.outputs).toMatchObject([{ notFinite: 2, notFiniteAlike: 1 }]);
    }
    expect(verdict(output([1], { bound: 1e-6 }), nan).decision).toBe("wrong");
  });

  it("are what all samples have, or are not decided", () => {
    const known = output([nan], { bound: inf, samples: [[nan, nan]] });
    expect(verdict(known, nan)).toMatchObject({ decision: "right", compared: 1 });
    // Devices may take it that there are none.
    expect(verdict(known, 1).decision).toBe("undecided");
    const some = output([nan], { bound: inf, samples: [[nan, 1]] });
    expect(verdict(some, nan).decision).toBe("undecided");
    const overflow = output([1e39], { bound: inf, samples: [[inf, inf]] });
    expect(verdict(overflow, inf).outputs).toMatchObject([{ compared: 1, notFiniteAlike: 1 }]);
    const finite = output([1], { bound: inf, samples: [[1, 1]] });
    expect(verdict(finite, nan).decision).toBe("wrong");
  });
});

describe("a tolerance", () => {
  it("stands for both judges, and decides everything", () => {
    const one = output([100, 0, Infinity], { bound: Infinity });
    const by = (found: readonly number[]): ReturnType<typeof judge> =>
      judge([one], { y: Float32Array.from(found) }, { absolute: 0.1, relative: 0.01 });
    expect(by([101, 0.09, Infinity])).toMatchObject({ decision: "right", compared: 3 });
    expect(by([101.2, 0, Infinity]).decision).toBe("wrong");
    expect(by([100, 0.11, Infinity]).decision).toBe("wrong");
    expect(by([100, 0, 5]).decision).toBe("wrong");
  });
});

it("finds a wrong element among thousands, and says which", () => {
  const random = seededRandom(3);
  const values = Float64Array.from({ length: 5000 }, () => random.next() - 0.5);
  const one = {
    name: "y",
    type: "float32",
    values,
    scale: scaleOf(values),
    bound: values.map(() => 1e-6),
  } as const;
  const found = Float32Array.from(values);
  found[4321] = (found[4321] ?? 0) + 2e-6;
  const { decision, compared, wrong } = judge([one], { y: found });
  expect([decision, compared, wrong.map(({ element }) => element)]).toEqual([
    "wrong",
    5000,
    [4321],
  ]);
});
