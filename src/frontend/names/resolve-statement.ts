import { diagnose } from "../../diagnostics/diagnostic.ts";
import { coverSpans } from "../../diagnostics/span.ts";
import { flatMap } from "../../support/flat-map.ts";
import {
  computedAs,
  type ElementType,
  isFloat,
  type ScalarType,
} from "../../support/scalar-type.ts";
import { evaluateSize } from "../size-expression.ts";
import type { Assign, Clause, RangeClause } from "../syntax/ast.ts";
import { combine, resolveExpression, resolveIndex } from "./resolve-expression.ts";
import type { LetEntry, Scope, StatementScope } from "./scope.ts";
import type {
  StatementIndex,
  StatementOperator,
  Typed,
  TypedAccess,
  TypedClause,
  TypedStatement,
} from "./typed.ts";
import { adapts, convert, typedError } from "./types.ts";

const statementOperators: Readonly<Record<string, StatementOperator>> = {
  "+": "+",
  "-": "+",
  "*": "*",
  "/": "=",
  min: "min",
  max: "max",
  "&&": "and",
  "||": "or",
  argmin: "argmin",
  argmax: "argmax",
  "": "=",
};

/** The larger of two bools is true when one of them is, the smaller when both are. */
const boolOperators: Readonly<Record<string, StatementOperator>> = { max: "or", min: "and" };

/** A resolved statement and the type that it gives to its target if that has no declared one. */
export interface ResolvedStatement {
  readonly statement: TypedStatement;
  /** `error` when the value's type is not known (yet). */
  readonly contributes: ScalarType | "error";
}

/** Resolves an assignment whose target has the type `scope.types` says, if any. */
export function resolveStatement(node: Assign, outer: Scope): ResolvedStatement {
  const own = declareNames(node, outer);
  const scope: Scope = { ...outer, statement: own };
  const left = resolveTarget(node, scope);
  const sign = node.operator.replace(/=!?$/, "");
  const operator = statementOperators[sign] ?? "=";
  let value = resolveExpression(node.value, scope, { inIndex: false, onLeft: false });
  for (const entry of own.lets.values()) finishLet(entry, scope);
  const exists = resolveExists(node, scope);
  const clauses = resolveClauses(node, scope);
  // A range without a use is an index too: it repeats the statement.
  for (const [source, span] of own.ranged) {
    own.indices.set(source, { name: source, source, span, left: false });
  }
  if (sign === "-") value = negate(value, scope);
  if (sign === "/") value = quotient(node, left, value, scope);
  const contributes = contribution(operator, value);
  const indices = [...own.indices.values()];
  const ordered = [...indices.filter((i) => i.left), ...indices.filter((i) => !i.left)];
  const reset = node.operator.endsWith("!");
  // What could not be understood may be what reduces: `s = sum(a(i))`.
  if (value.type !== "error") checkReductions(node, operator, ordered, scope);
  const stored = store(node, operator, value, scope);
  const statement: TypedStatement = {
    kind: "statement",
    node,
    target: node.target.name.name,
    left,
    operator: stored.type === "bool" ? (boolOperators[operator] ?? operator) : operator,
    reset,
    indices: ordered,
    clauses,
    exists,
    value: stored,
    span: node.span,
  };
  return { statement, contributes };
}

/**
 * The names of a statement: those of its clauses, and the indices that its accesses make. A first
 * resolution finds these, so that an index is known also before the access that makes it.
 */
function declareNames(node: Assign, outer: Scope): StatementScope {
  const declare = (scope: Scope): StatementScope => {
    const own: StatementScope = { indices: new Map(), ranged: new Map(), lets: new Map() };
    for (const clause of node.clauses) declareClause(clause, own, scope);
    return own;
  };
  const scratch = declare({ ...outer, report: () => undefined });
  const scope: Scope = { ...outer, statement: scratch, report: () => undefined };
  resolveTarget(node, scope);
  resolveExpression(node.value, scope, { inIndex: false, onLeft: false });
  resolveExists(node, scope);
  for (const entry of scratch.lets.values()) finishLet(entry, scope);
  const own = declare(outer);
  for (const [source, { span }] of scratch.indices) {
    if (!own.ranged.has(source)) own.ranged.set(source, span);
  }
  return own;
}

function declareClause(clause: Clause, own: StatementScope, scope: Scope): void {
  if (clause.kind === "range") own.ranged.set(clause.name.name, clause.name.span);
  else if (clause.kind === "exists") return;
  else if (own.lets.has(clause.name.name)) {
    const data = { name: clause.name.name, what: "defined in this `where`" };
    scope.report(diagnose("TC2003", data, clause.name.span));
  } else own.lets.set(clause.name.name, { clause, state: "fresh", value: undefined });
}

function resolveTarget(node: Assign, scope: Scope): readonly Typed[] {
  const { name, indices, span } = node.target;
  const symbol = scope.symbols.tensors.get(name.name);
  const left = indices.map((index) => resolveIndex(index, scope, true));
  if (symbol?.rank !== undefined && symbol.rank !== left.length) {
    const data = { name: name.name, rank: symbol.rank, found: left.length };
    const labels = [{ span: symbol.span, text: `\`${name.name}\` is from here` }];
    scope.report(diagnose("TC2006", data, span, { labels }));
    return left.map((index) => typedError(index.span));
  }
  return left;
}

/** Lets that nothing uses are resolved for their mistakes. */
function finishLet(entry: LetEntry, scope: Scope): void {
  if (entry.state !== "fresh") return;
  entry.state = "open";
  entry.value = resolveExpression(entry.clause.value, scope, { inIndex: false, onLeft: false });
  entry.state = "done";
}

function resolveClauses(node: Assign, scope: Scope): readonly TypedClause[] {
  const place = { inIndex: false, onLeft: false };
  return flatMap(node.clauses, (clause) => {
    if (clause.kind !== "range") return [];
    const range = writtenRange(node, clause);
    const empty = range !== undefined && range.high <= range.low;
    if (empty) {
      const data = { index: clause.name.name, range: `${range.low}:${range.high}` };
      scope.report(diagnose("TC3006", data, clause.span));
    }
    const bound = (e: typeof clause.lower): Typed => {
      if (empty) return typedError(e.span);
      const typed = resolveExpression(e, scope, place);
      if (typed.type !== "error" && (isFloat(typed.type) || typed.type === "bool")) {
        scope.report(diagnose("TC3013", { type: typed.type }, e.span));
        return typedError(e.span);
      }
      return convert(typed, "int32", scope.report);
    };
    const index = scope.statement?.indices.get(clause.name.name)?.name ?? clause.name.name;
    return [{ index, lower: bound(clause.lower), upper: bound(clause.upper), span: clause.span }];
  });
}

/** What `exists` clauses name: accesses that are not padded. */
function resolveExists(node: Assign, scope: Scope): readonly Typed[] {
  return flatMap(node.clauses, (clause): readonly Typed[] => {
    if (clause.kind !== "exists") return [];
    const access = resolveExpression(clause.access, scope, { inIndex: false, onLeft: false });
    if (access.type === "error" || (access.kind === "access" && access.fill === null)) {
      return [access];
    }
    const data = { expected: "an access of a tensor", found: "an expression", where: "`exists`" };
    scope.report(diagnose("TC2008", data, clause.access.span));
    return [typedError(clause.access.span)];
  });
}

interface WrittenRange {
  readonly low: number;
  readonly high: number;
}

/** A range whose bounds use no names. */
function constantRange(clause: RangeClause): WrittenRange | undefined {
  const [low, high] = [clause.lower, clause.upper].map((e) => evaluateSize(e, new Map()));
  return low === undefined || high === undefined ? undefined : { low, high };
}

/**
 * What a range and those of the same index before it have in common, as far as their bounds use no
 * names; undefined when this one's bounds do, and when those before have nothing in common.
 */
function writtenRange(node: Assign, clause: RangeClause): WrittenRange | undefined {
  const own = constantRange(clause);
  if (own === undefined) return undefined;
  const before = flatMap(
    flatMap(node.clauses.slice(0, node.clauses.indexOf(clause)), (c) =>
      c.kind === "range" && c.name.name === clause.name.name ? [c] : [],
    ),
    (c) => constantRange(c) ?? [],
  );
  const meet = (some: readonly WrittenRange[]): WrittenRange => ({
    low: Math.max(...some.map((r) => r.low)),
    high: Math.min(...some.map((r) => r.high)),
  });
  const common = meet(before);
  return common.high <= common.low ? undefined : meet([...before, own]);
}

/** `x -= e` is `x += -(e)`. */
function negate(value: Typed, scope: Scope): Typed {
  if (value.type === "error") return value;
  if (value.kind === "literal") return { ...value, value: 0 - value.value };
  const type = value.type === "bool" ? "int32" : value.type;
  const operand = convert(value, type, scope.report);
  return { kind: "unary", operator: "negate", operand, type, span: value.span };
}

/** `x /= e` is `x = x / (e)`. */
function quotient(node: Assign, left: readonly Typed[], value: Typed, scope: Scope): Typed {
  const tensor = node.target.name.name;
  const type = scope.types.get(tensor);
  if (type === undefined || left.some((i) => i.type === "error")) return typedError(value.span);
  const span = node.target.span;
  const before: TypedAccess = {
    kind: "access",
    tensor,
    indices: left,
    fill: null,
    type: computedAs(type),
    span,
  };
  const float = isFloat(type) || (value.type !== "error" && isFloat(value.type));
  const operator = float ? "/" : "floorDiv";
  return combine(operator, before, value, coverSpans(span, value.span), scope);
}

function contribution(operator: StatementOperator, value: Typed): ScalarType | "error" {
  return operator === "and" || operator === "or" ? "bool" : storedType(operator, value);
}

/** The type of what an operator makes of values: arithmetic on bools is arithmetic on integers. */
function storedType(operator: StatementOperator, value: Typed): ScalarType | "error" {
  if (value.type === "error") return "error";
  if (operator === "argmin" || operator === "argmax") return "int32";
  const arithmetic = operator === "+" || operator === "*";
  return arithmetic && value.type === "bool" ? "int32" : value.type;
}

/** Converts the value to the target's type; what loses information needs a cast. */
function store(node: Assign, operator: StatementOperator, value: Typed, scope: Scope): Typed {
  const { name } = node.target.name;
  const target = scope.types.get(name);
  const from = storedType(operator, value);
  if (target === undefined || from === "error") return value;
  if (!adapts(value, target) && loses(from, target)) {
    const counts = value.type === "bool" ? { counts: true as const } : {};
    scope.report(diagnose("TC2007", { from, to: target, name, ...counts }, node.value.span));
    return typedError(value.span);
  }
  if ((operator === "and" || operator === "or") && target !== "bool") {
    const where = `the target of \`${node.operator}\``;
    scope.report(diagnose("TC2008", { expected: "bool", found: target, where }, node.target.span));
    return typedError(value.span);
  }
  return convert(value, operandType(operator, value, target), scope.report);
}

/** What a value is converted to before it is stored, combined or compared. */
function operandType(
  operator: StatementOperator,
  value: Typed,
  target: ElementType,
): ElementType | "error" {
  if (operator === "argmin" || operator === "argmax") {
    return value.type === "bool" ? "int32" : value.type;
  }
  // What sums and products make wraps when it is stored.
  const wraps = operator === "+" || operator === "*";
  const isWritten = value.kind === "literal" && value.adapts;
  return wraps && !isWritten ? computedAs(target) : target;
}

/** True when storing needs a cast: floats to integers, float32 to float16, numbers to bool. */
export function loses(from: ScalarType, to: ElementType): boolean {
  if (from === to || to === "float32") return false;
  if (to === "float16") return from === "float32";
  return isFloat(from) || to === "bool";
}

/** The rules of language.md, Meaning 2 and 3, that need no ranges. */
function checkReductions(
  node: Assign,
  operator: StatementOperator,
  indices: readonly StatementIndex[],
  scope: Scope,
): void {
  const reduced = indices.filter((i) => !i.left);
  const [first] = reduced;
  if (operator === "argmin" || operator === "argmax") {
    if (reduced.length === 1) return;
    const data = { operator: node.operator, indices: reduced.map((i) => i.source) };
    scope.report(diagnose("TC4002", data, node.operatorSpan));
  } else if (first !== undefined && operator === "=") {
    const inWhere = node.clauses.some(
      ({ span }) => span.start <= first.span.start && first.span.end <= span.end,
    );
    if (node.operator === "/=") {
      scope.report(diagnose("TC4008", { index: first.source }, first.span));
    } else {
      const place = inWhere ? "in the `where`" : "on the right side";
      const fixes = [
        { title: "sum with `+=!`", edits: [{ span: node.operatorSpan, text: "+=!" }] },
      ];
      const labels = [{ span: node.operatorSpan, text: "needs a reduction operator" }];
      const data = { index: first.source, place };
      scope.report(diagnose("TC4001", data, first.span, { labels, fixes }));
    }
  }
}
