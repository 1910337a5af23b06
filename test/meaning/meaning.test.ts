import { expect, test } from "vitest";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import { compile } from "../../src/compile.ts";
import { renderDiagnostics } from "../../src/diagnostics/render.ts";
import { interpret } from "../../src/ir/interpret/interpret.ts";
import { elementTypeOf, type Program } from "../../src/ir/program.ts";
import { allocate, type TensorData } from "../../src/support/scalar-type.ts";
import { evaluateSource } from "../support/evaluate-source.ts";
import { accesses } from "./accesses.ts";
import { calls } from "./calls.ts";
import { elements } from "./elements.ts";
import { existing } from "./existing.ts";
import { functions } from "./functions.ts";
import { loopsAndRanges } from "./loops-and-ranges.ts";
import { namesAndLiterals } from "./names-and-literals.ts";
import { narrowTypes } from "./narrow-types.ts";
import { flat, type Snippet, shapeOf, sourceOf } from "./snippet.ts";

const snippets = [
  ...loopsAndRanges,
  ...elements,
  ...accesses,
  ...existing,
  ...functions,
  ...calls,
  ...namesAndLiterals,
  ...narrowTypes,
];

function inputsOf(program: Program, snippet: Snippet): Record<string, TensorData> {
  const supplied = program.tensors.filter((t) => t.role === "input" || t.role === "inout");
  return Object.fromEntries(
    supplied.map((t) => {
      const values = snippet.inputs?.[t.name] ?? [];
      const data = allocate(elementTypeOf(t), values.length);
      data.set(values);
      return [t.name, data];
    }),
  );
}

function numbersOf(data: ArrayLike<number> | undefined): readonly number[] {
  return Array.from(data ?? [], (x) => x + 0);
}

test.each(snippets.map((s) => [s.title, s] as const))("%s", (_title, snippet) => {
  const source = sourceOf(snippet);
  const { sizes = {} } = snippet;
  const compiled = compile(source, { sizes });
  if (!compiled.ok) throw new Error(renderDiagnostics(compiled.diagnostics, { source }));
  const inputs = inputsOf(compiled.program, snippet);
  const evaluated = evaluateSource(source, { sizes, inputs });
  const interpreted = interpret(compiled.program, inputs);
  const executed = interpretPlan(compiled.plan, inputs);
  expect(evaluated.faults).toEqual([]);
  expect(executed.faults).toEqual([]);
  for (const [name, nested] of Object.entries(snippet.expect)) {
    const tensor = compiled.program.tensors.find((t) => t.name === name);
    expect(tensor?.shape, `the shape of ${name}`).toEqual(shapeOf(nested));
    expect(evaluated.tensors.get(name)?.shape, `the evaluated shape of ${name}`).toEqual(
      shapeOf(nested),
    );
    const expected = flat(nested);
    expect(numbersOf(evaluated.tensors.get(name)?.data), `${name} evaluated`).toEqual(expected);
    expect(numbersOf(interpreted.tensors.get(name)?.data), `${name} interpreted`).toEqual(expected);
    expect(numbersOf(executed.outputs[name]), `${name} compiled`).toEqual(expected);
  }
});

test("no two snippets have one title", () => {
  expect(new Set(snippets.map((s) => s.title)).size).toBe(snippets.length);
});
