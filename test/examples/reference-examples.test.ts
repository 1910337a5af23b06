import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import { compile } from "../../src/compile.ts";
import { renderDiagnostics } from "../../src/diagnostics/render.ts";
import { defined } from "../../src/support/assert.ts";
import { drawInputs } from "./draw-inputs.ts";
import { references } from "./references/all-references.ts";

const folder = new URL("../../examples/", import.meta.url);

const names = readdirSync(folder).flatMap((file) =>
  file.endsWith(".tc") ? [file.slice(0, -3)] : [],
);

/** The greatest difference, relative to 1 and to the reference. */
function distance(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  let most = 0;
  for (let n = 0; n < expected.length; n++) {
    const far = Math.abs(actual[n] - expected[n]) / Math.max(1, Math.abs(expected[n]));
    // A NaN is infinitely far.
    most = Math.max(most, Number.isNaN(far) ? Number.POSITIVE_INFINITY : far);
  }
  return most;
}

test("every example has a reference", () => {
  expect(names).toEqual(Object.keys(references).sort());
});

test("the references know nothing of the compiler", () => {
  const place = new URL("references/", import.meta.url);
  for (const file of readdirSync(place)) {
    const text = readFileSync(new URL(file, place), "utf8");
    const imported = [...text.matchAll(/\bfrom "([^"]*)"/g)].map(([, path = ""]) => path);
    for (const path of imported)
      expect([file, path]).toEqual([file, expect.stringMatching(/^\.\/[\w-]+\.ts$/)]);
  }
});

const runs = Object.entries(references).flatMap(([name, reference]) =>
  ["baseline", "swiftshader"].flatMap((profile) =>
    reference.sizes.map((sizes) => ({ name, profile, sizes, text: JSON.stringify(sizes) })),
  ),
);

test.each(runs)(
  "$name computes what plain loops do, $profile $text",
  ({ name, profile, sizes }) => {
    const source = readFileSync(new URL(`${name}.tc`, folder), "utf8");
    const compiled = compile(source, { sizes, profile });
    if (!compiled.ok) throw new Error(renderDiagnostics(compiled.diagnostics, { source }));
    const { buffers } = compiled.plan;
    const typeOf = (input: string) =>
      defined(
        buffers.find((b) => b.name === input),
        input,
      ).type;
    const inputs = drawInputs(references[name], sizes, typeOf);
    const expected = references[name].results(sizes, inputs);
    const { outputs, faults } = interpretPlan(compiled.plan, inputs);
    expect(faults).toEqual([]);
    expect(Object.keys(outputs).sort()).toEqual(Object.keys(expected).sort());
    for (const [tensor, values] of Object.entries(expected)) {
      expect(outputs[tensor].length).toBe(values.length);
      expect(distance(outputs[tensor], values)).toBeLessThan(references[name].tolerance ?? 1e-4);
    }
  },
);
