/**
 * Names of mappings survive: the complete mapping of a program is taken whole, and gives the same kernels, when statements are
 * added or swapped, and in its canonical forms when tensors and indices are renamed. For other sizes it is taken whole.
 */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Compiled, type CompileRequest, compile } from "../../../src/compile.ts";
import { indicesOf } from "../../../src/ir/domain.ts";
import { canonicalChoice, canonicalPath } from "../../../src/ir/mapping/canonical-names.ts";
import { keyedMapping } from "../../../src/ir/mapping/kernel-key.ts";
import { mapProgram } from "../../../src/ir/mapping/map-program.ts";
import { mappingOf, pathsOf } from "../../../src/ir/mapping/mapping.ts";
import { gpuProfile } from "../../../src/support/device-profile.ts";
import type { Mapping } from "../../../src/support/mapping-file.ts";

const names: readonly string[] = [
  ...["matmul", "softmax", "layernorm", "grouped_conv2d", "attention", "argmax", "cumsum", "gru"],
  ...["transpose", "k_means", "rmsnorm", "heat_equation", "scatter_add", "cross_entropy"],
];

const more = { ZA: 70, ZB: 11 };

function compiled(source: string, request: CompileRequest = {}): Compiled {
  const result = compile(source, { profile: "gpu", ...request });
  if (!result.ok)
    throw new Error(`${result.diagnostics.map((d) => d.message).join("; ")}\n${source}`);
  return result;
}

/** The main functions of the kernels, with names by first use. */
function kernelTexts({ plan }: Compiled): readonly string[] {
  return plan.kernels.map(({ wgsl }) => {
    const known = new Map<string, string>();
    return wgsl.slice(wgsl.indexOf("@compute")).replace(/(?<![.\w])[A-Za-z_]\w*/g, (name) => {
      const found = known.get(name) ?? `n${known.size}`;
      known.set(name, found);
      return found;
    });
  });
}

/** The program with two statements more: `zfirst` and `zlast`, which nothing else reads. */
function withStatements(source: string, first: string, last: string): string {
  const more = "float(ZA) zgiven, float(ZB) zother, ";
  return source
    .replace(/^def (\w+)\(/m, (head) => `${head}${more}`)
    .replace(/-> \(/, "-> (zfirst, zlast, ")
    .replace(/\{\n/, `{\n${first}`)
    .replace(/\}\s*$/, `${last}}\n`);
}

const first = "  zfirst(i) = 2.0 * zgiven(i)\n";
const last = "  zlast(i) +=! zother(i) * zother(j)\n";

/** The sizes of a program, those of 8 and more so many times as large. */
function timesAsLarge(source: string, factor: number): Record<string, number> {
  const line = /^#! sizes (.*)$/m.exec(source)?.[1] ?? "";
  return Object.fromEntries(
    [...line.matchAll(/(\w+)=(\d+)/g)].map(([, size, value]) => [
      size,
      Number(value) * (Number(value) >= 8 ? factor : 1),
    ]),
  );
}

/** The program with other names for its tensors, indices and loops. */
function renamed(
  source: string,
  { program }: Compiled,
  rename: (name: string, n: number) => string,
): string {
  const sizes = new Set(program.sizes.map((s) => s.name));
  const dims = program.statements.flatMap((s) => s.domain.dims.flatMap(indicesOf));
  const old = [...new Set([...program.tensors.map((t) => t.name), ...dims])]
    .filter((name) => !sizes.has(name))
    .sort();
  const fresh = new Map(old.map((name, n) => [name, rename(name, n)]));
  const text = source.slice(source.search(/^def /m));
  const sizesLine = /^#! sizes.*$/m.exec(source)?.[0] ?? "";
  return `${sizesLine}\n${text.replace(/[A-Za-z_]\w*/g, (name) => fresh.get(name) ?? name)}`;
}

/** Names in the reverse of their order. */
const reversed = (_: string, n: number): string => `r${999 - n}`;

/** Other names in the same order, which sums in generated text follow. */
const inOrder = (name: string): string => `${name}_`;

type WithMapping = Pick<Compiled, "program" | "options">;

function canonical({ program, options }: WithMapping): Mapping {
  const paths = [...pathsOf(options)].map(
    ([path, value]) =>
      [canonicalPath(program, path), canonicalChoice(program, path, value)] as const,
  );
  return mappingOf(paths, "plain");
}

/** The canonical mapping with its kernels under keys. */
function canonicalByKeys({ program, options }: WithMapping): Mapping {
  const { kernels } = mapProgram(program, gpuProfile, options);
  const { structure = {} } = canonical({ program, options });
  return { ...keyedMapping(options, kernels), structure };
}

/** The mapping with its own names for statements, and its kernels under keys. */
function byKeys({ program, options }: WithMapping): Mapping {
  return keyedMapping(options, mapProgram(program, gpuProfile, options).kernels);
}

/** What a file has, and what is remembered of kernels wherever they occur. */
const forms: readonly (readonly [string, (of: WithMapping) => Mapping])[] = [
  ["its own names", ({ options }) => options],
  ["its own names with kernels under keys", byKeys],
];

function expectWhole(result: Compiled): void {
  expect({ repairs: result.repairs, unused: result.unusedChoices }).toEqual({
    repairs: [],
    unused: [],
  });
}

describe.each(names)("the mapping of %s", (name) => {
  const source = readFileSync(`examples/${name}.tc`, "utf8");
  const base = compiled(source);
  const texts = kernelTexts(base);

  it.each(forms)("is taken in %s by a program with statements before and after", (_, convert) => {
    const result = compiled(withStatements(source, first, last), {
      options: convert(base),
      sizes: more,
    });
    expectWhole(result);
    expect(kernelTexts(result)).toEqual(expect.arrayContaining([...texts]));
  });

  it.each(forms)("is taken in %s where independent statements are swapped", (_, convert) => {
    const sizes = more;
    const statements = Object.fromEntries(
      [...base.program.statements.map((s) => s.id), "zlast"].map((id) => [id, { with: false }]),
    );
    const options = { version: 2, structure: { statements } } as const;
    const before = compiled(withStatements(source, first, last), { sizes, options });
    const after = compiled(withStatements(source, last, first), {
      ...{ sizes, options: convert(before) },
    });
    expectWhole(after);
    expect([...kernelTexts(after)].sort()).toEqual([...kernelTexts(before)].sort());
  });

  it.each(forms)("is taken in %s for other sizes", (_, convert) => {
    // Keys take numbers of up to 8 for strides and offsets, as bounds of small sizes may be.
    const of = (factor: number, request: CompileRequest): Compiled =>
      compiled(source, { sizes: timesAsLarge(source, factor), ...request });
    expectWhole(of(8, { options: convert(of(4, {})) }));
    expectWhole(of(2, { options: base.options }));
  });

  it.each([
    ["names", canonical],
    ["names with kernels under keys", canonicalByKeys],
  ])("is taken in canonical %s by a program with other names", (_, convert) => {
    const options = convert(base);
    const same = compiled(renamed(source, base, inOrder), { options });
    expectWhole(same);
    expect(kernelTexts(same)).toEqual(texts);
    const other = compiled(renamed(source, base, reversed), { options });
    expectWhole(other);
    expect(convert(other)).toEqual(options);
  });
});

describe("statements that share a kernel", () => {
  const source = (a: string, b: string): string => `def f(float(N) x, float(N) w) -> (a, b, c) {
  ${a}
  ${b}
  c(i) = x(i) - w(i)
}`;
  const [a, b] = ["a(i) = 2.0 * x(i)", "b(i) = 3.0 * w(i)"];
  const options: Mapping = {
    version: 2,
    policy: "plain",
    structure: { statements: { c: { with: "b" } } },
    kernels: { b: { axes: [{ workgroup: 8 }] } },
  };
  const sizes = { N: 64 };

  it("do so in whatever order kernels are before them", () => {
    const { plan, decisions } = compiled(source(a, b), { sizes, options });
    expect(plan.kernels).toHaveLength(2);
    expect(decisions.find((d) => d.path.endsWith("c/with"))?.values).toEqual([false, "b"]);
  });

  it("are not put silently into another kernel where others were swapped", () => {
    const { plan, repairs } = compiled(source(b, a), { sizes, options });
    expect(plan.kernels).toHaveLength(3);
    expect(repairs).toEqual([{ path: "structure/statements/c/with", asked: "b", used: false }]);
  });

  it("join whatever kernel is before them where a mapping says `true`", () => {
    const structure = { statements: { c: { with: true } } };
    const { options: whole } = compiled(source(b, a), {
      sizes,
      options: { ...options, structure },
    });
    expect(pathsOf(whole).get("structure/statements/c/with")).toBe("a");
  });
});
