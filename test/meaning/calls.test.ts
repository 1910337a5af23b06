import { expect, test } from "vitest";
import { seededRandom } from "../../src/support/random.ts";
import { generateTc } from "../differential/generate-tc.ts";
import { drawInputs } from "../differential/inputs.ts";
import { disagreements } from "./agreement.ts";
import { called } from "./called.ts";
import { randomStatements } from "./random-statements.ts";
import { wholeNumbers } from "./whole-numbers.ts";

test.each(["once", "stacked"] as const)(
  "random definitions mean the same behind a call: %s",
  (calling) => {
    let taken = 0;
    for (let seed = 0; seed < 70; seed++) {
      const { source, population, inputSeed, sizes } = generateTc(seed);
      const text = called(source, sizes, calling);
      if (text === undefined) continue;
      const found = disagreements({
        source: text,
        sizes,
        inputs: (program) => drawInputs(program, population, inputSeed),
        tolerance: population === "integers" ? 0 : 1e-9,
      });
      taken++;
      expect(found, `seed ${seed}\n${text}`).toEqual([]);
    }
    expect(taken).toBeGreaterThan(60);
  },
);

test.each(["once", "stacked"] as const)(
  "random statements mean the same behind a call: %s",
  (calling) => {
    const random = seededRandom(5);
    let taken = 0;
    for (let seed = 10_000; seed < 10_500; seed++) {
      const sizes = { N: random.integer(1, 8) };
      const text = called(randomStatements(seed), sizes, calling);
      if (text === undefined) continue;
      const found = disagreements({ source: text, sizes, inputs: wholeNumbers, tolerance: 1e-12 });
      taken++;
      expect(found, `seed ${seed}, N=${sizes.N}\n${text}`).toEqual([]);
    }
    expect(taken).toBeGreaterThan(25);
  },
);
