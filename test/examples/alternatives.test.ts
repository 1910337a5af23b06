import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { outline } from "../../src/api/outline.ts";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import { compile } from "../../src/compile.ts";
import { renderDiagnostics } from "../../src/diagnostics/render.ts";
import { drawInputs } from "./draw-inputs.ts";
import { references } from "./references/all-references.ts";

const folder = new URL("../../examples/", import.meta.url);

const sources = new Map(
  readdirSync(folder).flatMap((file) =>
    file.endsWith(".tc")
      ? [[file.slice(0, -3), readFileSync(new URL(file, folder), "utf8")] as const]
      : [],
  ),
);

const alternatives = [...sources].flatMap(([name, source]) =>
  outline(source).definitions.flatMap((d) =>
    d.alternativeOf === null ? [] : [{ name, source, def: d.name, of: d.alternativeOf }],
  ),
);

test("convolutions have alternatives, of which Winograd's are approximate", () => {
  expect(alternatives.map(({ def, of }) => [def, of.name, of.approximate])).toEqual([
    ["conv2d_im2col", "conv2d", false],
    ["conv3x3_im2col", "conv3x3", false],
    ["conv3x3_winograd_rows", "conv3x3", true],
    ["conv3x3_winograd", "conv3x3", true],
    ["conv3x3_nhwc_im2row", "conv3x3_nhwc", false],
  ]);
});

const runs = alternatives.flatMap((one) =>
  references[one.name].sizes.map((sizes) => ({ ...one, sizes, text: JSON.stringify(sizes) })),
);

test.each(runs)("$def computes what $name does, $text", ({ name, source, def, sizes }) => {
  const compiled = compile(source, { def, sizes });
  if (!compiled.ok) throw new Error(renderDiagnostics(compiled.diagnostics, { source }));
  const inputs = drawInputs(references[name], sizes, () => "float32");
  const { outputs, faults } = interpretPlan(compiled.plan, inputs);
  expect(faults).toEqual([]);
  const { out } = references[name].results(sizes, inputs);
  expect(outputs["out"].length).toBe(out.length);
  for (let n = 0; n < out.length; n++) expect(outputs["out"][n]).toBeCloseTo(out[n], 4);
});

test("a file is about what its alternatives stand for, unless another one is asked for", () => {
  const source = sources.get("conv3x3") ?? "";
  const plans = [compile(source), compile(source, { def: "conv3x3_winograd" })];
  expect(plans.map((c) => (c.ok ? c.plan.name : null))).toEqual(["conv3x3", "conv3x3_winograd"]);
});
