/** Lints say something that is so: on the examples nothing, on random programs what can be shown. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { check } from "../../src/api/check.ts";
import { lowerSource } from "../../src/compile.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { renderDiagnostics } from "../../src/diagnostics/render.ts";
import { interpret } from "../../src/ir/interpret/interpret.ts";
import { elementTypeOf, type Program } from "../../src/ir/program.ts";
import { generateTc, type TcCase } from "../differential/generate-tc.ts";

const examples = readdirSync("examples").filter((name) => name.endsWith(".tc"));

test.each(examples)("examples/%s has nothing to warn of", (name) => {
  const source = readFileSync(`examples/${name}`, "utf8");
  const { diagnostics } = check(source);
  expect(renderDiagnostics(diagnostics, { source, format: "short" })).toBe("");
});

/** The names in a text. */
function namesIn(text: string): ReadonlySet<string> {
  return new Set(text.replace(/#.*/g, "").match(/[A-Za-z_]\w*/g) ?? []);
}

/** The text from the statement's `where` on, which may say what names of the term stand for. */
function clausesAfter(source: string, end: number): string {
  return /^[^=]*?\bwhere\b[\s\S]*/.exec(source.slice(end))?.[0] ?? "";
}

/** Whether the term in the text has an index that the warning says it has not. */
function mentionsIndex(source: string, d: Diagnostic): boolean {
  const term = source.slice(d.span.start, d.span.end);
  const indices = [...d.message.matchAll(/`(\w+)`/g)].map((m) => m[1] ?? "").slice(-1);
  const names = namesIn(term);
  // Names that a `where` defines hide what they are made of.
  const hidden = [...names].some((n) =>
    new RegExp(`\\b${n}\\s*=`).test(clausesAfter(source, d.span.end)),
  );
  return !hidden && indices.some((index) => names.has(index));
}

/** The elements of a result that keep what they are given, if the caller gives it. */
function untouched(program: Program, name: string): number {
  const mark = 12345;
  const tensors = program.tensors.map((t) =>
    t.name === name ? { ...t, role: "inout" as const } : t,
  );
  const inputs = Object.fromEntries(
    tensors
      .filter((t) => t.role === "input" || t.role === "inout")
      .map((t) => {
        const size = t.shape.reduce((product, extent) => product * extent, 1);
        return [t.name, new Float32Array(size).fill(t.name === name ? mark : 1)];
      }),
  );
  const { tensors: results } = interpret({ ...program, tensors }, inputs);
  return [...(results.get(name)?.data ?? [])].filter((x) => x === mark).length;
}

/** Why a warning is not so; undefined if it is. */
function refutation({ source, sizes }: TcCase, d: Diagnostic): string | undefined {
  const [, name = ""] = /`(\w+)`/.exec(d.message) ?? [];
  if (d.code === "TC4010") return mentionsIndex(source, d) ? "the term has the index" : undefined;
  if (d.code === "TC2019") {
    const rest = `${source.slice(0, d.span.start)} ${source.slice(d.span.end)}`;
    // What follows `<=>` is not part of the program.
    return namesIn(rest.replace(/<=>.*/g, "")).has(name) && source.split(/\bdef\b/).length === 2
      ? "it is used"
      : undefined;
  }
  if (d.code !== "TC3010") return undefined;
  const lowered = lowerSource(source, { sizes });
  const result = lowered.ok ? lowered.program.tensors.find((t) => t.name === name) : undefined;
  // The mark must be a value of the tensor's type, and one that nothing computes.
  const holds = result !== undefined && /^u?int32$|^float32$/.test(elementTypeOf(result));
  if (!lowered.ok || !holds) return undefined;
  return untouched(lowered.program, name) === 0 ? "all is written" : undefined;
}

test("what random programs are warned of is so", () => {
  const wrong: string[] = [];
  const seen = new Map<string, number>();
  for (let seed = 0; seed < 250; seed++) {
    const tcCase = generateTc(seed);
    const { diagnostics } = lowerSource(tcCase.source, { sizes: tcCase.sizes });
    for (const d of diagnostics.filter((one) => one.severity === "warning")) {
      seen.set(d.code, (seen.get(d.code) ?? 0) + 1);
      const why = refutation(tcCase, d);
      if (why !== undefined) wrong.push(`seed ${seed}: ${d.message}: ${why}\n${tcCase.source}`);
    }
  }
  expect(wrong).toEqual([]);
  for (const code of ["TC2019", "TC3010", "TC4010"])
    expect([code, seen.has(code)]).toEqual([code, true]);
});
