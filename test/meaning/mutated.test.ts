import { expect, test } from "vitest";
import { lowerSource } from "../../src/compile.ts";
import { verifyProgram } from "../../src/ir/verify-program/verify-program.ts";
import { type Random, seededRandom } from "../../src/support/random.ts";
import { accesses } from "./accesses.ts";
import { disagreements } from "./agreement.ts";
import { calls } from "./calls.ts";
import { elements } from "./elements.ts";
import { existing } from "./existing.ts";
import { loopsAndRanges } from "./loops-and-ranges.ts";
import { namesAndLiterals } from "./names-and-literals.ts";
import { sourceOf } from "./snippet.ts";
import { wholeNumbers } from "./whole-numbers.ts";

const snippets = [
  ...accesses,
  ...calls,
  ...calls,
  ...elements,
  ...existing,
  ...loopsAndRanges,
  ...namesAndLiterals,
];

const words =
  "i j t N 0 1 2 2.5 ( ) , : ? = += +=! max=! + - * / % < x y a b t for if else where in pad exists f x(t) a(i) 0:N int float".split(
    " ",
  );

function mutate(source: string, random: Random): string {
  const tokens = source.match(/#.*|[A-Za-z_]\w*|[\d.]+|\s+|[^\s\w]/g) ?? [];
  const edits = random.integer(1, 4);
  for (let n = 0; n < edits; n++) {
    const at = random.integer(0, tokens.length);
    const [here = "", next = ""] = tokens.slice(at, at + 2);
    const other = tokens[random.integer(0, tokens.length)] ?? "";
    const word = ` ${random.pick(words)} `;
    const changes = [[word], [word, here], [other], [], [next, here]] as const;
    const change = random.pick(changes);
    tokens.splice(at, change === changes[4] ? 2 : 1, ...change);
  }
  return tokens.join("");
}

test("of definitions with small changes those that are taken mean what the evaluator makes of them", () => {
  const random = seededRandom(11);
  let taken = 0;
  for (let n = 0; n < 2000; n++) {
    const snippet = random.pick(snippets);
    const source = mutate(sourceOf(snippet), random);
    const sizes = snippet.sizes ?? {};
    const lowered = lowerSource(source, { sizes, def: "f" });
    if (!lowered.ok) continue;
    taken++;
    expect(verifyProgram(lowered.program), source).toEqual([]);
    const found = disagreements({
      source,
      definition: "f",
      sizes,
      inputs: wholeNumbers,
      tolerance: 1e-6,
    });
    expect(found, source).toEqual([]);
  }
  expect(taken).toBeGreaterThan(120);
});
