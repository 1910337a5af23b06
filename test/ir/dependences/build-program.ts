/** Short ways to write down programs in tests. */
import { noSpan } from "../../../src/diagnostics/span.ts";
import { type Affine, add, type Constraint, constant, variable } from "../../../src/ir/affine.ts";
import type { Quotient } from "../../../src/ir/domain.ts";
import { binary, type Expression, literal, read } from "../../../src/ir/expression.ts";
import { simpleMonoid } from "../../../src/ir/monoid.ts";
import {
  type Access,
  access,
  affineIndex,
  type Program,
  type ProgramNode,
  type Statement,
  type Tensor,
} from "../../../src/ir/program.ts";

/** `2*i + j - 1` as [2, "i", "j", -1]: numbers before a name are its coefficient. */
export type Form = string | number | readonly (string | number)[];

export function affine(form: Form): Affine {
  const parts: Affine[] = [];
  let pending: number | null = null;
  for (const part of typeof form === "object" ? form : [form]) {
    if (typeof part === "number") {
      if (pending !== null) parts.push(constant(pending));
      pending = part;
    } else {
      parts.push(variable(part, pending ?? 1));
      pending = null;
    }
  }
  if (pending !== null) parts.push(constant(pending));
  return add(...parts);
}

export function tensor(
  name: string,
  shape: readonly number[],
  role: Tensor["role"] = "output",
): Tensor {
  return { name, components: ["float32"], shape, role, span: noSpan };
}

export function reads(name: string, ...index: readonly Form[]): Access {
  return access(name, ...index.map(affine));
}

export interface StatementSpec {
  readonly loops?: readonly string[];
  /** Name, lower (0 when left out), upper. */
  readonly dims: readonly (readonly [string, Form] | readonly [string, Form, Form])[];
  readonly guards?: readonly Constraint[];
  readonly quotients?: readonly Quotient[];
  readonly write: readonly [string, ...Form[]];
  readonly reads?: readonly Access[];
  /** Reduced dims of a sum. */
  readonly sum?: readonly string[];
  /** Numbers of the reads that the sum starts from; null for 0. */
  readonly init?: readonly number[];
}

function total(numbers: readonly number[]): Expression {
  const one: Expression = literal(0, "float32");
  return numbers.reduce((e, n) => binary("+", e, read(n, "float32"), "float32"), one);
}

/** A statement whose body adds its reads up. */
export function statement(id: string, spec: StatementSpec): Statement {
  const list = spec.reads ?? [];
  const init = spec.init ?? null;
  const body = list.map((_, n) => n).filter((n) => init?.includes(n) !== true);
  const [target, ...index] = spec.write;
  return {
    id,
    domain: {
      dims: spec.dims.map(([name, a, b]) => ({
        name,
        lower: affine(b === undefined ? 0 : a),
        upper: affine(b ?? a),
      })),
      guards: spec.guards ?? [],
      quotients: spec.quotients ?? [],
    },
    loops: spec.loops ?? [],
    write: { tensor: target, index: index.map((f) => affineIndex(affine(f))) },
    reads: list,
    reduction:
      spec.sum === undefined
        ? null
        : {
            monoid: simpleMonoid("+", "float32"),
            dims: spec.sum,
            init: init === null ? null : [total(init)],
            projected: true,
          },
    body: [total(body)],
    span: noSpan,
  };
}

export function loop(name: string, upper: Form, ...body: readonly ProgramNode[]): ProgramNode {
  return { kind: "loop", name, lower: constant(0), upper: affine(upper), body };
}

export function run(id: string): ProgramNode {
  return { kind: "statement", statement: id };
}

export function program(
  tensors: readonly Tensor[],
  statements: readonly Statement[],
  tree?: readonly ProgramNode[],
): Program {
  const nodes = tree ?? statements.map((s) => run(s.id));
  return { name: "test", sizes: [], tensors, statements, tree: nodes };
}

/** `C(i, j) +=! A(i, k) * B(k, j)`. */
export function matmul(m: number, n: number, k: number): Program {
  const s = statement("S", {
    dims: [
      ["i", m],
      ["j", n],
      ["k", k],
    ],
    write: ["C", "i", "j"],
    reads: [reads("A", "i", "k"), reads("B", "k", "j")],
    sum: ["k"],
  });
  return program(
    [tensor("A", [m, k], "input"), tensor("B", [k, n], "input"), tensor("C", [m, n])],
    [s],
  );
}

/** The recurrence of language.md: h(t) from h(t - 1) by a product, then an added input product. */
export function elman(steps: number, batch: number, input: number, width: number): Program {
  const tb = [
    ["t", steps],
    ["b", batch],
    ["c", width],
  ] as const;
  const first = statement("first", {
    loops: ["t"],
    dims: [...tb, ["k", width]],
    guards: [{ kind: "zero", affine: variable("t") }],
    write: ["h", "t", "b", "c"],
    reads: [reads("W", "k", "c"), reads("h0", "b", "k")],
    sum: ["k"],
  });
  const later = statement("later", {
    loops: ["t"],
    dims: [...tb, ["k", width]],
    guards: [{ kind: "nonnegative", affine: affine(["t", -1]) }],
    write: ["h", "t", "b", "c"],
    reads: [reads("W", "k", "c"), reads("h", ["t", -1], "b", "k")],
    sum: ["k"],
  });
  const added = statement("added", {
    loops: ["t"],
    dims: [...tb, ["k", input]],
    write: ["h", "t", "b", "c"],
    reads: [reads("h", "t", "b", "c"), reads("U", "k", "c"), reads("x", "t", "b", "k")],
    sum: ["k"],
    init: [0],
  });
  return program(
    [
      tensor("x", [steps, batch, input], "input"),
      tensor("h0", [batch, width], "input"),
      tensor("U", [input, width], "input"),
      tensor("W", [width, width], "input"),
      tensor("h", [steps, batch, width]),
    ],
    [first, later, added],
    [loop("t", steps, run("first"), run("later"), run("added"))],
  );
}
