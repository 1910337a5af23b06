/** What `verify` says of programs whose rounding errors grow, end, or cannot be told. */
import { describe, expect, it } from "vitest";
import { type HostInputs, interpret, verify } from "../../src/index.ts";
import { seededRandom } from "../../src/support/random.ts";

const heat = `def heat(float(N) start, int S) -> (u) {
  u(i) = start(i)
  for s in 0:S {
    u(i) = u(i) + 0.25 * (u(i - 1) - 2.0 * u(i) + u(i + 1)) where i in 1:N - 1
  }
}`;

const logistic = `def logistic(float(N) start, int S) -> (u) {
  u(i) = start(i)
  for s in 0:S {
    u(i) = 3.9 * u(i) * (1.0 - u(i))
  }
}`;

const paths = `def paths(float(N, N) d) -> (d) {
  for k in N {
    d(i, j) min= d(i, k) + d(k, j)
  }
}`;

function uniform(length: number, seed = 1): Float32Array {
  const random = seededRandom(seed);
  return Float32Array.from({ length }, () => random.next());
}

/** What an output of the reference holds, with one element changed. */
function withElement(
  outputs: HostInputs,
  name: string,
  at: number,
  change: (x: number) => number,
): HostInputs {
  const tensor = outputs[name] as { readonly data: Float32Array; readonly shape: number[] };
  const data = tensor.data.slice();
  data[at] = change(data[at] ?? 0);
  return { ...outputs, [name]: { ...tensor, data } };
}

describe("300 steps that smooth", () => {
  const inputs = { start: uniform(60), S: 300 };
  const outputs = interpret(heat, inputs);

  it("are right within some units, which random rounding tells", () => {
    const found = verify(heat, inputs, outputs);
    expect(found).toMatchObject({ decision: "right", total: 60, compared: 60, ambiguous: 0 });
    const [u] = found.outputs;
    expect(u?.sampled).toBeGreaterThan(50);
    expect(u?.allowed).toBeLessThan(1e-5);
    expect(u?.measured).toBeLessThan(1e-7);
    expect(u?.scale).toBeCloseTo(0.5, 0);
  });

  it("are wrong with an element that is off by a thousandth, or by 1e30", () => {
    for (const change of [(x: number) => x * 1.001, (x: number) => x + 1e30]) {
      const found = verify(heat, inputs, withElement(outputs, "u", 30, change));
      expect([found.decision, found.wrong.map(({ index }) => index)]).toEqual(["wrong", [[30]]]);
    }
  });

  it("give the same figures each time", () => {
    expect(verify(heat, inputs, outputs)).toEqual(verify(heat, inputs, outputs));
  });

  it("are sampled in part where the budget does not suffice for eight more executions", () => {
    const points = 300 * 60;
    const part = verify(heat, inputs, outputs, { maxPoints: 4 * points });
    // The ends have exact values.
    expect(part).toMatchObject({ decision: "right", total: 60, ambiguous: 0 });
    expect(part.compared).toBeLessThan(60);
    const none = verify(heat, { ...inputs, S: 300 }, outputs, { maxPoints: 1.01 * points });
    expect(none.compared).toBeLessThanOrEqual(part.compared);
  });
});

describe("chaos", () => {
  const inputs = { start: uniform(20, 3), S: 100 };
  const outputs = interpret(logistic, inputs);

  it("is not decided, not even where it is equal", () => {
    const found = verify(logistic, inputs, outputs);
    expect(found).toMatchObject({ decision: "undecided", compared: 0, ambiguous: 20, worst: 0 });
  });

  it("is decided by a tolerance", () => {
    expect(verify(logistic, inputs, outputs, { atol: 1e-3 }).decision).toBe("right");
    const wrong = withElement(outputs, "u", 7, (x) => x + 2e-3);
    expect(verify(logistic, inputs, wrong, { atol: 1e-3 }).wrong).toMatchObject([{ index: [7] }]);
    expect(verify(logistic, inputs, wrong, { atol: 1e-3, rtol: 0.5 }).decision).toBe("right");
  });
});

it("takes no tolerance that is not a number from 0 on", () => {
  const x = Float32Array.of(1);
  const source = "def f(float(N) x) -> (y) { y(i) = x(i) }";
  for (const rtol of [-1, Number.NaN, Infinity, "1" as never]) {
    expect(() => verify(source, { x }, { y: x }, { rtol })).toThrow(/^verify: rtol is .*: give/);
  }
});

describe("infinite edges", () => {
  const size = 12;
  const random = seededRandom(8);
  const edges = Float32Array.from({ length: size * size }, (_, at) => {
    const [i, j] = [Math.floor(at / size), at % size];
    if (i === j) return 0;
    // The last four places are reached from none of the others.
    return (i < 8 && j >= 8) || random.next() < 0.6 ? Infinity : 1 + random.next();
  });
  const inputs = { d: { data: edges, shape: [size, size] } };
  const outputs = interpret(paths, inputs);

  it("are right, and counted", () => {
    const found = verify(paths, inputs, outputs);
    expect(found).toMatchObject({ decision: "right", compared: size * size, ambiguous: 0 });
    const [d] = found.outputs;
    expect(d?.notFinite).toBeGreaterThanOrEqual(32);
    expect(d?.notFiniteAlike).toBe(d?.notFinite);
    expect(d?.allowed).toBeLessThan(1e-4);
  });

  it("are wrong where they are missing, or where a length is", () => {
    for (const [at, x] of [
      [9, 5],
      [9, Number.NaN],
      [size + 1, Infinity],
    ] as const) {
      const found = verify(
        paths,
        inputs,
        withElement(outputs, "d", at, () => x),
      );
      expect([at, found.decision]).toEqual([at, "wrong"]);
    }
  });
});

it("decides integers that come from floats where all samples agree", () => {
  const source = "def f(float(N, K) x) -> (int(N) y) { s(n) +=! x(n, k)  y(n) = int(s(n) * 10.0) }";
  const rows = 200;
  const x = { data: uniform(rows * 40, 5), shape: [rows, 40] };
  const outputs = interpret(source, { x });
  const found = verify(source, { x }, outputs);
  expect(found).toMatchObject({ decision: "right", total: rows });
  expect(found.compared).toBeGreaterThan(0.98 * rows);
});
