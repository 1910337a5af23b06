/**
 * Purpose: lets workgroups do nothing that leave nothing behind: tiles that lie wholly outside of a
 * triangle, whose results no condition lets through.
 *
 * ```
 * loop k in 0..K                        if 8 * y + 7 >= 16 * x
 *   s += A[y, k] * B[k, x]     -->        loop k in 0..K
 * if 8 * y + l >= 16 * x                    s += A[y, k] * B[k, x]
 *   C[y, x] = s                           if 8 * y + l >= 16 * x
 *                                           C[y, x] = s
 * ```
 * Requires: names of variables are unique in the kernel. Ensures: the kernel leaves the same in memory;
 * the condition is the same for all invocations of a workgroup.
 */
import { flatMap } from "../../support/flat-map.ts";
import { allOf, compare } from "../build.ts";
import type { Kernel, KernelExpression, KernelStatement } from "../kernel.ts";
import { someKernelExpression, statementsOf } from "../walk-kernel.ts";
import { factsOf, type IndexFacts, indexRange } from "./index-range.ts";
import { type LinearIndex, rangeOfLinear, sidesOf } from "./linear-index.ts";
import { conjuncts, linearParts } from "./loop-conditions.ts";

/** Linear functions of what a workgroup has in common that must be at least 0, by their terms. */
type Needs = ReadonlyMap<string, LinearIndex>;

function isCommon(e: KernelExpression): boolean {
  return !someKernelExpression(e, (node) => {
    if (node.kind === "builtin") return node.builtin === "local-index" || node.builtin === "lane";
    return node.kind === "variable" || node.kind === "load";
  });
}

/** What must hold of the workgroup for a linear function to be at least 0 somewhere. */
function needOf(part: LinearIndex, facts: IndexFacts): LinearIndex | undefined {
  const common = new Map([...part.terms].filter(([, t]) => isCommon(t.expression)));
  const others = new Map([...part.terms].filter(([, t]) => !isCommon(t.expression)));
  const constant = rangeOfLinear({ terms: others, constant: part.constant }, facts).hi;
  return common.size > 0 && Number.isSafeInteger(constant)
    ? { terms: common, constant }
    : undefined;
}

function keyOf({ terms }: LinearIndex): string {
  return [...terms]
    .map(([key, t]) => `${t.factor} ${key}`)
    .sort()
    .join();
}

/** The needs of a condition beside those around it: of two with the same terms, the harder one. */
function withCondition(outer: Needs, condition: KernelExpression, facts: IndexFacts): Needs {
  const needs = new Map(outer);
  for (const part of flatMap(conjuncts(condition), (c) => linearParts(c, facts))) {
    const need = needOf(part, facts);
    if (need === undefined) continue;
    const known = needs.get(keyOf(need));
    if (known === undefined || need.constant < known.constant) needs.set(keyOf(need), need);
  }
  return needs;
}

/** The needs of each statement that changes memory of others. */
function* needsIn(
  body: readonly KernelStatement[],
  outer: Needs,
  kernel: Kernel,
  facts: IndexFacts,
): Generator<Needs> {
  for (const s of body) {
    if (s.kind === "store" || s.kind === "atomic" || s.kind === "store-fragment") {
      const array = kernel.arrays.find((a) => a.id === s.array);
      if (array?.space === "storage") yield outer;
    } else if (s.kind === "loop") yield* needsIn(s.body, outer, kernel, facts);
    else if (s.kind === "if") {
      yield* needsIn(s.then, withCondition(outer, s.condition, facts), kernel, facts);
      yield* needsIn(s.else, outer, kernel, facts);
    }
  }
}

/** What one of two needs: the easier one of those with the same terms. */
function eitherOf(a: Needs, b: Needs): Needs {
  const shared = flatMap([...a], ([key, need]): readonly [string, LinearIndex][] => {
    const other = b.get(key);
    if (other === undefined) return [];
    return [[key, other.constant > need.constant ? other : need]];
  });
  return new Map(shared);
}

/** The need as a condition; undefined if it always holds, or may wrap. */
function conditionOf(need: LinearIndex, facts: IndexFacts): KernelExpression | undefined {
  const { lo, hi } = rangeOfLinear(need, facts);
  const { plus, minus } = sidesOf(need);
  const wraps = [plus, minus].some((e) => indexRange(e, facts) === undefined);
  return lo >= 0 || hi < 0 || wraps ? undefined : compare(">=", plus, minus);
}

/** Puts the work of a kernel with loops under what has to hold for it to leave anything behind. */
export function skipIdleWorkgroups(kernel: Kernel): Kernel {
  if (!statementsOf(kernel).some((s) => s.kind === "loop")) return kernel;
  const facts = factsOf(kernel);
  const all = [...needsIn(kernel.body, new Map(), kernel, facts)];
  if (all.length === 0) return kernel;
  const conditions = [...all.reduce(eitherOf).values()].map((need) => conditionOf(need, facts));
  const condition = allOf(conditions.filter((c) => c !== undefined));
  if (condition === undefined) return kernel;
  return { ...kernel, body: [{ kind: "if", condition, then: kernel.body, else: [] }] };
}
