/**
 * Purpose: a checked definition to an IR program.
 *
 * Ensures: loops ascend (a reversed loop's index `t` becomes `lower + upper - 1 - t`); reductions
 * are monoids over their reduced dims; an update without a reduced dim reads its own element; a
 * scatter that resets (`op=!`) first counts the hits of each element and resets the hit ones, and if
 * it reads its target it reads a copy from before the reset. Tensors without elements are neither
 * read nor written. Narrow integers are computed as wide ones, and wrap when they are stored;
 * reductions of float16 are computed in float32.
 */
import type { Span } from "../../diagnostics/span.ts";
import {
  type Affine,
  add,
  addConstant,
  type Constraint,
  coefficientOf,
  lessOrEqual,
  lessThan,
  substitute,
  subtract,
  variable,
} from "../../ir/affine.ts";
import type { Dim, Domain } from "../../ir/domain.ts";
import { binary, type Expression, literal, read } from "../../ir/expression.ts";
import { argMonoid, liftArg, type Monoid, simpleMonoid } from "../../ir/monoid.ts";
import {
  type Access,
  affineIndex,
  type Index,
  isScatter,
  type Program,
  type ProgramNode,
  type Statement,
  type Tensor,
  uniteSpans,
} from "../../ir/program.ts";
import { defined, invariant } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import {
  computedAs,
  type ElementType,
  isNarrowInteger,
  type ScalarType,
} from "../../support/scalar-type.ts";
import type {
  CheckedAccess,
  CheckedDefinition,
  CheckedDim,
  CheckedExpression,
  CheckedIndex,
  CheckedLoop,
  CheckedNode,
  CheckedStatement,
} from "../checked.ts";
import { narrowScatter, projectedAs, storedAs, widened } from "./lower-narrow.ts";
import { lowerResettingScatter } from "./lower-scatter.ts";
import { freshId, type Lowering } from "./lowering.ts";

/** The loops around a node: their dims, and what their written indices are in terms of them. */
interface Around {
  readonly loops: readonly Dim[];
  readonly values: ReadonlyMap<string, Affine>;
}

/** Lowers a definition without mistakes. */
export function lower(definition: CheckedDefinition): Program {
  const tensors = definition.tensors.map(
    ({ name, type, shape, role, span }): Tensor => ({
      name,
      components: [computedAs(type)],
      ...(isNarrowInteger(type) && role !== "temporary" ? { stored: type } : {}),
      shape,
      role,
      span,
    }),
  );
  const elements = new Map(definition.tensors.map((t) => [t.name, t.type]));
  const state: Lowering = { tensors, elements, statements: [], ids: new Map() };
  const tree = lowerNodes(definition.body, { loops: [], values: new Map() }, state);
  return {
    name: definition.name,
    sizes: definition.sizes,
    tensors: state.tensors,
    statements: state.statements,
    tree,
  };
}

function lowerNodes(
  nodes: readonly CheckedNode[],
  around: Around,
  state: Lowering,
): readonly ProgramNode[] {
  return flatMap(nodes, (node): readonly ProgramNode[] => {
    if (node.kind === "loop") return [lowerLoop(node, around, state)];
    return lowerStatement(node, around, state).map((s) => {
      state.statements.push(s);
      return { kind: "statement", statement: s.id };
    });
  });
}

function lowerLoop(node: CheckedLoop, around: Around, state: Lowering): ProgramNode {
  const at = (a: Affine): Affine => substitute(a, (name) => around.values.get(name));
  const [lower, upper] = [at(node.lower), at(node.upper)];
  const { name } = node;
  const mirrored = subtract(addConstant(add(lower, upper), -1), variable(name));
  const values = new Map(around.values);
  if (node.reversed) values.set(name, mirrored);
  const inner: Around = { loops: [...around.loops, dimOf({ ...node, lower, upper })], values };
  return { kind: "loop", name, lower, upper, body: lowerNodes(node.body, inner, state) };
}

/** A dim of an index, which may have another name than it is written with. */
function dimOf(d: Pick<CheckedDim, "name" | "source" | "lower" | "upper">): Dim {
  const { name, source, lower, upper } = d;
  return { name, lower, upper, ...(name === source ? {} : { indices: [source] }) };
}

/** Collects the accesses of one statement; equal ones are read once. */
interface Reads {
  readonly accesses: Access[];
  readonly known: Map<string, number>;
  readonly at: (a: Affine) => Affine;
  /** True for tensors without elements, of which every read is outside. */
  readonly isEmpty: (tensor: string) => boolean;
}

function addRead(reads: Reads, access: Access, span: Span): number {
  const key = JSON.stringify(access);
  const old = reads.known.get(key);
  if (old !== undefined) {
    const again = defined(reads.accesses[old], "read", old);
    reads.accesses[old] = { ...again, spans: uniteSpans(again.spans ?? [], [span]) };
    return old;
  }
  reads.accesses.push({ ...access, spans: [span] });
  reads.known.set(key, reads.accesses.length - 1);
  return reads.accesses.length - 1;
}

function lowerIndex(index: CheckedIndex, reads: Reads): Index {
  return index.kind === "affine"
    ? affineIndex(reads.at(index.affine))
    : { kind: "opaque", expression: lowerExpression(index.expression, reads) };
}

function lowerAccess(access: CheckedAccess, reads: Reads): number {
  const index = access.index.map((i) => lowerIndex(i, reads));
  const guard = access.guard.map((c) => ({ kind: c.kind, affine: reads.at(c.affine) }));
  return addRead(reads, { tensor: access.tensor, index, guard, fill: access.fill }, access.span);
}

function lowerExpression(e: CheckedExpression, reads: Reads): Expression {
  const down = (part: CheckedExpression): Expression => lowerExpression(part, reads);
  switch (e.kind) {
    case "literal":
      return e;
    case "access":
      return reads.isEmpty(e.access.tensor)
        ? literal(e.access.fill, e.type)
        : read(lowerAccess(e.access, reads), e.type);
    case "coordinate":
      return { ...e, affine: reads.at(e.affine) };
    case "unary":
    case "cast":
      return { ...e, operand: down(e.operand) };
    case "binary":
      return { ...e, left: down(e.left), right: down(e.right) };
    case "select":
      return {
        ...e,
        condition: down(e.condition),
        whenTrue: down(e.whenTrue),
        whenFalse: down(e.whenFalse),
      };
    case "call":
      return { ...e, arguments: e.arguments.map(down) };
  }
}

/**
 * The domain: loops, then the dims that are not reduced, then the reduced ones. A dim whose bounds
 * use reduced ones gets the interval that it covers over all their values, and the bounds become
 * guards: an element is stored for each of its values, also where nothing is reduced.
 */
function lowerDomain(node: CheckedStatement, around: Around, at: Reads["at"]): Domain {
  const dims = node.dims.map((d) => ({ ...d, lower: at(d.lower), upper: at(d.upper) }));
  const reduced = new Map(dims.filter((d) => d.reduced).map((d) => [d.name, d]));
  const usesReduced = (a: Affine): boolean => a.terms.some((t) => reduced.has(t.variable));
  const guards: Constraint[] = node.guards.map((c) => ({ kind: c.kind, affine: at(c.affine) }));
  /** The bound where the reduced dims, whose own bounds are constants, make it least or greatest. */
  const extreme = (a: Affine, side: "least" | "greatest"): Affine =>
    substitute(a, (name) => {
      const dim = reduced.get(name);
      const low = side === "least" ? coefficientOf(a, name) > 0 : coefficientOf(a, name) < 0;
      return dim === undefined || low ? dim?.lower : addConstant(dim.upper, -1);
    });
  const plain = dims.map((d): CheckedDim => {
    if (d.reduced || !(usesReduced(d.lower) || usesReduced(d.upper))) return d;
    guards.push(lessOrEqual(d.lower, variable(d.name)), lessThan(variable(d.name), d.upper));
    return { ...d, lower: extreme(d.lower, "least"), upper: extreme(d.upper, "greatest") };
  });
  const own = [...plain.filter((d) => !d.reduced), ...plain.filter((d) => d.reduced)];
  return {
    dims: [...around.loops, ...own.map(dimOf)],
    guards,
    quotients: node.quotients.map((q) => ({ ...q, numerator: at(q.numerator) })),
  };
}

/** The parts that all statements for one assignment share. */
interface Parts {
  readonly node: CheckedStatement;
  readonly common: Omit<Statement, "id" | "reduction" | "body">;
  readonly reads: Reads;
  /** What the target's elements are computed and stored as. */
  readonly type: ScalarType;
  readonly element: ElementType;
  readonly reduced: readonly string[];
}

function lowerStatement(
  node: CheckedStatement,
  around: Around,
  state: Lowering,
): readonly Statement[] {
  // A reversed loop's index is replaced; its mirror uses the same name, so one pass is enough.
  const at = (a: Affine): Affine => substitute(a, (name) => around.values.get(name));
  const isEmpty = (name: string): boolean =>
    state.tensors.some((t) => t.name === name && t.shape.includes(0));
  if (isEmpty(node.target)) return [];
  const reads: Reads = { accesses: [], known: new Map(), at, isEmpty };
  const index = node.left.map((i) => lowerIndex(i, reads));
  const element = defined(state.elements.get(node.target), "type of", node.target);
  const type = computedAs(element);
  const common = {
    domain: lowerDomain(node, around, at),
    loops: around.loops.map((l) => l.name),
    write: { tensor: node.target, index, span: node.written },
    reads: reads.accesses,
    span: node.span,
  };
  const reduced = node.dims.filter((d) => d.reduced).map((d) => d.name);
  const parts: Parts = { node, common, reads, type, element, reduced };
  if (node.operator === "=" || reduced.length === 0) return [lowerPlain(parts, state)];
  return lowerReduction(parts, state);
}

/** Its own element, as it was before. */
function ownElement({ node, common, reads, type }: Parts): Expression {
  const access: Access = { tensor: node.target, index: common.write.index, guard: [], fill: 0 };
  return read(addRead(reads, access, node.written), type);
}

function lowerPlain(parts: Parts, state: Lowering): Statement {
  const { node, common, type, element } = parts;
  const value = lowerExpression(node.value, parts.reads);
  const id = freshId(state, node.target);
  const statement = (body: Expression): Statement => ({
    ...common,
    id,
    reduction: null,
    body: [body],
  });
  if (node.operator === "=") return statement(value);
  if (node.reset) return statement(storedAs(element, value));
  invariant(
    node.operator !== "argmin" && node.operator !== "argmax",
    "an arg reduction of nothing",
  );
  return statement(storedAs(element, binary(node.operator, ownElement(parts), value, type)));
}

function lowerReduction(parts: Parts, state: Lowering): readonly Statement[] {
  const { node, common, reads, element, reduced } = parts;
  const value = widened(lowerExpression(node.value, reads));
  const id = freshId(state, node.target);
  const statement = (
    monoid: Monoid,
    init: readonly Expression[] | null,
    body: readonly Expression[],
  ): Statement => ({
    ...common,
    id,
    reads: [...reads.accesses],
    reduction: { monoid, dims: reduced, init, projected: true },
    body,
  });
  if (node.operator === "argmin" || node.operator === "argmax") {
    const over = reads.at(variable(defined(reduced[0], "index of an arg reduction")));
    const index: Expression = { kind: "coordinate", affine: over, type: "int32" };
    const monoid = argMonoid(node.operator === "argmin" ? "min" : "max", value.type);
    return [statement(projectedAs(monoid, element), null, liftArg(value, index))];
  }
  invariant(node.operator !== "=", "a reduction without an operator");
  const monoid = simpleMonoid(node.operator, value.type, element);
  const plain = statement(monoid, null, [value]);
  if (isScatter(plain)) {
    const choosing = node.dims.filter((d) => d.choosing).map((d) => d.name);
    return narrowScatter(plain, element, state, (scatter) =>
      node.reset ? lowerResettingScatter(scatter, monoid, choosing, state) : [scatter],
    );
  }
  const init = node.reset ? null : [widened(ownElement(parts))];
  return [statement(projectedAs(monoid, element), init, [value])];
}
