import { describe, expect, it } from "vitest";
import { interpret } from "../../../src/ir/interpret/interpret.ts";
import {
  type Box,
  countPoints,
  restrictOutputs,
  wholeBox,
} from "../../../src/ir/interpret/restrict-outputs.ts";
import type { Program } from "../../../src/ir/program.ts";
import { type Random, seededRandom } from "../../../src/support/random.ts";
import { rowMajorStrides } from "../../../src/support/scalar-type.ts";
import { randomInputs, randomProgram } from "../support/random-program.ts";

function randomBox(random: Random, program: Program, tensor: string): Box {
  return wholeBox(program, tensor).map(({ hi }) => {
    const lo = random.integer(0, hi + 1);
    return { lo, hi: random.integer(lo, hi + 1) };
  });
}

/** The elements of a box, in row-major order. */
function elements(data: ArrayLike<number>, shape: readonly number[], box: Box): readonly number[] {
  const strides = rowMajorStrides(shape);
  return box
    .reduce<readonly number[]>(
      (places, { lo, hi }, d) =>
        places.flatMap((place) =>
          Array.from({ length: hi - lo + 1 }, (_, i) => place + (lo + i) * (strides[d] ?? 1)),
        ),
      [0],
    )
    .map((place) => data[place] ?? Number.NaN);
}

describe("a program restricted to a box of an output", () => {
  it("computes the same elements there, of random programs", () => {
    const random = seededRandom(7);
    let fewer = 0;
    for (let seed = 0; seed < 300; seed++) {
      const program = randomProgram(seed);
      const results = program.tensors.filter((t) => t.role === "output" || t.role === "inout");
      const { name, shape } = random.pick(results);
      const box = randomBox(random, program, name);
      const restricted = restrictOutputs(program, new Map([[name, box]]));
      if (countPoints(restricted) < countPoints(program)) fewer += 1;
      const inputs = randomInputs(program, seed);
      const [all, part] = [interpret(program, inputs), interpret(restricted, inputs)];
      const read = (from: typeof all): readonly number[] =>
        elements(from.tensors.get(name)?.data ?? [], shape, box);
      expect(read(part), `seed ${seed}, ${name}`).toEqual(read(all));
    }
    expect(fewer).toBeGreaterThan(150);
  });
});
