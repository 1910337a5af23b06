/** Types and names in expressions; what {@link verifyExpression} finds wrong is text. */
import { assertNever } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import { roundToHalf } from "../../support/half.ts";
import { scalarFunction } from "../../support/scalar-functions.ts";
import { computedAs, type ScalarType } from "../../support/scalar-type.ts";
import { printAffine, variablesOf } from "../affine.ts";
import { type Expression, operands, printExpression } from "../expression.ts";
import { hasOperator } from "../scalar-operators.ts";

/** What an expression may refer to. */
export interface ExpressionScope {
  /** The dims and quotients. */
  readonly variables: ReadonlySet<string>;
  /** The component types of each read's tensor; undefined where the read or tensor is missing. */
  readonly reads: readonly (readonly ScalarType[] | undefined)[];
  /** The types of a monoid's states, each side by itself; null outside a monoid. */
  readonly left: readonly ScalarType[] | null;
  readonly right: readonly ScalarType[] | null;
}

function show(e: Expression): string {
  return printExpression(e, (n) => `read${n}`);
}

function verifyLiteral(e: Extract<Expression, { kind: "literal" }>): string[] {
  const { value, type } = e;
  const fits = {
    float32: true,
    float16: Object.is(roundToHalf(value), value),
    int32: value === (value | 0),
    uint32: value === value >>> 0,
    bool: value === 0 || value === 1,
  };
  return fits[type] ? [] : [`${value} is no ${type}`];
}

function verifyRead(e: Extract<Expression, { kind: "read" }>, scope: ExpressionScope): string[] {
  const types = scope.reads[e.read];
  if (types === undefined) return [`read ${e.read} is missing`];
  const type = types[e.component];
  if (type === undefined) return [`read ${e.read} has no component ${e.component}`];
  return type === e.type ? [] : [`read ${e.read} is ${type}, not ${e.type}`];
}

function verifyState(e: Extract<Expression, { kind: "state" }>, scope: ExpressionScope): string[] {
  const type = scope[e.side]?.[e.component];
  if (type === undefined) return [`state ${e.side}.${e.component} is not there`];
  return type === e.type ? [] : [`state ${e.side}.${e.component} is ${type}, not ${e.type}`];
}

function verifyBinary(e: Extract<Expression, { kind: "binary" }>): string[] {
  const { operator, left, right, type } = e;
  if (left.type !== right.type) return [`${show(e)} mixes ${left.type} and ${right.type}`];
  if (!hasOperator(operator, left.type)) return [`${show(e)}: no ${operator} on ${left.type}`];
  const tests = ["<", "<=", ">", ">=", "==", "!=", "and", "or"].includes(operator);
  const expected = tests ? "bool" : left.type;
  return type === expected ? [] : [`${show(e)} is ${expected}, not ${type}`];
}

function verifyUnary(e: Extract<Expression, { kind: "unary" }>): string[] {
  const wanted = e.operator === "not" ? e.operand.type === "bool" : e.operand.type !== "bool";
  if (!wanted) return [`${show(e)}: no ${e.operator} on ${e.operand.type}`];
  return e.type === e.operand.type ? [] : [`${show(e)} is ${e.operand.type}, not ${e.type}`];
}

function verifySelect(e: Extract<Expression, { kind: "select" }>): string[] {
  const same = e.whenTrue.type === e.type && e.whenFalse.type === e.type;
  const faults = same ? [] : [`${show(e)} has sides that are not ${e.type}`];
  if (e.condition.type !== "bool") faults.push(`${show(e)} decides on ${e.condition.type}`);
  return faults;
}

function verifyCall(e: Extract<Expression, { kind: "call" }>): string[] {
  const known = scalarFunction(e.function);
  if (known === undefined) return [`there is no function ${e.function}`];
  const types = e.arguments.map((a) => a.type);
  const [first] = types;
  if (types.length !== known.arity || first === undefined) {
    return [`${e.function} takes ${known.arity} arguments, not ${types.length}`];
  }
  const last = known.domain === "any" ? "bool" : first;
  const alike = types.every((t, i) => t === (i === types.length - 1 && i > 0 ? last : first));
  const number = first !== "bool" && first !== "float16";
  const allowed =
    known.domain === "any" || (known.domain === "float" ? first === "float32" : number);
  if (!alike || !allowed) return [`${e.function} does not take ${types.join(", ")}`];
  const result = known.result === "bool" ? "bool" : first;
  return e.type === result ? [] : [`${show(e)} is ${result}, not ${e.type}`];
}

function verifyCast(e: Extract<Expression, { kind: "cast" }>): string[] {
  if (e.narrow === undefined) return [];
  const wanted = e.narrow === "float16" ? "float32" : computedAs(e.narrow);
  return e.type === wanted ? [] : [`${show(e)} is ${wanted}, not ${e.type}`];
}

function verifyNode(e: Expression, scope: ExpressionScope): string[] {
  switch (e.kind) {
    case "literal":
      return verifyLiteral(e);
    case "read":
      return verifyRead(e, scope);
    case "coordinate": {
      const unknown = variablesOf(e.affine).filter((name) => !scope.variables.has(name));
      const faults = unknown.map((name) => `${printAffine(e.affine)} uses ${name}`);
      return e.type === "int32" ? faults : [...faults, `a coordinate is int32, not ${e.type}`];
    }
    case "state":
      return verifyState(e, scope);
    case "unary":
      return verifyUnary(e);
    case "binary":
      return verifyBinary(e);
    case "select":
      return verifySelect(e);
    case "call":
      return verifyCall(e);
    case "cast":
      return verifyCast(e);
    default:
      return assertNever(e);
  }
}

/** The faults of an expression and all its parts: names out of scope, types that do not fit. */
export function verifyExpression(e: Expression, scope: ExpressionScope): readonly string[] {
  return [
    ...flatMap(operands(e), (part) => verifyExpression(part, scope)),
    ...verifyNode(e, scope),
  ];
}

/** The faults of a list whose types must be `types`, one for each. */
export function verifyExpressions(
  what: string,
  list: readonly Expression[],
  types: readonly ScalarType[],
  scope: ExpressionScope,
): readonly string[] {
  const found = list.map((e) => e.type);
  const fits = found.length === types.length && found.every((t, c) => t === types[c]);
  const mismatch = fits ? [] : [`${what} is <${found.join(", ")}>, not <${types.join(", ")}>`];
  return [...flatMap(list, (e) => verifyExpression(e, scope)), ...mismatch];
}
