/** Programs of many layers compile for every profile if each of their statements does alone, and are right. */
import { describe, expect, it } from "vitest";
import { interpretPlan } from "../../../src/codegen/interpret-kernel/interpret-plan.ts";
import { compile } from "../../../src/compile.ts";
import { namedProfiles } from "../../../src/support/device-profile.ts";
import { seededRandom } from "../../../src/support/random.ts";

const sizes = { B: 3, N: 5 };

const deepest = 64;

/** Profiles whose policies and limits differ most; scripts/depth takes all of them, for all lengths. */
const isSweep = process.env["DEPTH_ALL"] !== undefined;
const profiles = isSweep
  ? Object.keys(namedProfiles)
  : ["baseline", "gpu", "llvmpipe", "swiftshader"];
const deepProfiles = isSweep ? profiles : ["baseline", "gpu"];

/** Weights of so many layers, as parameters. */
function weights(layers: number): string {
  return Array.from({ length: layers }, (_, n) => `, float(N, N) W${n}`).join("");
}

/** A definition of so many layers, and one layer in plain JavaScript, of rows of N. */
interface Kind {
  source(layers: number): string;
  layer(x: readonly number[][], W: readonly number[][]): number[][];
}

function product(x: readonly number[][], W: readonly number[][]): number[][] {
  return x.map((row) =>
    row.map((_, m) => row.reduce((sum, v, n) => sum + v * (W[n]?.[m] ?? 0), 0)),
  );
}

function normed(x: readonly number[][]): number[][] {
  return x.map((row) => {
    const scale = 1 / Math.sqrt(row.reduce((sum, v) => sum + v * v, 0) + 1e-3);
    return row.map((v) => v * scale);
  });
}

/** What rows of `q` take of the rows of `v`, by the softmax of their products with rows of `k`. */
function attended(
  q: readonly number[][],
  k: readonly number[][],
  v: readonly number[][],
): number[][] {
  return q.map((row) => {
    const scores = k.map((key) => row.reduce((total, one, n) => total + one * (key[n] ?? 0), 0));
    const weights = scores.map((s) => Math.exp(s - Math.max(...scores)));
    const total = weights.reduce((all, w) => all + w, 0);
    return row.map((_, n) =>
      weights.reduce((mixed, w, c) => mixed + (w / total) * (v[c]?.[n] ?? 0), 0),
    );
  });
}

function sum(a: readonly number[][], b: readonly number[][]): number[][] {
  return a.map((row, r) => row.map((v, n) => v + (b[r]?.[n] ?? 0)));
}

function body(layers: number, layer: (n: number) => string): string {
  const text = Array.from({ length: layers }, (_, n) => layer(n)).join("\n");
  return `def f(float(B, N) x0${weights(layers)}) -> (x${layers}) {\n${text}\n}`;
}

const kinds: Readonly<Record<string, Kind>> = {
  "residual layers": {
    source: (layers) =>
      body(
        layers,
        (n) => `  p${n}(b, m) +=! W${n}(n, m) * x${n}(b, n)
  x${n + 1}(b, m) = x${n}(b, m) + p${n}(b, m)`,
      ),
    layer: (x, W) => sum(x, product(x, W)),
  },
  "normed residual layers": {
    source: (layers) =>
      body(
        layers,
        (n) => `  q${n}(b) +=! x${n}(b, n) * x${n}(b, n)
  p${n}(b, m) +=! W${n}(n, m) * (x${n}(b, n) * rsqrt(q${n}(b) + 0.001))
  x${n + 1}(b, m) = x${n}(b, m) + p${n}(b, m)`,
      ),
    layer: (x, W) => sum(x, product(normed(x), W)),
  },
  "a chain of maps": {
    source: (layers) =>
      body(layers, (n) => `  x${n + 1}(b, n) = 0.5 * x${n}(b, n) + 0.1 * W${n}(n, n)`),
    layer: (x, W) => x.map((row) => row.map((v, n) => 0.5 * v + 0.1 * (W[n]?.[n] ?? 0))),
  },
  "a chain of products": {
    source: (layers) => body(layers, (n) => `  x${n + 1}(b, m) +=! W${n}(n, m) * x${n}(b, n)`),
    layer: (x, W) => product(x, W),
  },
  "transformer blocks through calls": {
    source: (layers) => `def normed(float(B, N) x) -> (y) {
  q(b) +=! x(b, n) * x(b, n)
  y(b, n) = x(b, n) * rsqrt(q(b) + 0.001)
}
def attend(float(B, N) q, float(B, N) k, float(B, N) v) -> (mixed) {
  score(b, c) +=! q(b, n) * k(c, n)
  largest(b) max=! score(b, c)
  weight(b, c) = exp(score(b, c) - largest(b))
  total(b) +=! weight(b, c)
  mixed(b, n) +=! weight(b, c) / total(b) * v(c, n)
}
def block(float(B, N) x, float(N, N) W) -> (y) {
  a = normed(x)
  q(b, m) +=! a(b, n) * W(n, m)
  mixed = attend(q, a, x)
  inner(b, n) = x(b, n) + mixed(b, n)
  c = normed(inner)
  h(b, m) +=! c(b, n) * W(n, m)
  g(b, m) = fmax(h(b, m), 0.0)
  y(b, n) = inner(b, n) + 0.5 * g(b, n)
}
${body(layers, (n) => `  x${n + 1} = block(x${n}, W${n})`)}`,
    layer: (x, W) => {
      const a = normed(x);
      const inner = sum(x, attended(product(a, W), a, x));
      const h = product(normed(inner), W);
      return sum(
        inner,
        h.map((row) => row.map((v) => 0.5 * Math.max(v, 0))),
      );
    },
  },
};

/** Rows of small numbers. */
function draw(random: ReturnType<typeof seededRandom>, rows: number): number[][] {
  return Array.from({ length: rows }, () =>
    Array.from({ length: sizes.N }, () => Math.fround((random.next() - 0.5) / 2)),
  );
}

describe.each(Object.entries(kinds))("%s", (_, { source, layer }) => {
  it.each([4, 10, 64])("%i of them compile for every profile and are right", (layers) => {
    const random = seededRandom(layers);
    let x = draw(random, sizes.B);
    const inputs: Record<string, Float32Array> = { x0: Float32Array.from(x.flat()) };
    for (let n = 0; n < layers; n++) {
      const W = draw(random, sizes.N);
      inputs[`W${n}`] = Float32Array.from(W.flat());
      x = layer(x, W);
    }
    const meant = x.flat();
    const scale = Math.max(...meant.map(Math.abs));
    for (const profile of layers === deepest ? deepProfiles : profiles) {
      const compiled = compile(source(layers), { def: "f", sizes, profile });
      if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join("; "));
      const { outputs, faults } = interpretPlan(compiled.plan, inputs);
      expect(faults).toEqual([]);
      const found = outputs[`x${layers}`] ?? [];
      expect(found).toHaveLength(meant.length);
      for (const [n, v] of meant.entries()) {
        expect(Math.abs((found[n] ?? Number.NaN) - v)).toBeLessThan(2e-6 * layers * scale);
      }
    }
  });
});
