import { expect, test } from "vitest";
import { seededRandom } from "../../src/support/random.ts";
import { generateTc } from "../differential/generate-tc.ts";
import { drawInputs } from "../differential/inputs.ts";
import { disagreements } from "./agreement.ts";
import { randomStatements } from "./random-statements.ts";
import { wholeNumbers } from "./whole-numbers.ts";

test("random definitions mean what the evaluator makes of them", () => {
  const count = 320;
  let refused = 0;
  for (let seed = 0; seed < count; seed++) {
    const { source, population, inputSeed, sizes: given } = generateTc(seed);
    const found = disagreements({
      source,
      sizes: given,
      inputs: (program) => drawInputs(program, population, inputSeed),
      tolerance: population === "integers" ? 0 : 1e-9,
    });
    if (found === "refused") refused++;
    else expect(found, `seed ${seed}\n${source}`).toEqual([]);
  }
  expect(refused).toBeLessThan(count / 10);
});

test("of random statements those that are taken mean what the evaluator makes of them", () => {
  const random = seededRandom(3);
  const count = 2000;
  let taken = 0;
  for (let seed = 0; seed < count; seed++) {
    const source = randomStatements(seed);
    const given = { N: random.integer(1, 8) };
    const found = disagreements({ source, sizes: given, inputs: wholeNumbers, tolerance: 1e-12 });
    if (found === "refused") continue;
    taken++;
    expect(found, `seed ${seed}, N=${given.N}\n${source}`).toEqual([]);
  }
  expect(taken).toBeGreaterThan(count / 20);
});
