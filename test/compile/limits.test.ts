/** What `compile` refuses because no device, or not this one, could execute it. */

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { interpret } from "../../src/api/interpret.ts";
import { type CompileRequest, compile } from "../../src/compile.ts";
import { problemTexts } from "../../src/diagnostics/codes.ts";
import { renderDiagnostics } from "../../src/diagnostics/render.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";
import { given } from "../support/given.ts";

const folder = new URL(".", import.meta.url);
const cases = readdirSync(folder).filter((name) => name.endsWith(".tc"));

/** A first line `# request: {...}` holds what the caller says beside the source. */
function requestOf(source: string): CompileRequest {
  const match = /^# request: (.*)$/m.exec(source);
  return match === null ? {} : JSON.parse(match[1] ?? "{}");
}

test.each(cases)("%s is refused as its text says", async (name) => {
  const source = readFileSync(new URL(name, folder), "utf8");
  const { ok, diagnostics } = compile(source, requestOf(source));
  expect(ok).toBe(false);
  const [code] = name.split("-");
  expect(diagnostics.map((d) => d.code)).toContain(code);
  const text = renderDiagnostics(diagnostics, { source, file: name });
  await expect(text).toMatchFileSnapshot(`./${name.replace(/\.tc$/, ".txt")}`);
});

test("every code of limits (TC5xxx) has a case", () => {
  const covered = new Set(cases.map((name) => name.split("-")[0]));
  const codes = Object.keys(problemTexts).filter((code) => code.startsWith("TC5"));
  expect(codes.filter((code) => !covered.has(code))).toEqual([]);
});

describe("limits", () => {
  const matmul = `def mm(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }`;

  it("are those of the profile", () => {
    const sizes = { M: 8192, K: 1, N: 8192 };
    expect(compile(matmul, { sizes }).ok).toBe(false);
    const limits = { ...baselineProfile.limits, maxBindingBytes: 2 ** 28 };
    expect(compile(matmul, { sizes, profile: { ...baselineProfile, limits } }).ok).toBe(true);
    const most = { M: 4096, K: 1, N: 8192 };
    expect(compile(matmul, { sizes: most }).ok).toBe(true);
  });

  it("of 32-bit indices hold whatever the profile, and for the reference", () => {
    const limits = { ...baselineProfile.limits, maxBindingBytes: 2 ** 53 };
    const sizes = { M: 65536, K: 1, N: 65536 };
    const { diagnostics } = compile(matmul, { sizes, profile: { ...baselineProfile, limits } });
    expect(diagnostics.map((d) => d.code)).toEqual(["TC5003"]);
    const A = { data: new Float32Array(65536), shape: [65536, 1] };
    const B = { data: new Float32Array(65536), shape: [1, 65536] };
    expect(() => interpret(matmul as string, { A, B })).toThrow("`C` (65536 x 65536)");
  });

  it("of memory hold for the reference", () => {
    const A = { data: new Float32Array(40000), shape: [40000, 1] };
    const B = { data: new Float32Array(40000), shape: [1, 40000] };
    expect(() => interpret(matmul as string, { A, B })).toThrow(
      'the reference would take 11.9 GiB, most of it for tensor "C" of shape [40000, 40000]',
    );
  });

  it("of sizes whose product no float64 holds exactly are found, too", () => {
    const source = "def f(float(N) a) -> (y) { y(i, j, k) = a(i) * a(j) * a(k) }";
    const { diagnostics } = compile(source, { sizes: { N: 2147483647 } });
    expect(diagnostics.map((d) => d.code)).toEqual(["TC5003"]);
  });

  it("are not reached by a temporary that needs no memory", () => {
    const source = `def f(float(N) a) -> (y) {
      t(i, j) = a(i) * a(j)
      y(i) +=! t(i, j)
    }`;
    expect(compile(source, { sizes: { N: 10000 } }).ok).toBe(true);
  });

  it("are not reached by register tiles whose points lie apart", () => {
    const choices = {
      "structure/statements/$0/factor/r0": "strided 32",
      "kernels/$0.part/axes/0/points": 8,
      "kernels/$0.part/axes/1/workgroup": 16,
      "kernels/$0.part/axes/1/points": 8,
      "kernels/$0.part/blocked": false,
      "kernels/$0.part/points": "serial",
    };
    const sizes = { M: 512, N: 512, K: 512 };
    const options = given(choices);
    const compiled = compile(matmul, { sizes, options, profile: "llvmpipe" });
    if (!compiled.ok) throw new Error(compiled.diagnostics[0]?.message);
    expect([compiled.repairs, compiled.unusedChoices]).toEqual([[], []]);
    expect(compiled.plan.kernels[0]?.wgsl).toMatch(/var acc_\w+: array<f32, 64>;/);
  });
});
