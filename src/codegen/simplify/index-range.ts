/**
 * Ranges of index expressions and the truth of conditions on them, by interval arithmetic on what
 * the builtins and the loops can be. Undefined where a value may wrap or nothing is known.
 */
import type { Interval } from "../../ir/affine.ts";
import { remember } from "../../support/remember.ts";
import type { Builtin, Kernel, KernelExpression, KernelStatement } from "../kernel.ts";
import { statementsOf } from "../walk-kernel.ts";

type Loop = Extract<KernelStatement, { kind: "loop" }>;

/** What is known where an expression stands. */
export interface IndexFacts {
  readonly kernel: Pick<Kernel, "workgroupSize" | "grid" | "subgroupSize">;
  /** Closed ranges of variables; those that are not here may be anything. */
  readonly variables: ReadonlyMap<string, Interval>;
}

const largest = 2 ** 32 - 1;

/** What is known of all variables of a kernel, whose names are unique. */
export const factsOf: (kernel: Kernel) => IndexFacts = remember((kernel) => {
  const variables = new Map<string, Interval>();
  const facts: IndexFacts = { kernel, variables };
  for (const s of statementsOf(kernel)) {
    if (s.kind === "loop") variables.set(s.variable, rangeOfLoop(s, facts));
    const range = s.kind === "declare" && !s.mutable ? indexRange(s.value, facts) : undefined;
    if (s.kind === "declare" && range !== undefined) variables.set(s.name, range);
  }
  return facts;
});

/** The closed range of a loop's variable in its iterations. */
export function rangeOfLoop({ extent, end }: Loop, facts: IndexFacts): Interval {
  const most = end === undefined ? extent : (indexRange(end, facts)?.hi ?? extent);
  return { lo: 0, hi: Math.max(0, Math.min(extent, most) - 1) };
}

/** The same facts, and the range of one more variable. */
export function withRange(facts: IndexFacts, name: string, range: Interval): IndexFacts {
  return { ...facts, variables: new Map(facts.variables).set(name, range) };
}

function rangeOfBuiltin(builtin: Builtin, { kernel }: IndexFacts): Interval {
  const below = (count: number): Interval => ({ lo: 0, hi: Math.max(0, count - 1) });
  switch (builtin) {
    case "local-index":
      return below(kernel.workgroupSize);
    case "workgroup-x":
      return below(kernel.grid[0]);
    case "workgroup-y":
      return below(kernel.grid[1]);
    case "workgroup-z":
      return below(kernel.grid[2]);
    case "lane":
      return below(kernel.subgroupSize ?? kernel.workgroupSize);
    case "subgroup":
      return below(Math.ceil(kernel.workgroupSize / (kernel.subgroupSize ?? 1)));
  }
}

function unwrapped(lo: number, hi: number): Interval | undefined {
  return lo >= 0 && hi <= largest ? { lo, hi } : undefined;
}

type Binary = Extract<KernelExpression, { kind: "binary" }>;

function rangeOfMin(e: Binary, facts: IndexFacts): Interval | undefined {
  const [a, b] = [indexRange(e.left, facts), indexRange(e.right, facts)];
  if (a === undefined || b === undefined) {
    const known = a ?? b;
    return known === undefined ? undefined : { lo: 0, hi: known.hi };
  }
  return { lo: Math.min(a.lo, b.lo), hi: Math.min(a.hi, b.hi) };
}

function rangeOfBinary(e: Binary, facts: IndexFacts): Interval | undefined {
  if (e.operator === "min") return rangeOfMin(e, facts);
  const [a, b] = [indexRange(e.left, facts), indexRange(e.right, facts)];
  const divisor = b !== undefined && b.lo === b.hi ? b.lo : 0;
  if (e.operator === "%" && divisor > 0 && (a === undefined || a.hi >= divisor)) {
    return { lo: 0, hi: divisor - 1 };
  }
  if (a === undefined || b === undefined) return undefined;
  switch (e.operator) {
    case "+":
      return unwrapped(a.lo + b.lo, a.hi + b.hi);
    case "-":
      return unwrapped(a.lo - b.hi, a.hi - b.lo);
    case "*":
      return unwrapped(a.lo * b.lo, a.hi * b.hi);
    case "/":
      if (divisor === 0) return undefined;
      return { lo: Math.floor(a.lo / divisor), hi: Math.floor(a.hi / divisor) };
    case "%":
      return divisor === 0 ? undefined : a;
    case "max":
      return { lo: Math.max(a.lo, b.lo), hi: Math.max(a.hi, b.hi) };
    default:
      return undefined;
  }
}

/** The closed range of a scalar `uint32` expression. */
export function indexRange(e: KernelExpression, facts: IndexFacts): Interval | undefined {
  if (e.type.scalar !== "uint32" || e.type.width !== 1) return undefined;
  switch (e.kind) {
    case "literal":
      return { lo: e.value >>> 0, hi: e.value >>> 0 };
    case "variable":
      return facts.variables.get(e.name);
    case "builtin":
      return rangeOfBuiltin(e.builtin, facts);
    case "binary":
      return rangeOfBinary(e, facts);
    default:
      return undefined;
  }
}

function truthOfComparison(e: Binary, facts: IndexFacts): boolean | undefined {
  const [a, b] = [indexRange(e.left, facts), indexRange(e.right, facts)];
  if (a === undefined || b === undefined) return undefined;
  const decided = (yes: boolean, no: boolean): boolean | undefined =>
    yes ? true : no ? false : undefined;
  const same = a.lo === a.hi && b.lo === b.hi && a.lo === b.lo;
  const apart = a.hi < b.lo || b.hi < a.lo;
  switch (e.operator) {
    case "<":
      return decided(a.hi < b.lo, a.lo >= b.hi);
    case "<=":
      return decided(a.hi <= b.lo, a.lo > b.hi);
    case ">":
      return decided(a.lo > b.hi, a.hi <= b.lo);
    case ">=":
      return decided(a.lo >= b.hi, a.hi < b.lo);
    case "==":
      return decided(same, apart);
    case "!=":
      return decided(apart, same);
    default:
      return undefined;
  }
}

/** Whether a condition holds wherever the facts do: undefined if they do not decide it. */
export function truthOf(e: KernelExpression, facts: IndexFacts): boolean | undefined {
  if (e.kind === "literal" && e.type.scalar === "bool") return e.value !== 0;
  if (e.kind === "unary" && e.operator === "not") {
    const operand = truthOf(e.operand, facts);
    return operand === undefined ? undefined : !operand;
  }
  if (e.kind !== "binary") return undefined;
  if (e.operator !== "and" && e.operator !== "or") return truthOfComparison(e, facts);
  const [left, right] = [truthOf(e.left, facts), truthOf(e.right, facts)];
  const deciding = e.operator === "or";
  if (left === deciding || right === deciding) return deciding;
  return left === undefined || right === undefined ? undefined : !deciding;
}
