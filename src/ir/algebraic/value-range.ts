/** Which values an expression may have, as far as what computes them tells. */
import { functionRanges } from "../../support/scalar-functions.ts";
import { integerRange, isFloat } from "../../support/scalar-type.ts";
import { type Interval, intervalOf } from "../affine.ts";
import { programOrder } from "../dependences/program-order.ts";
import { writesWhole } from "../dependences/total-write.ts";
import { type Values, valuesOf } from "../dependences/values.ts";
import { boundingBox } from "../domain.ts";
import type { Expression } from "../expression.ts";
import { findStatement, findTensor, type Program, type Statement } from "../program.ts";

const unit: Interval = { lo: -1, hi: 1 };

const anything: Interval = { lo: -Infinity, hi: Infinity };

function united(a: Interval, b: Interval): Interval {
  return { lo: Math.min(a.lo, b.lo), hi: Math.max(a.hi, b.hi) };
}

/** Ends of a range that are no numbers, as of 0 times an unbounded value, say nothing. */
function ofEnds(...ends: readonly number[]): Interval {
  return ends.some(Number.isNaN) ? anything : { lo: Math.min(...ends), hi: Math.max(...ends) };
}

function ofBinary(operator: string, a: Interval, b: Interval): Interval {
  switch (operator) {
    case "+":
      return ofEnds(a.lo + b.lo, a.hi + b.hi);
    case "-":
      return ofEnds(a.lo - b.hi, a.hi - b.lo);
    case "*":
      return ofEnds(a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi);
    case "min":
      return { lo: Math.min(a.lo, b.lo), hi: Math.min(a.hi, b.hi) };
    case "max":
      return { lo: Math.max(a.lo, b.lo), hi: Math.max(a.hi, b.hi) };
    default:
      return anything;
  }
}

/** The range of an operation on integers, which wrap outside of theirs. */
function unlessWrapped({ type }: Expression, range: Interval): Interval {
  if (type !== "int32" && type !== "uint32") return range;
  const [least, greatest] = integerRange(type);
  return range.lo < least || range.hi > greatest ? anything : range;
}

/** What is known while ranges are looked for. */
interface Search {
  readonly program: Program;
  readonly values: Values;
  /** What values hold that are being looked at, as far as is assumed. */
  readonly assumed: Map<string, Interval>;
}

/** A component of a version of a tensor. */
interface Part {
  readonly id: string;
  readonly component: number;
}

/** What a value holds: what its statement stores, and what was there where that stores nothing. */
function ofValue(search: Search, part: Part): Interval {
  const { id, component } = part;
  const key = `${id}.${component}`;
  const value = search.values.values.find((v) => v.id === id);
  const assumed = search.assumed.get(key);
  if (value === undefined || assumed !== undefined) return assumed ?? anything;
  const { origin, prev, tensor } = value;
  const before = (): Interval =>
    prev === null ? anything : ofValue(search, { id: prev, component });
  switch (origin.kind) {
    case "start": {
      const role = findTensor(search.program, tensor)?.role;
      return role === "temporary" || role === "output" ? { lo: 0, hi: 0 } : anything;
    }
    case "statement": {
      search.assumed.set(key, anything);
      const found = ofStatement(search, { id: origin.statement, component }, before);
      search.assumed.delete(key);
      return found;
    }
    case "phi":
      return ofPhi(search, key, before(), { id: origin.carried, component });
  }
}

/** By induction: what is at most 1 before the loop, and after a step if it was before that, always is. */
function ofPhi(search: Search, key: string, start: Interval, carried: Part): Interval {
  if (start.lo < unit.lo || start.hi > unit.hi) return anything;
  search.assumed.set(key, unit);
  const { lo, hi } = ofValue(search, carried);
  search.assumed.delete(key);
  return lo >= unit.lo && hi <= unit.hi ? unit : anything;
}

function ofStatement(search: Search, { id, component }: Part, before: () => Interval): Interval {
  const s = findStatement(search.program, id);
  const order = programOrder(search.program).get(id);
  const body = s?.body[component];
  if (s === undefined || body === undefined || order === undefined) return anything;
  if (s.reduction !== null) return anything;
  const own = ofExpression(search, s, body);
  return writesWhole(search.program, s, order) ? own : united(own, before());
}

function ofCall(search: Search, s: Statement, e: Extract<Expression, { kind: "call" }>): Interval {
  const parts = e.arguments.map((a) => ofExpression(search, s, a));
  const [a = anything, b = anything, c = anything] = parts;
  switch (e.function) {
    case "min":
    case "max":
      return ofBinary(e.function, a, b);
    case "clamp":
      return ofBinary("min", ofBinary("max", a, b), c);
    case "exp":
    case "exp2":
      return { lo: 0, hi: a.hi <= 0 ? 1 : Infinity };
    case "abs":
      return { lo: Math.max(0, a.lo, -a.hi), hi: Math.max(-a.lo, a.hi) };
    default:
      return functionRanges.get(e.function) ?? anything;
  }
}

function ofExpression(search: Search, s: Statement, e: Expression): Interval {
  switch (e.kind) {
    case "literal":
      return { lo: e.value, hi: e.value };
    case "coordinate": {
      const box = boundingBox(s.domain);
      return intervalOf(e.affine, (name) => box.get(name) ?? anything);
    }
    case "read": {
      const read = s.reads[e.read];
      const id = search.values.before.get(s.id)?.get(read?.tensor ?? "");
      const { component } = e;
      const found = id === undefined ? anything : ofValue(search, { id, component });
      const filled = read !== undefined && read.guard.length > 0;
      return filled ? united(found, { lo: read.fill, hi: read.fill }) : found;
    }
    case "unary": {
      const inner = ofExpression(search, s, e.operand);
      return e.operator === "negate" ? { lo: -inner.hi, hi: -inner.lo } : anything;
    }
    case "binary": {
      const left = ofExpression(search, s, e.left);
      return unlessWrapped(e, ofBinary(e.operator, left, ofExpression(search, s, e.right)));
    }
    case "select":
      return united(ofExpression(search, s, e.whenTrue), ofExpression(search, s, e.whenFalse));
    case "call":
      return ofCall(search, s, e);
    case "cast":
      // Integers that come from floats may be cut off.
      return e.narrow === undefined && isFloat(e.type)
        ? ofExpression(search, s, e.operand)
        : anything;
    case "state":
      return anything;
  }
}

/** An interval that has all values of an expression in a statement, but for what rounding adds to its ends. */
export function valueRange(program: Program, s: Statement, e: Expression): Interval {
  return ofExpression({ program, values: valuesOf(program), assumed: new Map() }, s, e);
}
