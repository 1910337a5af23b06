/**
 * Kinds of kernels are known in the places that choose defaults and search spaces, nowhere else:
 * everything else works on loops, accesses and monoids.
 */
import { describe, expect, it } from "vitest";
import { readSources, type Source, withoutComments } from "./sources.ts";

/** Names of operators, networks and kinds of kernels, as words of identifiers and strings. */
const kinds: ReadonlySet<string> = new Set(
  (
    "matmul gemm gemv conv convolution convolve convolutional depthwise im2col winograd " +
    "softmax logsoftmax attention flash lstm gru elman rnn cumsum cumprod layernorm batchnorm " +
    "rmsnorm normalisation normalization contraction contracts elementwise " +
    "pointwise rowwise recurrence recurrent stencil mlp transformer perceptron embedding lu " +
    "cholesky maxpool avgpool pooling argmax argmin logsumexp welford histogram"
  ).split(" "),
);

/** Activations are functions of the language, and stand in its tables of functions. */
const activations: ReadonlySet<string> = new Set(["relu", "gelu", "sigmoid", "silu", "softplus"]);

const choosers: ReadonlySet<string> = new Set(["src/ir/mapping/policy/cpu-tiles.ts"]);

const functionTables: ReadonlySet<string> = new Set([
  "src/support/scalar-functions.ts",
  "src/ir/interpret/function-errors.ts",
  "src/ir/interpret/function-accuracy.ts",
  "src/codegen/print-wgsl/polyfills/error-function.ts",
  "src/codegen/print-wgsl/polyfills/logistic.ts",
  "src/codegen/print-wgsl/print-call.ts",
]);

/** Where the names of reductions are spelt: the syntax, and the monoids themselves. */
function spellsReductions(path: string): boolean {
  return path.startsWith("src/frontend/") || path === "src/ir/monoid.ts";
}

/** Texts for people, with examples that they know from elsewhere: nothing is decided there. */
function isText(path: string): boolean {
  return (
    path.startsWith("src/diagnostics/explanations/") ||
    path === "src/diagnostics/other-languages.ts"
  );
}

/** The words of the code: `prefersMatmul_2` has `prefers` and `matmul`. */
function wordsOf(text: string): readonly string[] {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .map((w) => w.toLowerCase().replace(/^([a-z]+)[0-9]+d?$/, "$1"));
}

/** The words of a source that it should not have, with their lines. */
function kindsIn({ path, text }: Source): readonly string[] {
  if (choosers.has(path) || isText(path)) return [];
  const allowed = spellsReductions(path) ? ["argmax", "argmin"] : [];
  return withoutComments(text)
    .split("\n")
    .flatMap((line, n) =>
      wordsOf(line)
        .filter((w) => kinds.has(w) || (activations.has(w) && !functionTables.has(path)))
        .filter((w) => !allowed.includes(w))
        .map((w) => `${path}:${n + 1}: ${w}`),
    );
}

const comparisons: readonly RegExp[] = [
  /monoid\??\.name\s*[!=]==?/,
  /[!=]==?\s*[\w.?]*monoid\??\.name/,
  /switch\s*\([^)]*monoid\??\.(?:name|atomic)/,
  /monoid\??\.atomic\s*[!=]==?\s*"/,
  /\[[^\]]*monoid\??\.name\s*\]/,
  /\.(?:has|get|includes)\(\s*[\w.?]*monoid\??\.name/,
];

function comparesMonoids({ path, text }: Source): readonly string[] {
  return withoutComments(text)
    .split("\n")
    .flatMap((line, n) => (comparisons.some((c) => c.test(line)) ? [`${path}:${n + 1}`] : []));
}

function inFile(text: string, path = "src/codegen/made-up.ts"): Source {
  return { path, text };
}

describe("the sources outside the places that choose defaults", () => {
  it("name no operator and no kind of kernel", () => {
    expect(readSources().flatMap(kindsIn)).toEqual([]);
  });

  it("never compare the name of a monoid", () => {
    expect(readSources().flatMap(comparesMonoids)).toEqual([]);
  });
});

describe("the scan", () => {
  it("reads all folders", () => {
    const folders = new Set(readSources().map((s) => s.path.split("/")[1]));
    expect([...folders]).toEqual(expect.arrayContaining(["ir", "codegen", "frontend", "cli"]));
    expect(readSources().length).toBeGreaterThan(150);
  });

  it("finds names in identifiers and strings and not in comments", () => {
    expect(kindsIn(inFile("const isMatmul = true;"))).toEqual(["src/codegen/made-up.ts:1: matmul"]);
    expect(kindsIn(inFile('\nif (kind === "conv2d") {}'))).toEqual([
      "src/codegen/made-up.ts:2: conv",
    ]);
    expect(kindsIn(inFile("fn(softmax_row, flashAttention)"))).toHaveLength(3);
    expect(kindsIn(inFile("// as in a matmul\n/* softmax */ convert(conversion);"))).toEqual([]);
    expect(kindsIn(inFile('call("relu")'))).toHaveLength(1);
    expect(kindsIn(inFile('call("relu")', "src/support/scalar-functions.ts"))).toEqual([]);
    expect(kindsIn(inFile("const matmul = 1;", "src/support/scalar-functions.ts"))).toHaveLength(1);
    expect(kindsIn(inFile('"argmax"', "src/frontend/tokens.ts"))).toEqual([]);
    expect(kindsIn(inFile('"argmax"', "src/ir/layout.ts"))).toHaveLength(1);
  });

  it("finds comparisons of monoids", () => {
    const found = [
      'if (reduction.monoid.name === "sum") return;',
      'return "sum" !== monoid.name;',
      "switch (statement.reduction.monoid.name) {",
      'const adds = monoid.atomic === "+";',
      "table[monoid.name]",
      "slow.has(reduction?.monoid.name)",
    ];
    for (const line of found) expect(comparesMonoids(inFile(line)), line).toHaveLength(1);
    expect(comparesMonoids(inFile("if (monoid.atomic !== null) print(monoid.name);"))).toEqual([]);
  });
});
