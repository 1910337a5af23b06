/** Small programs built by hand, and the parts to build more. */

import { noSpan } from "../../src/diagnostics/span.ts";
import {
  type Affine,
  add,
  addConstant,
  type Constraint,
  constant,
  lessThan,
  nonnegative,
  scale,
  subtract,
  variable,
} from "../../src/ir/affine.ts";
import type { Dim, Quotient } from "../../src/ir/domain.ts";
import {
  type BinaryOperator,
  binary,
  type Expression,
  literal,
  read,
} from "../../src/ir/expression.ts";
import { argMonoid, liftArg, type Monoid, simpleMonoid } from "../../src/ir/monoid.ts";
import {
  type Access,
  access,
  affineIndex,
  type Index,
  type Program,
  type ProgramNode,
  type Statement,
  type Tensor,
} from "../../src/ir/program.ts";
import type { ScalarType } from "../../src/support/scalar-type.ts";

export type Bound = Affine | number;

export function affine(bound: Bound): Affine {
  return typeof bound === "number" ? constant(bound) : bound;
}

export function dim(name: string, lower: Bound, upper: Bound): Dim {
  return { name, lower: affine(lower), upper: affine(upper) };
}

export function tensor(
  name: string,
  role: Tensor["role"],
  shape: readonly number[],
  ...components: readonly ScalarType[]
): Tensor {
  const types: readonly ScalarType[] = components.length === 0 ? ["float32"] : components;
  return { name, components: types, shape, role, span: noSpan };
}

export interface Parts {
  readonly dims: readonly Dim[];
  readonly write: readonly [string, ...(Bound | Index)[]];
  readonly reads?: readonly Access[];
  readonly body: readonly Expression[] | Expression;
  readonly loops?: readonly string[];
  readonly guards?: readonly Constraint[];
  readonly quotients?: readonly Quotient[];
  readonly monoid?: Monoid;
  readonly over?: readonly string[];
  readonly init?: readonly Expression[];
  readonly projected?: boolean;
}

function toIndex(part: Bound | Index): Index {
  return typeof part === "number" || !("kind" in part) ? affineIndex(affine(part)) : part;
}

export function statement(id: string, parts: Parts): Statement {
  const [target, ...index] = parts.write;
  const { monoid } = parts;
  return {
    id,
    domain: {
      dims: parts.dims,
      guards: parts.guards ?? [],
      quotients: parts.quotients ?? [],
    },
    loops: parts.loops ?? [],
    write: { tensor: target, index: index.map(toIndex) },
    reads: parts.reads ?? [],
    reduction:
      monoid === undefined
        ? null
        : {
            monoid,
            dims: parts.over ?? [],
            init: parts.init ?? null,
            projected: parts.projected ?? true,
          },
    body: Array.isArray(parts.body) ? parts.body : [parts.body as Expression],
    span: noSpan,
  };
}

/** A program; without a tree its statements run in their order. */
export function program(
  name: string,
  tensors: readonly Tensor[],
  statements: readonly Statement[],
  tree: readonly ProgramNode[] = statements.map((s) => leaf(s.id)),
): Program {
  return { name, sizes: [], tensors, statements, tree };
}

export function leaf(id: string): ProgramNode {
  return { kind: "statement", statement: id };
}

export function loop(
  name: string,
  lower: Bound,
  upper: Bound,
  ...body: readonly ProgramNode[]
): ProgramNode {
  return { kind: "loop", name, lower: affine(lower), upper: affine(upper), body };
}

export const v: typeof variable = variable;

/** Read `n`, float32. */
export function f32(n: number): Expression {
  return read(n, "float32");
}

export function op(operator: BinaryOperator, left: Expression, right: Expression): Expression {
  const compares = ["<", "<=", ">", ">=", "==", "!=", "and", "or"].includes(operator);
  return binary(operator, left, right, compares ? "bool" : left.type);
}

export function call(name: string, ...args: readonly Expression[]): Expression {
  return { kind: "call", function: name, arguments: args, type: args[0]?.type ?? "float32" };
}

export function opaque(expression: Expression): Index {
  return { kind: "opaque", expression };
}

export const sum: Monoid = simpleMonoid("+", "float32");
export const greatest: Monoid = simpleMonoid("max", "float32");

const [i, j, k] = [v("i"), v("j"), v("k")];

/** `C(m, n) = Σ A(m, k) B(k, n)`. */
export function matmul(m: number, n: number, depth: number): Program {
  return program(
    "matmul",
    [
      tensor("A", "input", [m, depth]),
      tensor("B", "input", [depth, n]),
      tensor("C", "output", [m, n]),
    ],
    [
      statement("c", {
        dims: [dim("i", 0, m), dim("j", 0, n), dim("k", 0, depth)],
        write: ["C", i, j],
        reads: [access("A", i, k), access("B", k, j)],
        monoid: sum,
        over: ["k"],
        body: op("*", f32(0), f32(1)),
      }),
    ],
  );
}

/** Softmax over rows: maximum, exponentials, sum, quotient. */
export function softmax(rows: number, columns: number): Program {
  const all = [dim("i", 0, rows), dim("j", 0, columns)];
  return program(
    "softmax",
    [
      tensor("X", "input", [rows, columns]),
      tensor("M", "temporary", [rows]),
      tensor("E", "temporary", [rows, columns]),
      tensor("S", "temporary", [rows]),
      tensor("Y", "output", [rows, columns]),
    ],
    [
      statement("m", {
        dims: all,
        write: ["M", i],
        reads: [access("X", i, j)],
        monoid: greatest,
        over: ["j"],
        body: f32(0),
      }),
      statement("e", {
        dims: all,
        write: ["E", i, j],
        reads: [access("X", i, j), access("M", i)],
        body: call("exp", op("-", f32(0), f32(1))),
      }),
      statement("s", {
        dims: all,
        write: ["S", i],
        reads: [access("E", i, j)],
        monoid: sum,
        over: ["j"],
        body: f32(0),
      }),
      statement("y", {
        dims: all,
        write: ["Y", i, j],
        reads: [access("E", i, j), access("S", i)],
        body: op("/", f32(0), f32(1)),
      }),
    ],
  );
}

/** `x(i) = x(n - 1 - i)` in place. */
export function reverse(n: number): Program {
  return program(
    "reverse",
    [tensor("x", "inout", [n])],
    [
      statement("r", {
        dims: [dim("i", 0, n)],
        write: ["x", i],
        reads: [access("x", addConstant(scale(i, -1), n - 1))],
        body: f32(0),
      }),
    ],
  );
}

/** LU factors in place, without pivots. */
export function lu(n: number): Program {
  const below = addConstant(k, 1);
  return program(
    "lu",
    [tensor("A", "inout", [n, n])],
    [
      statement("scale", {
        dims: [dim("k", 0, n), dim("i", below, n)],
        loops: ["k"],
        write: ["A", i, k],
        reads: [access("A", i, k), access("A", k, k)],
        body: op("/", f32(0), f32(1)),
      }),
      statement("update", {
        dims: [dim("k", 0, n), dim("i", below, n), dim("j", below, n)],
        loops: ["k"],
        write: ["A", i, j],
        reads: [access("A", i, j), access("A", i, k), access("A", k, j)],
        body: op("-", f32(0), op("*", f32(1), f32(2))),
      }),
    ],
    [loop("k", 0, n, leaf("scale"), leaf("update"))],
  );
}

/** `y(t) = y(t - 1) + x(t)`, the first guarded by its fill. */
export function cumulativeSum(n: number): Program {
  const before: Access = {
    ...access("y", addConstant(v("t"), -1)),
    guard: [nonnegative(addConstant(v("t"), -1))],
  };
  return program(
    "cumulativeSum",
    [tensor("x", "input", [n]), tensor("y", "output", [n])],
    [
      statement("s", {
        dims: [dim("t", 0, n)],
        loops: ["t"],
        write: ["y", v("t")],
        reads: [before, access("x", v("t"))],
        body: op("+", f32(0), f32(1)),
      }),
    ],
    [loop("t", 0, n, leaf("s"))],
  );
}

/** The index of the least of `x(i, 0..i)`: row 0 reduces nothing. */
export function argmin(rows: number, type: ScalarType = "float32"): Program {
  return program(
    "argmin",
    [tensor("x", "input", [rows, rows], type), tensor("y", "output", [rows], "int32")],
    [
      statement("a", {
        dims: [dim("i", 0, rows), dim("j", 0, i)],
        write: ["y", i],
        reads: [access("x", i, j)],
        monoid: argMonoid("min", type),
        over: ["j"],
        body: liftArg(read(0, type), { kind: "coordinate", affine: j, type: "int32" }),
      }),
    ],
  );
}

/** `G(I(i), j) += D(i, j)`; indices that leave `G` are dropped. */
export function scatterAdd(count: number, width: number, buckets: number): Program {
  return program(
    "scatterAdd",
    [
      tensor("I", "input", [count], "int32"),
      tensor("D", "input", [count, width]),
      tensor("G", "inout", [buckets, width]),
    ],
    [
      statement("g", {
        dims: [dim("i", 0, count), dim("j", 0, width)],
        write: ["G", opaque(read(0, "int32")), j],
        reads: [access("I", i), access("D", i, j)],
        monoid: sum,
        over: ["i"],
        body: f32(1),
      }),
    ],
  );
}

/** `y(i) = Σ pad(x(i + j - 1), fill) w(j)` for three taps. */
export function paddedStencil(n: number, fill: number): Program {
  const at = addConstant(add(i, j), -1);
  const inside = [nonnegative(at), lessThan(at, constant(n))];
  return program(
    "paddedStencil",
    [tensor("x", "input", [n]), tensor("w", "input", [3]), tensor("y", "output", [n])],
    [
      statement("y", {
        dims: [dim("i", 0, n), dim("j", 0, 3)],
        write: ["y", i],
        reads: [{ ...access("x", at), guard: inside, fill }, access("w", j)],
        monoid: sum,
        over: ["j"],
        body: op("*", f32(0), f32(1)),
      }),
    ],
  );
}

/** `y(i) = x(i / 2)` where `i` is even, 0 elsewhere. */
export function everySecond(n: number): Program {
  const q = v("q");
  const rest = subtract(i, scale(q, 2));
  return program(
    "everySecond",
    [tensor("x", "input", [Math.ceil(n / 2)]), tensor("y", "output", [n])],
    [
      statement("y", {
        dims: [dim("i", 0, n)],
        quotients: [{ name: "q", numerator: i, divisor: 2 }],
        guards: [{ kind: "zero", affine: rest }],
        write: ["y", i],
        reads: [access("x", q)],
        body: f32(0),
      }),
    ],
  );
}

/** A sum over `chunks * length` elements by partial states, which a second statement combines. */
export function factoredSum(rows: number, chunks: number, length: number): Program {
  const at = add(scale(j, length), k);
  return program(
    "factoredSum",
    [
      tensor("x", "input", [rows, chunks * length]),
      tensor("P", "temporary", [rows, chunks]),
      tensor("y", "output", [rows]),
    ],
    [
      statement("p", {
        dims: [dim("i", 0, rows), dim("j", 0, chunks), dim("k", 0, length)],
        write: ["P", i, j],
        reads: [access("x", i, at)],
        monoid: sum,
        over: ["k"],
        projected: false,
        body: f32(0),
      }),
      statement("y", {
        dims: [dim("i", 0, rows), dim("j", 0, chunks)],
        write: ["y", i],
        reads: [access("P", i, j)],
        monoid: sum,
        over: ["j"],
        body: f32(0),
      }),
    ],
  );
}

/** The arg-max of rows by partial states of several components. */
export function factoredArgmax(rows: number, chunks: number, length: number): Program {
  const monoid = argMonoid("max", "float32");
  const at = add(scale(j, length), k);
  const types = monoid.state;
  return program(
    "factoredArgmax",
    [
      tensor("x", "input", [rows, chunks * length]),
      tensor("P", "temporary", [rows, chunks], ...types),
      tensor("y", "output", [rows], "int32"),
    ],
    [
      statement("p", {
        dims: [dim("i", 0, rows), dim("j", 0, chunks), dim("k", 0, length)],
        write: ["P", i, j],
        reads: [access("x", i, at)],
        monoid,
        over: ["k"],
        projected: false,
        body: liftArg(f32(0), { kind: "coordinate", affine: at, type: "int32" }),
      }),
      statement("y", {
        dims: [dim("i", 0, rows), dim("j", 0, chunks)],
        write: ["y", i],
        reads: [access("P", i, j)],
        monoid,
        over: ["j"],
        body: types.map((type, c) => read(0, type, c)),
      }),
    ],
  );
}

/** `literal` of float32. */
export function number(value: number): Expression {
  return literal(value, "float32");
}
