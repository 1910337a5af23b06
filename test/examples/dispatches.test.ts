import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import type { Step } from "../../src/codegen/plan.ts";
import { type CompileRequest, compile } from "../../src/compile.ts";

/** Families of GPUs differ from `gpu` in figures alone, which fusion hardly asks. */
const profiles = ["baseline", "gpu", "llvmpipe", "swiftshader"];

const folder = new URL("../../examples/", import.meta.url);

function count(steps: readonly Step[]): number {
  return steps.reduce((n, s) => {
    if (s.kind === "repeat") return n + s.extent * count(s.body);
    return n + (s.kind === "dispatch" ? 1 : 0);
  }, 0);
}

function dispatches(source: string, request: CompileRequest): number {
  const compiled = compile(source, request);
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
  return count(compiled.plan.steps);
}

it("the examples have these numbers of dispatches, never more than a kernel for each statement has", async () => {
  const cell = (x: number | string): string => String(x).padEnd(13);
  const rows = [`${"".padEnd(24)}${[...profiles, "apart"].map(cell).join("")}`.trimEnd()];
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith(".tc")) continue;
    const source = readFileSync(new URL(file, folder), "utf8");
    const options = "apart";
    const first = dispatches(source, { options });
    const counts = profiles.map((profile) => dispatches(source, { profile }));
    expect(Math.max(...counts), file).toBeLessThanOrEqual(first);
    rows.push(`${file.slice(0, -3).padEnd(24)}${[...counts, first].map(cell).join("")}`.trimEnd());
  }
  await expect(`${rows.join("\n")}\n`).toMatchFileSnapshot("../golden/dispatches.txt");
}, 900_000);
