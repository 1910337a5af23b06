import {
  type Affine,
  add,
  constant,
  type Interval,
  intervalOf,
  isConstant,
  printAffine,
  scale,
  subtract,
  variable,
} from "../../ir/affine.ts";
import type { Quotient } from "../../ir/domain.ts";
import type { BinaryOperator } from "../../ir/expression.ts";
import { floorDiv } from "../../support/integer.ts";
import type { Typed } from "../names/typed.ts";

/** What affine analysis of one statement shares: its quotients, which grow as they are met. */
export interface AffineContext {
  readonly quotients: Quotient[];
  /** The shape of a tensor as far as it is known. */
  readonly shapeOf: (tensor: string) => readonly number[] | undefined;
  /** The value of a size that a call tells, as far as it is known. */
  readonly sizeOf: (name: string) => number | undefined;
  /** Names that no quotient may have. */
  readonly taken: ReadonlySet<string>;
}

/**
 * The value of an integer expression as an affine function of loop and statement indices and of
 * quotients, one for each `/` or `%` by a constant; undefined when it is none.
 */
export function affineOf(e: Typed, context: AffineContext): Affine | undefined {
  switch (e.kind) {
    case "literal":
      return e.type === "int32" ? constant(e.value) : undefined;
    case "index":
      return variable(e.name);
    case "size": {
      const size = context.sizeOf(e.name);
      return size === undefined ? undefined : constant(size);
    }
    case "extent": {
      const extent = context.shapeOf(e.tensor)?.[e.dimension];
      return extent === undefined ? undefined : constant(extent);
    }
    case "unary": {
      const operand = e.type === "int32" ? affineOf(e.operand, context) : undefined;
      return operand === undefined ? undefined : scale(operand, -1);
    }
    case "binary":
      return e.type === "int32" ? affineOfBinary(e, context) : undefined;
    default:
      return undefined;
  }
}

function affineOfBinary(
  e: Extract<Typed, { kind: "binary" }>,
  context: AffineContext,
): Affine | undefined {
  const left = affineOf(e.left, context);
  const right = affineOf(e.right, context);
  if (left === undefined || right === undefined) return undefined;
  return combineAffine(e.operator, left, right, context);
}

function combineAffine(
  operator: BinaryOperator,
  left: Affine,
  right: Affine,
  context: AffineContext,
): Affine | undefined {
  if (operator === "+") return add(left, right);
  if (operator === "-") return subtract(left, right);
  if (operator === "*" && isConstant(left)) return scale(right, left.constant);
  if (!isConstant(right)) return undefined;
  const by = right.constant;
  if (operator === "*") return scale(left, by);
  if (operator === "floorDiv") return quotientOf(left, by, context);
  if (operator === "floorMod") {
    return by === 0 ? constant(0) : subtract(left, scale(quotientOf(left, by, context), by));
  }
  const extremum = operator === "min" || operator === "max";
  return extremum && isConstant(left) ? constant(Math[operator](left.constant, by)) : undefined;
}

/**
 * `floor(numerator / divisor)`: terms that the divisor divides come out exactly, the rest becomes a
 * quotient variable. Division by 0 gives 0.
 */
function quotientOf(numerator: Affine, divisor: number, context: AffineContext): Affine {
  if (divisor === 0) return constant(0);
  if (divisor < 0) return quotientOf(scale(numerator, -1), -divisor, context);
  const exact = numerator.terms.filter((t) => t.coefficient % divisor === 0);
  const rest = numerator.terms.filter((t) => t.coefficient % divisor !== 0);
  const whole = floorDiv(numerator.constant, divisor);
  const outside: Affine = {
    terms: exact.map((t) => ({ variable: t.variable, coefficient: t.coefficient / divisor })),
    constant: whole,
  };
  if (rest.length === 0) return outside;
  const inside: Affine = { terms: rest, constant: numerator.constant - whole * divisor };
  return add(outside, variable(quotientName(inside, divisor, context)));
}

function quotientName(numerator: Affine, divisor: number, context: AffineContext): string {
  const key = printAffine(numerator);
  const before = context.quotients.find(
    (q) => q.divisor === divisor && printAffine(q.numerator) === key,
  );
  if (before !== undefined) return before.name;
  let number = context.quotients.length;
  while (
    context.taken.has(`q${number}`) ||
    context.quotients.some((q) => q.name === `q${number}`)
  ) {
    number++;
  }
  context.quotients.push({ name: `q${number}`, numerator, divisor });
  return `q${number}`;
}

/** The quotient of that name. */
export function findQuotient(context: AffineContext, name: string): Quotient | undefined {
  return context.quotients.find((q) => q.name === name);
}

/** The indices that an affine expression depends on, through quotients too. */
export function baseVariables(a: Affine, context: AffineContext): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { variable: name } of a.terms) {
    const quotient = findQuotient(context, name);
    if (quotient === undefined) names.add(name);
    else for (const inner of baseVariables(quotient.numerator, context)) names.add(inner);
  }
  return names;
}

/** The interval of an affine expression when each index runs over its own. */
export function intervalIn(
  a: Affine,
  known: ReadonlyMap<string, Interval>,
  context: AffineContext,
): Interval {
  return intervalOf(a, (name) => {
    const quotient = findQuotient(context, name);
    if (quotient === undefined) return known.get(name) ?? { lo: -Infinity, hi: Infinity };
    const { lo, hi } = intervalIn(quotient.numerator, known, context);
    return { lo: floorDiv(lo, quotient.divisor), hi: floorDiv(hi, quotient.divisor) };
  });
}

/** True when the expression uses a quotient. */
export function usesQuotient(a: Affine, context: AffineContext): boolean {
  return a.terms.some((t) => findQuotient(context, t.variable) !== undefined);
}
