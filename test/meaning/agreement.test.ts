import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { seededRandom } from "../../src/support/random.ts";
import { allocate, elementCount } from "../../src/support/scalar-type.ts";
import { generateTc } from "../differential/generate-tc.ts";
import { drawInputs } from "../differential/inputs.ts";
import { type Case, disagreements } from "./agreement.ts";
import { randomStatements } from "./random-statements.ts";

const folder = new URL("../../examples/", import.meta.url);

/** Sizes for each example: ones, small primes, something in between. */
const sizes: Readonly<Record<string, readonly Readonly<Record<string, number>>[]>> = {
  argmax: [
    { N: 1, D: 1 },
    { N: 7, D: 13 },
  ],
  attention: [
    { H: 1, Q: 1, K: 1, D: 1, E: 1 },
    { H: 2, Q: 3, K: 5, D: 7, E: 4 },
  ],
  conv2d: [
    { N: 1, C: 1, H: 1, W: 1, O: 1, KH: 1, KW: 1, S: 1, P: 0 },
    { N: 2, C: 3, H: 7, W: 11, O: 2, KH: 3, KW: 5, S: 2, P: 1 },
    { N: 1, C: 2, H: 5, W: 4, O: 3, KH: 2, KW: 3, S: 3, P: 2 },
  ],
  cumsum: [
    { N: 1, L: 1 },
    { N: 3, L: 17 },
  ],
  elman: [
    { T: 1, B: 1, Ci: 1, Co: 1 },
    { T: 5, B: 3, Ci: 7, Co: 2 },
  ],
  layernorm: [
    { N: 1, D: 1 },
    { N: 5, D: 11 },
  ],
  lu: [{ N: 1 }, { N: 2 }, { N: 7 }],
  matmul: [
    { M: 1, N: 1, K: 1 },
    { M: 7, N: 5, K: 11 },
  ],
  scatter_add: [
    { V: 1, B: 1, D: 1 },
    { V: 7, B: 13, D: 3 },
  ],
  softmax: [
    { N: 1, D: 1 },
    { N: 5, D: 13 },
  ],
};

/** Small whole numbers, so that sums and products are exact. */
const wholeNumbers: Case["inputs"] = (program) => {
  const random = seededRandom(1);
  const supplied = program.tensors.filter((t) => t.role === "input" || t.role === "inout");
  return Object.fromEntries(
    supplied.map((t) => {
      const data = allocate(t.components[0] ?? "float32", elementCount(t.shape));
      for (let n = 0; n < data.length; n++) data[n] = random.integer(-2, 6);
      return [t.name, data];
    }),
  );
};

const names = readdirSync(folder).flatMap((file) =>
  file.endsWith(".tc") ? [file.slice(0, -3)] : [],
);

/** Examples with divisions or functions: equal up to the order of sums. */
const rounds = new Set(["attention", "layernorm", "lu", "softmax"]);

test.each(names)("%s means what the evaluator makes of it, at all sizes", (name) => {
  const source = readFileSync(new URL(`${name}.tc`, folder), "utf8");
  const tolerance = rounds.has(name) ? 1e-12 : 0;
  const some = sizes[name] ?? [];
  expect(some.length).toBeGreaterThan(0);
  for (const given of [{}, ...some]) {
    expect(disagreements({ source, sizes: given, inputs: wholeNumbers, tolerance })).toEqual([]);
  }
});

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
