/**
 * The canonical form of a kernel as text: what it computes, with names by first use and without sizes.
 *
 * ```
 * text      := shared* tensor* node*
 * tensor    := tN: type rank [own] [words] [padded] [layout]     numbered by first use, a write before the reads
 * node      := statement | loop lN { node* }                     numbered in order, the loops on the host first
 * statement := sN: { dims | guards ; quotients } write = [reduction] body from read*
 * ```
 * Ensures: kernels have the same text if they differ in names of definitions, tensors and indices, in sizes, or in
 * what the program does elsewhere, while the same statements are left after rewriting. They differ if an operation,
 * an access map, a condition, a type, a layout, or which tensors are the kernel's own does.
 *
 * A program has its sizes in it as numbers: those of upper bounds are left out, and so are all that are more than
 * {@link mostLiteral}; smaller ones are offsets, strides and divisors of the source. Of literals exponents alone count,
 * since means divide by a size.
 */
import { flatMap } from "../../support/flat-map.ts";
import { remember } from "../../support/remember.ts";
import { rowMajorStrides } from "../../support/scalar-type.ts";
import type { Affine, Constraint } from "../affine.ts";
import { type Expression, operands } from "../expression.ts";
import {
  type Access,
  callerShape,
  elementTypeOf,
  hasPadding,
  type Index,
  type ProgramNode,
  type Statement,
  type Tensor,
  tensorOf,
  tensorsOf,
} from "../program.ts";
import type { Group } from "./group/group.ts";
import { ownTemporaries } from "./group/own-temporaries.ts";

/** The nodes of a kernel in their program. */
export type KernelNodes = Pick<Group, "program" | "nodes" | "host" | "statements">;

/** Numbers of a program that are more than this are taken for sizes. */
const mostLiteral = 8;

/** Canonical names of what a kernel has: `s0`, `t0`, `l0`. */
export interface Names {
  readonly statements: ReadonlyMap<string, string>;
  readonly tensors: ReadonlyMap<string, string>;
  readonly loops: ReadonlyMap<string, string>;
}

function numbered(names: Iterable<string>, letter: string): ReadonlyMap<string, string> {
  return new Map([...new Set(names)].map((name, n) => [name, `${letter}${n}`]));
}

/** The canonical names of a kernel. */
export const namesOf: (kernel: KernelNodes) => Names = remember(({ nodes, host, statements }) => {
  const loopsIn = (inside: readonly ProgramNode[]): readonly string[] =>
    flatMap(inside, (n) => (n.kind === "loop" ? [n.name, ...loopsIn(n.body)] : []));
  return {
    statements: numbered(
      statements.map((s) => s.id),
      "s",
    ),
    tensors: numbered(flatMap(statements, tensorsOf), "t"),
    loops: numbered([...host.map((l) => l.id), ...loopsIn(nodes)], "l"),
  };
});

/** A number that may be a size. */
function amount(value: number): string {
  if (Math.abs(value) <= mostLiteral) return String(value);
  return value < 0 ? "-N" : "N";
}

/** Prints the parts of one statement in canonical names. */
interface Printer {
  affine(affine: Affine): string;
  constraints(constraints: readonly Constraint[]): string;
  index(indices: readonly Index[]): string;
  expression(e: Expression): string;
}

function printerOf(s: Statement, { loops }: Names): Printer {
  const dims = numbered(
    s.domain.dims.map((d) => d.name).filter((name) => !loops.has(name)),
    "d",
  );
  const quotients = numbered(
    s.domain.quotients.map((q) => q.name),
    "q",
  );
  const named = (v: string): string => loops.get(v) ?? dims.get(v) ?? quotients.get(v) ?? v;
  // Terms and guards are in the order of the program's names, which are not the canonical ones.
  const affine = ({ terms, constant }: Affine): string =>
    [
      ...terms.map((t) => `${amount(t.coefficient)}${named(t.variable)}`).sort(),
      amount(constant),
    ].join("+");
  const constraints = (all: readonly Constraint[]): string =>
    all
      .map((c) => `${affine(c.affine)}${c.kind === "zero" ? "=" : ">="}0`)
      .sort()
      .join(",");
  const leaf = (e: Expression): string => {
    if (e.kind === "read") return `read${e.read}.${e.component}`;
    return e.kind === "coordinate" ? `[${affine(e.affine)}]` : e.type;
  };
  const expression = (e: Expression): string => {
    const parts = operands(e);
    if (parts.length === 0) return leaf(e);
    return `${operationOf(e)}(${parts.map((part) => exponentOf(e, part) ?? expression(part)).join(",")})`;
  };
  const index = (indices: readonly Index[]): string =>
    indices
      .map((i) => (i.kind === "affine" ? affine(i.affine) : `?${expression(i.expression)}`))
      .join(",");
  return { affine, constraints, index, expression };
}

/** What a node does with its operands. */
function operationOf(e: Expression): string {
  switch (e.kind) {
    case "unary":
    case "binary":
      return `${e.type} ${e.operator}`;
    case "call":
      return `${e.type} ${e.function}`;
    case "cast":
      return e.narrow ?? e.type;
    default:
      return e.kind;
  }
}

/** A literal exponent: products stand for small ones. */
function exponentOf(e: Expression, part: Expression): string | null {
  const isPower = e.kind === "call" && e.function === "pow";
  return isPower && part.kind === "literal" ? `${part.value}` : null;
}

function printRead({ tensor, index, guard, fill }: Access, names: Names, print: Printer): string {
  const at = `${names.tensors.get(tensor)}(${print.index(index)})`;
  return guard.length === 0 ? at : `(${print.constraints(guard)}?${at}:${fill})`;
}

function printStatement(s: Statement, names: Names): string {
  const print = printerOf(s, names);
  const { dims, guards, quotients } = s.domain;
  const bounds = dims.map(
    ({ lower, upper }) =>
      `${print.affine(lower)}..${upper.terms.length === 0 ? "N" : print.affine(upper)}`,
  );
  const divisions = quotients.map((q) => `${print.affine(q.numerator)}/${amount(q.divisor)}`);
  const domain = `{${bounds.join(" ")}|${print.constraints(guards)};${divisions.join(" ")}}`;
  const target = `${names.tensors.get(s.write.tensor)}(${print.index(s.write.index)})`;
  const body = s.body.map(print.expression).join(" ");
  const reads = s.reads.map((r) => printRead(r, names, print)).join(" ");
  return `${names.statements.get(s.id)}:${domain} ${target}=${printReduction(s, print)}${body} from ${reads}`;
}

function printReduction({ reduction, domain }: Statement, print: Printer): string {
  if (reduction === null) return "";
  const { monoid, dims, init, projected } = reduction;
  const at = dims.map((name) => domain.dims.findIndex((d) => d.name === name)).join(" ");
  const start = init === null ? "" : ` with ${init.map(print.expression).join(" ")}`;
  return `${projected ? "" : "state of "}${monoid.name} ${monoid.state.join(" ")}[${at}]${start} of `;
}

/** How a tensor lies in memory: which strides go with each other, not how long they are. */
function printLayout(tensor: Tensor): string {
  const { layout } = tensor;
  if (layout === undefined) return "";
  const dense = rowMajorStrides(callerShape(tensor));
  const { strides, offsetMultiple } = layout;
  const rank = (stride: number): number =>
    strides.filter((other) => Math.abs(other) < Math.abs(stride)).length;
  const parts = strides.map((stride, d) =>
    stride === dense[d] ? "=" : `${stride < 0 ? "-" : ""}${rank(stride)}:${amount(stride)}`,
  );
  return ` strides ${parts.join(" ")} from ${offsetMultiple}`;
}

function printTensor(tensor: Tensor, name: string, own: boolean): string {
  const type = tensor.components.length > 1 ? tensor.components.join("*") : elementTypeOf(tensor);
  const words = tensor.unpacked === undefined ? "" : ` words of ${elementTypeOf(tensor)}`;
  const padded = hasPadding(tensor) ? " padded" : "";
  return `${name}:${type} ${tensor.shape.length}${own ? " own" : ""}${words}${padded}${printLayout(tensor)}`;
}

/** The canonical form of a kernel as text. */
export const kernelText: (kernel: KernelNodes) => string = remember((kernel) => {
  const { program, nodes, host, statements } = kernel;
  const names = namesOf(kernel);
  const own = new Set(ownTemporaries(program, statements));
  const tensors = [...names.tensors].map(([name, canonical]) =>
    printTensor(tensorOf(program, name), canonical, own.has(name)),
  );
  const shared = flatMap(program.shared ?? [], (set): readonly string[] => {
    const inside = set.flatMap((name) => names.tensors.get(name) ?? []).sort();
    return inside.length < 2 ? [] : [`one buffer ${inside.join(" ")}`];
  });
  const texts = new Map(statements.map((s) => [s.id, printStatement(s, names)]));
  const print = (inside: readonly ProgramNode[]): string =>
    inside
      .map((n) =>
        n.kind === "statement"
          ? (texts.get(n.statement) ?? "")
          : `loop ${names.loops.get(n.name)}{${print(n.body)}}`,
      )
      .join("\n");
  return [...shared.sort(), ...tensors, `host ${host.length}`, print(nodes)].join("\n");
});
