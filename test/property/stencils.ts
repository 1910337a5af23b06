/** Small exact programs whose dependences point in all directions: stencils and recurrences. */
import {
  type Affine,
  add,
  addConstant,
  constant,
  lessThan,
  nonnegative,
  scale,
} from "../../src/ir/affine.ts";
import type { Expression } from "../../src/ir/expression.ts";
import { type Access, access, type Program } from "../../src/ir/program.ts";
import {
  argmin,
  cumulativeSum,
  dim,
  everySecond,
  f32,
  factoredArgmax,
  factoredSum,
  leaf,
  loop,
  op,
  paddedStencil,
  program,
  reverse,
  scatterAdd,
  statement,
  sum,
  tensor,
  v,
} from "../support/programs.ts";

const [i, j, k, t] = [v("i"), v("j"), v("k"), v("t")];

function shifted(a: Affine, by: number): Affine {
  return addConstant(a, by);
}

/** A read that gives 0 outside of `0..n`. */
function padded(name: string, extents: readonly number[], ...index: readonly Affine[]): Access {
  const guard = index.flatMap((a, d) => [nonnegative(a), lessThan(a, constant(extents[d] ?? 0))]);
  return { ...access(name, ...index), guard };
}

function total(reads: number): Expression {
  let e = f32(0);
  for (let n = 1; n < reads; n++) e = op("+", e, f32(n));
  return e;
}

/** `x(i) = x(i) + x(i + by)` in place, by several steps, or once. */
function shift(n: number, by: number, steps: number): Program {
  const reads = [access("x", i), padded("x", [n], shifted(i, by))];
  const points = [dim("i", 0, n)];
  const write = ["x", i] as const;
  const body = total(2);
  const tensors = [tensor("x", "inout", [n])];
  if (steps === 1)
    return program("shift", tensors, [statement("s", { dims: points, write, reads, body })]);
  const s = statement("s", {
    dims: [dim("t", 0, steps), ...points],
    loops: ["t"],
    write,
    reads,
    body,
  });
  return program("shift", tensors, [s], [loop("t", 0, steps, leaf("s"))]);
}

/** Gauss and Seidel: `for i: x(i) = x(i - 1) + x(i + 1)`. */
function relaxation(n: number): Program {
  const reads = [padded("x", [n], shifted(i, -1)), padded("x", [n], shifted(i, 1))];
  const s = statement("s", {
    dims: [dim("i", 0, n)],
    loops: ["i"],
    write: ["x", i],
    reads,
    body: total(2),
  });
  return program("relaxation", [tensor("x", "inout", [n])], [s], [loop("i", 0, n, leaf("s"))]);
}

/** `for i: x(i, j) = x(i - 1, j + by) + w(i, j)` over rows of a table. */
function rows(n: number, m: number, by: number): Program {
  const reads = [padded("x", [n, m], shifted(i, -1), shifted(j, by)), access("w", i, j)];
  const s = statement("s", {
    dims: [dim("i", 0, n), dim("j", 0, m)],
    loops: ["i"],
    write: ["x", i, j],
    reads,
    body: total(2),
  });
  const tensors = [tensor("w", "input", [n, m]), tensor("x", "output", [n, m])];
  return program("rows", tensors, [s], [loop("i", 0, n, leaf("s"))]);
}

/** `for i, for j: x(i, j) = x(i - 1, j) + x(i, j - 1) + w(i, j)`. */
function wavefront(n: number, m: number): Program {
  const extents = [n, m];
  const reads = [
    padded("x", extents, shifted(i, -1), j),
    padded("x", extents, i, shifted(j, -1)),
    access("w", i, j),
  ];
  const s = statement("s", {
    dims: [dim("i", 0, n), dim("j", 0, m)],
    loops: ["i", "j"],
    write: ["x", i, j],
    reads,
    body: total(3),
  });
  const tensors = [tensor("w", "input", extents), tensor("x", "output", extents)];
  return program("wavefront", tensors, [s], [loop("i", 0, n, loop("j", 0, m, leaf("s")))]);
}

/** Jacobi: a temporary gets the neighbours' sum, then the state gets the temporary. */
function jacobi(n: number, steps: number, by: number): Program {
  const points = [dim("t", 0, steps), dim("i", 0, n)];
  const next = statement("next", {
    dims: points,
    loops: ["t"],
    write: ["y", i],
    reads: [padded("x", [n], shifted(i, -by)), padded("x", [n], shifted(i, by))],
    body: total(2),
  });
  const copy = statement("copy", {
    dims: points,
    loops: ["t"],
    write: ["x", i],
    reads: [access("y", i)],
    body: f32(0),
  });
  const tensors = [tensor("x", "inout", [n]), tensor("y", "temporary", [n])];
  return program(
    "jacobi",
    tensors,
    [next, copy],
    [loop("t", 0, steps, leaf("next"), leaf("copy"))],
  );
}

/** `y = x` through an index map, then `z(i)` from two elements of `y`. */
function chain(n: number, turned: boolean, by: number): Program {
  const at = turned ? addConstant(scale(i, -1), n - 1) : i;
  const first = statement("a", {
    dims: [dim("i", 0, n)],
    write: ["y", at],
    reads: [access("x", i)],
    body: f32(0),
  });
  const second = statement("b", {
    dims: [dim("i", 0, n)],
    write: ["z", i],
    reads: [access("y", i), padded("y", [n], shifted(i, by))],
    body: total(2),
  });
  const tensors = [
    tensor("x", "input", [n]),
    tensor("y", "temporary", [n]),
    tensor("z", "output", [n]),
  ];
  return program("chain", tensors, [first, second]);
}

/** Row sums of a temporary matrix, then its rows less their sums. */
function rowwise(n: number, m: number): Program {
  const all = [dim("i", 0, n), dim("j", 0, m)];
  const tensors = [
    tensor("x", "input", [n, m]),
    tensor("e", "temporary", [n, m]),
    tensor("s", "temporary", [n]),
    tensor("y", "output", [n, m]),
  ];
  return program("rowwise", tensors, [
    statement("e", {
      dims: all,
      write: ["e", i, j],
      reads: [access("x", i, j)],
      body: op("*", f32(0), f32(0)),
    }),
    statement("s", {
      dims: all,
      write: ["s", i],
      reads: [access("e", i, j)],
      monoid: sum,
      over: ["j"],
      body: f32(0),
    }),
    statement("y", {
      dims: all,
      write: ["y", i, j],
      reads: [access("e", i, j), access("s", i)],
      body: op("-", f32(0), f32(1)),
    }),
  ]);
}

/** Elimination without division: `for k: A(i, j) = A(i, j) - A(i, k) * A(k, j)` below and right of k. */
function elimination(n: number): Program {
  const below = shifted(k, 1);
  const s = statement("s", {
    dims: [dim("k", 0, n), dim("i", below, n), dim("j", below, n)],
    loops: ["k"],
    write: ["A", i, j],
    reads: [access("A", i, j), access("A", i, k), access("A", k, j)],
    body: op("-", f32(0), op("*", f32(1), f32(2))),
  });
  return program("elimination", [tensor("A", "inout", [n, n])], [s], [loop("k", 0, n, leaf("s"))]);
}

/** A state that is a product with a matrix of the state before: `for t: h(t, i) = Σ w(i, j) h(t - 1, j)`. */
function recurrence(steps: number, n: number): Program {
  const s = statement("s", {
    dims: [dim("t", 1, add(constant(steps), constant(0))), dim("i", 0, n), dim("j", 0, n)],
    loops: ["t"],
    write: ["h", t, i],
    reads: [access("w", i, j), access("h", shifted(t, -1), j)],
    monoid: sum,
    over: ["j"],
    body: op("*", f32(0), f32(1)),
  });
  const first = statement("f", {
    dims: [dim("i", 0, n)],
    write: ["h", constant(0), i],
    reads: [access("h0", i)],
    body: f32(0),
  });
  const tensors = [
    tensor("w", "input", [n, n]),
    tensor("h0", "input", [n]),
    tensor("h", "output", [steps, n]),
  ];
  return program("recurrence", tensors, [first, s], [leaf("f"), loop("t", 1, steps, leaf("s"))]);
}

/** All of them, small. */
export const stencils: readonly Program[] = [
  shift(7, 1, 1),
  shift(7, -1, 1),
  shift(6, 2, 3),
  shift(5, -1, 2),
  relaxation(7),
  rows(4, 5, 0),
  rows(4, 5, 1),
  rows(3, 5, -2),
  wavefront(3, 4),
  jacobi(6, 3, 1),
  jacobi(5, 2, 0),
  chain(7, false, 1),
  chain(6, true, -2),
  chain(8, false, 0),
  rowwise(4, 5),
  elimination(4),
  recurrence(4, 3),
  reverse(6),
  cumulativeSum(6),
  argmin(5),
  scatterAdd(5, 3, 4),
  paddedStencil(7, 2),
  everySecond(7),
  factoredSum(3, 3, 2),
  factoredArgmax(3, 2, 3),
];
