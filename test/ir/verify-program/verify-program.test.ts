import { describe, expect, it } from "vitest";
import { addConstant, nonnegative } from "../../../src/ir/affine.ts";
import { literal, read } from "../../../src/ir/expression.ts";
import { access, type Program, type Statement, type Tensor } from "../../../src/ir/program.ts";
import { verifyProgram } from "../../../src/ir/verify-program/verify-program.ts";
import {
  argmin,
  call,
  cumulativeSum,
  dim,
  everySecond,
  f32,
  factoredArgmax,
  factoredSum,
  leaf,
  loop,
  lu,
  matmul,
  number,
  op,
  opaque,
  paddedStencil,
  program,
  reverse,
  scatterAdd,
  softmax,
  statement,
  sum,
  tensor,
  v,
} from "../../support/programs.ts";

const sound: readonly Program[] = [
  matmul(4, 3, 5),
  softmax(3, 5),
  reverse(7),
  lu(6),
  cumulativeSum(8),
  argmin(5),
  scatterAdd(6, 2, 3),
  paddedStencil(6, 1),
  everySecond(7),
  everySecond(8),
  factoredSum(2, 3, 4),
  factoredArgmax(2, 3, 4),
];

it.each(sound.map((p) => [p.name, p] as const))("finds no fault in %s", (_name, p) => {
  expect(verifyProgram(p)).toEqual([]);
});

function withStatement(p: Program, change: (s: Statement) => Partial<Statement>): Program {
  const [first, ...rest] = p.statements;
  if (first === undefined) throw new Error("no statement");
  return { ...p, statements: [{ ...first, ...change(first) }, ...rest] };
}

function withTensor(p: Program, name: string, change: Partial<Tensor>): Program {
  return { ...p, tensors: p.tensors.map((t) => (t.name === name ? { ...t, ...change } : t)) };
}

const mm = matmul(4, 3, 5);
const cumulative = cumulativeSum(8);

const broken: readonly (readonly [string, Program, string])[] = [
  [
    "two tensors of one name",
    { ...mm, tensors: [...mm.tensors, tensor("A", "input", [1])] },
    "two tensors are named A",
  ],
  [
    "several components outside temporaries",
    withTensor(factoredArgmax(2, 3, 4), "P", { role: "output" }),
    "tensor P has several components and is no temporary",
  ],
  ["a statement that is not in the tree", { ...mm, tree: [] }, "statement c is never executed"],
  [
    "a statement that stands there twice",
    { ...mm, tree: [leaf("c"), leaf("c")] },
    "statement c stands in the program twice",
  ],
  [
    "a tree that names no statement",
    { ...mm, tree: [leaf("c"), leaf("d")] },
    "there is no statement d",
  ],
  [
    "loops of one name",
    { ...cumulative, tree: [...cumulative.tree, loop("t", 0, 2)] },
    "two loops are named t",
  ],
  [
    "a loop that its statements do not know",
    { ...cumulative, tree: [loop("u", 0, 2, ...cumulative.tree)] },
    "statement s: is inside loops <u, t>, not <t>",
  ],
  [
    "a loop whose bounds differ from its dim's",
    { ...cumulative, tree: [loop("t", 0, 7, leaf("s"))] },
    "statement s: the bounds of t are not those of the loop",
  ],
  [
    "loop bounds over unknown names",
    { ...cumulative, tree: [loop("t", v("n"), 8, leaf("s"))] },
    "the bounds of loop t use n",
  ],
  [
    "a bound that uses a later dim",
    withStatement(mm, (s) => ({
      domain: { ...s.domain, dims: [dim("i", 0, v("j")), ...s.domain.dims.slice(1)] },
    })),
    "statement c: the upper bound of i: j uses j",
  ],
  [
    "a quotient by 0",
    withStatement(mm, (s) => ({
      domain: { ...s.domain, quotients: [{ name: "q", numerator: v("i"), divisor: 0 }] },
    })),
    "statement c: q divides by 0",
  ],
  [
    "a guard over unknown names",
    withStatement(mm, (s) => ({ domain: { ...s.domain, guards: [nonnegative(v("x"))] } })),
    "statement c: the guard: x uses x",
  ],
  ["writes to inputs", withTensor(mm, "C", { role: "input" }), "statement c: writes the input C"],
  [
    "writes to no tensor",
    withStatement(mm, (s) => ({ write: { ...s.write, tensor: "D" } })),
    "statement c: the write: there is no tensor D",
  ],
  [
    "the wrong rank",
    withStatement(mm, (s) => ({ reads: [access("A", v("i")), ...s.reads.slice(1)] })),
    "statement c: read 0: A has rank 2, not 1",
  ],
  [
    "the wrong type of a read",
    withTensor(mm, "A", { components: ["int32"] }),
    "statement c: read 0 is int32, not float32",
  ],
  [
    "operands of two types",
    withStatement(mm, () => ({ body: [op("*", f32(0), literal(1, "int32"))] })),
    "statement c: (read0 * 1) mixes float32 and int32",
  ],
  [
    "operators that a type lacks",
    withStatement(mm, () => ({ body: [op("floorDiv", f32(0), f32(1))] })),
    "statement c: (read0 floorDiv read1): no floorDiv on float32",
  ],
  [
    "functions that are not there",
    withStatement(mm, () => ({ body: [call("toString", f32(0))] })),
    "statement c: there is no function toString",
  ],
  [
    "functions of the wrong arguments",
    withStatement(mm, () => ({ body: [call("clamp", f32(0), f32(1))] })),
    "statement c: clamp takes 3 arguments, not 2",
  ],
  [
    "a body of the wrong width",
    withStatement(mm, () => ({ body: [f32(0), f32(1)] })),
    "statement c: the body is <float32, float32>, not <float32>",
  ],
  [
    "what does not fit its tensor",
    withTensor(mm, "C", { components: ["int32"] }),
    "statement c: stores <float32> in C, which is <int32>",
  ],
  [
    "an integer index of another type",
    withStatement(scatterAdd(6, 2, 3), (s) => ({
      write: { ...s.write, index: [opaque(number(1)), ...s.write.index.slice(1)] },
    })),
    "statement g: the write: the index is float32",
  ],
  [
    "reduced dims that are not there",
    withStatement(mm, (s) => ({
      reduction: s.reduction === null ? null : { ...s.reduction, dims: ["z"] },
    })),
    "statement c: z is reduced but no dim below the loops",
  ],
  [
    "an init that depends on a reduced dim",
    withStatement(mm, (s) => ({
      reduction: s.reduction === null ? null : { ...s.reduction, init: [f32(0)] },
    })),
    "statement c: the init depends on k, which is reduced",
  ],
  [
    "literals out of range",
    withStatement(argmin(3), (s) => ({ body: [...s.body.slice(0, 2), literal(2, "bool")] })),
    "statement a: 2 is no bool",
  ],
  [
    "states outside monoids",
    withStatement(mm, () => ({
      body: [{ kind: "state", side: "left", component: 0, type: "float32" }],
    })),
    "statement c: state left.0 is not there",
  ],
];

describe("names", () => {
  it.each(broken)("%s", (_name, p, fault) => {
    expect(verifyProgram(p)).toContain(fault);
  });
});

describe("accesses that may leave their tensors", () => {
  it("are named with dimension and extent", () => {
    expect(verifyProgram(withTensor(mm, "A", { shape: [4, 4] }))).toEqual([
      "statement c: read 0 at k may leave dimension 1 of A, 0..4",
    ]);
    expect(verifyProgram(withTensor(mm, "C", { shape: [4, 2] }))).toEqual([
      "statement c: the write at j may leave dimension 1 of C, 0..2",
    ]);
  });

  it("need the guards that protect them", () => {
    const bare = withStatement(paddedStencil(6, 1), (s) => ({
      reads: s.reads.map((r) => ({ ...r, guard: [] })),
    }));
    expect(verifyProgram(bare)).toEqual([
      "statement y: read 0 at i + j - 1 may leave dimension 0 of x, 0..6",
    ]);
  });

  it("are proved with triangles, quotients and guards of the domain", () => {
    const triangle = (extent: number): Program =>
      program(
        "triangle",
        [tensor("x", "input", [extent]), tensor("y", "output", [5])],
        [
          statement("s", {
            dims: [dim("i", 0, 5), dim("k", 0, addConstant(v("i"), 1))],
            write: ["y", v("i")],
            reads: [access("x", v("i"))],
            guards: [nonnegative(addConstant(v("i", -1), 3))],
            monoid: sum,
            over: ["k"],
            body: f32(0),
          }),
        ],
      );
    expect(verifyProgram(triangle(4))).toEqual([]);
    expect(verifyProgram(triangle(3))).toHaveLength(1);
    expect(verifyProgram(withTensor(everySecond(7), "x", { shape: [3] }))).toHaveLength(1);
  });

  it("do not count where the index is opaque or a scatter drops it", () => {
    const scatter = scatterAdd(6, 2, 3);
    expect(verifyProgram(withTensor(scatter, "G", { shape: [3, 1] }))).toEqual([]);
    const gather = program(
      "gather",
      [tensor("I", "input", [4], "int32"), tensor("x", "input", [3]), tensor("y", "output", [4])],
      [
        statement("g", {
          dims: [dim("i", 0, 4)],
          write: ["y", v("i")],
          reads: [
            access("I", v("i")),
            { tensor: "x", index: [opaque(read(0, "int32"))], guard: [], fill: 0 },
          ],
          body: f32(1),
        }),
      ],
    );
    expect(verifyProgram(gather)).toEqual([]);
    expect(verifyProgram(withTensor(gather, "I", { shape: [3] }))).toHaveLength(1);
  });
});
