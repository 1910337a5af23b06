/**
 * Affine integer expressions: the language of bounds, access maps, guards and loop bindings.
 *
 * ```
 * affine := coefficient * variable + ... + constant
 * ```
 * Variables are names that are unique in their scope (a statement's dims and quotients, or a
 * schedule's loops). Terms are sorted by variable and have no zero coefficient, so that two affine
 * expressions are equal exactly when their printed forms are.
 */
export interface Affine {
  readonly terms: readonly Term[];
  readonly constant: number;
}

/** `coefficient * variable`, the coefficient never 0. */
export interface Term {
  readonly variable: string;
  readonly coefficient: number;
}

/** A closed interval of integers; a bound may be infinite. Empty when `lo > hi`. */
export interface Interval {
  readonly lo: number;
  readonly hi: number;
}

/** `affine >= 0` or `affine == 0`. */
export interface Constraint {
  readonly kind: "nonnegative" | "zero";
  readonly affine: Affine;
}

/** The expression without variables. */
export function constant(value: number): Affine {
  return { terms: [], constant: value };
}

/** `coefficient * name`. */
export function variable(name: string, coefficient = 1): Affine {
  return { terms: coefficient === 0 ? [] : [{ variable: name, coefficient }], constant: 0 };
}

function scaleTerms(terms: readonly Term[], factor: number): readonly Term[] {
  return terms.map((t) => ({ variable: t.variable, coefficient: t.coefficient * factor }));
}

/** The sum of `left` and `factor` times `right`, the factor not 0; both are sorted. */
function addTerms(left: readonly Term[], right: readonly Term[], factor: number): readonly Term[] {
  if (right.length === 0) return left;
  if (left.length === 0) return factor === 1 ? right : scaleTerms(right, factor);
  return mergeTerms(left, right, factor);
}

function mergeTerms(
  left: readonly Term[],
  right: readonly Term[],
  factor: number,
): readonly Term[] {
  const terms: Term[] = [];
  let l = 0;
  for (const { variable: name, coefficient } of right) {
    let t = left[l];
    for (; t !== undefined && t.variable < name; t = left[++l]) terms.push(t);
    const same = t !== undefined && t.variable === name;
    const sum = coefficient * factor + (same ? (t?.coefficient ?? 0) : 0);
    if (same) l++;
    if (sum !== 0) terms.push({ variable: name, coefficient: sum });
  }
  for (let t = left[l]; t !== undefined; t = left[++l]) terms.push(t);
  return terms;
}

/** The sum of any number of expressions. */
export function add(...parts: readonly Affine[]): Affine {
  let terms: readonly Term[] = [];
  let value = 0;
  for (const part of parts) {
    value += part.constant;
    terms = terms.length === 0 ? part.terms : addTerms(terms, part.terms, 1);
  }
  return { terms, constant: value };
}

/** `factor * a`. */
export function scale(a: Affine, factor: number): Affine {
  if (factor === 0) return constant(0);
  if (factor === 1) return a;
  return { terms: scaleTerms(a.terms, factor), constant: a.constant * factor };
}

/** `a - b`. */
export function subtract(a: Affine, b: Affine): Affine {
  return { terms: addTerms(a.terms, b.terms, -1), constant: 0 + a.constant - b.constant };
}

/** `a + value`. */
export function addConstant(a: Affine, value: number): Affine {
  return value === 0 ? a : { terms: a.terms, constant: a.constant + value };
}

/** Replaces variables; those for which `replacement` gives undefined stay. */
export function substitute(a: Affine, replacement: (name: string) => Affine | undefined): Affine {
  let sum: readonly Term[] | undefined;
  let value = 0 + a.constant;
  let n = 0;
  for (const t of a.terms) {
    const by = replacement(t.variable);
    if (by !== undefined) {
      sum = addTerms(sum ?? a.terms.slice(0, n), by.terms, t.coefficient);
      value += by.constant * t.coefficient;
    } else if (sum !== undefined) sum = addTerms(sum, [t], 1);
    n++;
  }
  return sum === undefined ? a : { terms: sum, constant: value };
}

/** Renames variables; those for which `name` gives undefined stay. */
export function rename(a: Affine, name: (old: string) => string | undefined): Affine {
  return substitute(a, (old) => {
    const fresh = name(old);
    return fresh === undefined ? undefined : variable(fresh);
  });
}

/** The value under an assignment of all its variables. */
export function evaluate(a: Affine, value: (name: string) => number): number {
  let sum = a.constant;
  for (const t of a.terms) sum += t.coefficient * value(t.variable);
  return sum;
}

/** The coefficient of a variable, 0 when it does not occur. */
export function coefficientOf(a: Affine, name: string): number {
  for (const t of a.terms) if (t.variable === name) return t.coefficient;
  return 0;
}

/** The variables that occur, sorted. */
export function variablesOf(a: Affine): readonly string[] {
  return a.terms.map((t) => t.variable);
}

/** True when no variable occurs. */
export function isConstant(a: Affine): boolean {
  return a.terms.length === 0;
}

/** True when both are the same function. */
export function affineEquals(a: Affine, b: Affine): boolean {
  return (
    a.constant === b.constant &&
    a.terms.length === b.terms.length &&
    a.terms.every((t, i) => {
      const u = b.terms[i];
      return u !== undefined && u.variable === t.variable && u.coefficient === t.coefficient;
    })
  );
}

/** The least and greatest value when each variable runs over its interval independently. */
export function intervalOf(a: Affine, range: (name: string) => Interval): Interval {
  let [lo, hi] = [a.constant, a.constant];
  for (const t of a.terms) {
    const r = range(t.variable);
    lo += t.coefficient * (t.coefficient > 0 ? r.lo : r.hi);
    hi += t.coefficient * (t.coefficient > 0 ? r.hi : r.lo);
  }
  return { lo, hi };
}

/** `affine >= 0`. */
export function nonnegative(affine: Affine): Constraint {
  return { kind: "nonnegative", affine };
}

/** `affine == 0`. */
export function zero(affine: Affine): Constraint {
  return { kind: "zero", affine };
}

/** `a <= b`. */
export function lessOrEqual(a: Affine, b: Affine): Constraint {
  return nonnegative(subtract(b, a));
}

/** `a < b`. */
export function lessThan(a: Affine, b: Affine): Constraint {
  return nonnegative(addConstant(subtract(b, a), -1));
}

/** `a == b`. */
export function equal(a: Affine, b: Affine): Constraint {
  return zero(subtract(a, b));
}

/** {@link substitute} in a constraint. */
export function substituteConstraint(
  c: Constraint,
  replacement: (name: string) => Affine | undefined,
): Constraint {
  const affine = substitute(c.affine, replacement);
  return affine === c.affine ? c : { kind: c.kind, affine };
}

/**
 * Whether the constraint holds under an assignment of all its variables.
 * @internal for tests
 */
export function holds(c: Constraint, value: (name: string) => number): boolean {
  const v = evaluate(c.affine, value);
  return c.kind === "zero" ? v === 0 : v >= 0;
}

/** For example `2*i + j - 3`. */
export function printAffine(a: Affine): string {
  let text = "";
  for (const { variable: name, coefficient } of a.terms) {
    const magnitude = Math.abs(coefficient);
    const factor = magnitude === 1 ? name : `${magnitude}*${name}`;
    if (text === "") text = coefficient < 0 ? `-${factor}` : factor;
    else text += coefficient < 0 ? ` - ${factor}` : ` + ${factor}`;
  }
  if (text === "") return String(a.constant);
  if (a.constant === 0) return text;
  return a.constant < 0 ? `${text} - ${-a.constant}` : `${text} + ${a.constant}`;
}

/** For example `i - 3 >= 0`. */
export function printConstraint(c: Constraint): string {
  return `${printAffine(c.affine)} ${c.kind === "zero" ? "==" : ">="} 0`;
}
