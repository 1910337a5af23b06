import { expect, test } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import {
  type Affine,
  addConstant,
  constant,
  evaluate,
  lessThan,
  nonnegative,
  variable,
} from "../../../src/ir/affine.ts";
import { readRelations } from "../../../src/ir/dependences/access-relation.ts";
import type { Dim } from "../../../src/ir/domain.ts";
import { read } from "../../../src/ir/expression.ts";
import { fillsRead } from "../../../src/ir/legality/fills-read.ts";
import { printProgram } from "../../../src/ir/print-program.ts";
import { access, type Program } from "../../../src/ir/program.ts";
import { defined } from "../../../src/support/assert.ts";
import { seededRandom } from "../../../src/support/random.ts";
import { dim, program, statement, tensor } from "../../support/programs.ts";

/** A program of two statements of which the second reads what the first writes, and the answer. */
function answer(first: string, second: string): boolean {
  const source = `def f(float(8, 8) x) -> (y) {\n  ${first}\n  ${second}\n}`;
  const lowered = lowerSource(source, { sizes: {} });
  if (!lowered.ok)
    throw new Error(`${source}\n${lowered.diagnostics.map((d) => d.message).join()}`);
  return answerOf(lowered.program);
}

function answerOf(program: Program): boolean {
  const [writer, reader] = program.statements;
  const tensor = defined(writer, "writer").write.tensor;
  const reads = readRelations(program, defined(reader, "reader")).filter(
    (r) => r.tensor === tensor,
  );
  expect(reads.length).toBeGreaterThan(0);
  return reads.every((read) => fillsRead(program, defined(writer, "writer"), read));
}

const triangle = "t(i, j) = x(i, j) where i in 0:8, j in 0:i + 1";

test.each([
  ["the same triangle", triangle, "y(i) +=! t(i, j) where i in 0:8, j in 0:i + 1", true],
  ["a smaller triangle", triangle, "y(i) +=! t(i, j) where i in 0:8, j in 0:i", true],
  ["a larger triangle", triangle, "y(i) +=! t(i, j) where i in 0:7, j in 0:i + 2", false],
  ["the square around it", triangle, "y(i) +=! t(i, j) where i in 0:8, j in 0:8", false],
  ["it transposed", triangle, "y(i) +=! t(j, i) where i in 0:8, j in i:8", true],
  [
    "it transposed too far",
    triangle,
    "y(i) +=! t(j, i) where i in 0:8, j in max(i - 1, 0):8",
    false,
  ],
  ["a part of a row", "t(i) = x(i, 0) where i in 2:7", "y(i) = t(i + 2) where i in 0:5", true],
  [
    "sums, also those of nothing",
    "t(i, j) +=! x(k, j) where i in 0:8, j in 0:i + 1, k in 0:j",
    "y(i) +=! t(i, j) where i in 0:8, j in 0:i + 1",
    true,
  ],
  ["the diagonal alone", "t(i, i) = x(i, i) where i in 0:8", "y(i) = t(i, i) where i in 0:8", true],
  [
    "beside the diagonal",
    "t(i, i) = x(i, i) where i in 0:8",
    "y(i) = t(i, 0) where i in 0:8",
    false,
  ],
])("a read of %s", (_, first, second, expected) => {
  expect(answer(first, second)).toBe(expected);
});

/** `j` from one line over `i` to before another, within 8 by 8. */
interface Range {
  readonly from: Affine;
  readonly to: Affine;
}

function pointsOf({ from, to }: Range): readonly string[] {
  return Array.from({ length: 64 }, (_, p) => [Math.floor(p / 8), p % 8] as const)
    .filter(([n, m]) => m >= evaluate(from, () => n) && m < evaluate(to, () => n))
    .map(([n, m]) => `${n} ${m}`);
}

test("what is said to be filled is, element by element", () => {
  const random = seededRandom(9);
  let filled = 0;
  for (let n = 0; n < 300; n++) {
    const edge = (base: Affine): Affine =>
      addConstant(
        random.chance(0.6) ? base : variable("i", random.integer(-1, 3)),
        random.integer(-2, 3),
      );
    const [low, high] = [variable("i", random.integer(-1, 2)), variable("i", random.integer(0, 3))];
    const range = (): Range => ({ from: edge(low), to: edge(high) });
    const dimsOf = ({ from, to }: Range): readonly Dim[] => [dim("i", 0, 8), dim("j", from, to)];
    const guards = [nonnegative(variable("j")), lessThan(variable("j"), constant(8))];
    const [written, wanted] = [range(), range()];
    const [i, j] = [variable("i"), variable("j")];
    const p = program(
      "f",
      [
        tensor("x", "input", [8, 8]),
        tensor("t", "temporary", [8, 8]),
        tensor("y", "output", [8, 8]),
      ],
      [
        statement("t", {
          dims: dimsOf(written),
          guards,
          write: ["t", i, j],
          reads: [access("x", i, j)],
          body: read(0, "float32"),
        }),
        statement("y", {
          dims: dimsOf(wanted),
          guards,
          write: ["y", i, j],
          reads: [access("t", i, j)],
          body: read(0, "float32"),
        }),
      ],
    );
    const there = new Set(pointsOf(written));
    const claimed = answerOf(p);
    expect(claimed && !pointsOf(wanted).every((at) => there.has(at)), printProgram(p)).toBe(false);
    if (claimed && pointsOf(wanted).length > 0) filled += 1;
  }
  expect(filled).toBeGreaterThan(30);
});
