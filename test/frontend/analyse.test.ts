import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hasErrors } from "../../src/diagnostics/diagnostic.ts";
import { renderDiagnostics } from "../../src/diagnostics/render.ts";
import { analyse } from "../../src/frontend/analyse.ts";
import { printChecked } from "./print-checked.ts";

const examples = readdirSync("examples")
  .filter((name) => name.endsWith(".tc"))
  .map((name) => [name, readFileSync(`examples/${name}`, "utf8")] as const);

test.each(examples)("%s is right without a warning", (_, source) => {
  const { checked, diagnostics } = analyse(source);
  expect(renderDiagnostics(diagnostics, { source })).toBe("");
  expect(checked).toBeDefined();
});

test.each(examples)("%s has values for all its inputs", (_, source) => {
  const { checked, module } = analyse(source);
  const given = module.directives.flatMap((d) => (d.kind === "input" ? [d.tensor.name] : []));
  const needed = checked?.tensors.filter((t) => t.role === "input" || t.role === "inout");
  expect(given.sort()).toEqual(needed?.map((t) => t.name).sort());
});

const words =
  "i j k t N 0 1 2 2.5 ( ) { } , : ? = += +=! max=! argmax=! + - * / % < == && ! a.0".split(" ");
const more = "x y for if else where in pad min reversed float int def T A A(i) x(t) 0:N N.1".split(
  " ",
);

interface Edit {
  readonly at: number;
  readonly kind: "drop" | "replace" | "insert" | "swap";
  readonly word: string;
}

function mutate(source: string, edits: readonly Edit[]): string {
  const tokens = source.match(/#.*|[A-Za-z_]\w*|[\d.]+|\s+|[^\s\w]/g) ?? [];
  for (const { at, kind, word } of edits) {
    const place = at % tokens.length;
    if (kind === "drop") tokens.splice(place, 1);
    else if (kind === "replace") tokens.splice(place, 1, ` ${word} `);
    else if (kind === "insert") tokens.splice(place, 0, ` ${word} `);
    else tokens.splice(place, 2, tokens[place + 1] ?? "", tokens[place] ?? "");
  }
  return tokens.join("");
}

test("programs with small mistakes never make it throw, and are right or refused", () => {
  const edit = fc.record({
    at: fc.nat(1000),
    kind: fc.constantFrom("drop", "replace", "insert", "swap"),
    word: fc.constantFrom(...words, ...more),
  });
  let right = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...examples),
      fc.array(edit, { minLength: 1, maxLength: 3 }),
      ([, text], edits) => {
        const source = mutate(text, edits);
        const { checked, diagnostics } = analyse(source);
        expect(checked === undefined).toBe(hasErrors(diagnostics));
        if (checked !== undefined) {
          right++;
          expect(printChecked(checked)).not.toMatch(/NaN|undefined/);
        }
        renderDiagnostics(diagnostics, { source });
      },
    ),
    { seed: 7, numRuns: 1500 },
  );
  expect(right).toBeGreaterThan(100);
});
