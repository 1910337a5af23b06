/**
 * Purpose: statements under one condition beside each other, where what stands between them does not mind: one
 * branch in place of many, which compilers of GPUs would make a selection of each.
 *
 * ```
 * let a = x[i]                          let a = x[i]
 * if inside                             let b = x[i + 1]
 *   s += a * v                  -->     if inside
 * let b = x[i + 1]                        s += a * v
 * if inside                               t += b * v
 *   t += b * v
 * ```
 * Requires: names of variables are unique in the kernel. Ensures: the kernel computes the same, every sum in its
 * order. A branch moves down to the next one under its condition, past statements that neither touch what it
 * changes nor change what it reads, and never past a barrier or a loop.
 */
import { remember } from "../../support/remember.ts";
import type { Kernel, KernelStatement } from "../kernel.ts";
import { originOfAll } from "../origin.ts";
import {
  eachKernelStatement,
  expressionKey,
  someKernelExpression,
  statementsOf,
  visitOwnExpressions,
} from "../walk-kernel.ts";
import { effectsOf } from "./stored-elements.ts";

type Body = readonly KernelStatement[];
type Branch = Extract<KernelStatement, { kind: "if" }>;

/** Values that may be waiting for a branch while others are loaded: each takes a register until then. */
const mostWaiting = 16;

/** The variables that a statement uses, with those inside it. */
const usedBy: (s: KernelStatement) => ReadonlySet<string> = remember((s) => {
  const used = new Set<string>();
  for (const inner of eachKernelStatement([s])) {
    visitOwnExpressions(inner, (e) => {
      if (e.kind === "variable") used.add(e.name);
    });
  }
  return used;
});

function meet<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): boolean {
  for (const one of a) if (b.has(one)) return true;
  return false;
}

/** Buffers of arrays: two that share one may be the same memory. */
type Memory = ReadonlyMap<string, string>;

function placesOf(arrays: ReadonlySet<string>, memory: Memory): ReadonlySet<string> {
  return new Set([...arrays].map((a) => memory.get(a) ?? a));
}

/** Whether a branch may as well be executed after a statement. */
function mayFollow(branch: Branch, s: KernelStatement, memory: Memory): boolean {
  const [own, other] = [effectsOf(branch), effectsOf(s)];
  // What a branch loads for after a loop is on its way meanwhile.
  if (other.hasBarrier || eachKernelStatement([s]).some((inner) => inner.kind === "loop"))
    return false;
  if (meet(own.names, usedBy(s)) || meet(other.names, usedBy(branch))) return false;
  if (meet(own.names, other.names)) return false;
  if (own.stores.size === 0 && other.stores.size === 0) return true;
  const [stores, others] = [placesOf(own.stores, memory), placesOf(other.stores, memory)];
  if (meet(stores, others)) return false;
  return !meet(stores, placesOf(other.loads, memory)) && !meet(others, placesOf(own.loads, memory));
}

/** Whether a branch may be moved and joined: it has one side, and all that it does is done for the invocation alone. */
function isPlain(s: KernelStatement): s is Branch {
  if (s.kind !== "if" || s.else.length > 0) return false;
  if (someKernelExpression(s.condition, (e) => e.kind === "load")) return false;
  return eachKernelStatement(s.then).every((inner) => computing.has(inner.kind));
}

const computing: ReadonlySet<KernelStatement["kind"]> = new Set([
  "declare",
  "assign",
  "store",
  "if",
  "loop",
]);

function joinIn(body: Body, memory: Memory): Body {
  const result: KernelStatement[] = [];
  /** Where the last branch under each condition stands. */
  const last = new Map<string, Branch>();
  for (const s of body) {
    const inner = joinInside(s, memory);
    result.push(inner);
    if (!isPlain(inner)) continue;
    const key = expressionKey(inner.condition);
    const before = last.get(key);
    const joined = before === undefined ? undefined : joinLast(result, before, inner, memory);
    if (joined !== undefined) result.push(joined);
    last.set(key, joined ?? inner);
  }
  return result;
}

/** Takes two branches out of a list, of which the second is its end, and gives what both are together. */
function joinLast(
  list: KernelStatement[],
  first: Branch,
  second: Branch,
  memory: Memory,
): Branch | undefined {
  const at = list.lastIndexOf(first);
  const between = list.slice(at + 1, -1);
  if (between.filter((s) => s.kind === "declare").length > mostWaiting) return undefined;
  const conditionUses = usedBy({ ...first, then: [] });
  if (meet(effectsOf(first).names, conditionUses)) return undefined;
  if (!between.every((s) => mayFollow(first, s, memory))) return undefined;
  list.splice(at, list.length - at, ...between);
  return { ...second, ...originOfAll([first, second]), then: [...first.then, ...second.then] };
}

function joinInside(s: KernelStatement, memory: Memory): KernelStatement {
  if (s.kind === "loop") return { ...s, body: joinIn(s.body, memory) };
  if (s.kind !== "if") return s;
  return { ...s, then: joinIn(s.then, memory), else: joinIn(s.else, memory) };
}

/** Joins branches under equal conditions. */
export function joinConditions(kernel: Kernel): Kernel {
  const seen = new Set<string>();
  const isRepeated = statementsOf(kernel).some((s) => {
    if (s.kind !== "if") return false;
    const key = expressionKey(s.condition);
    if (seen.has(key)) return true;
    seen.add(key);
    return false;
  });
  if (!isRepeated) return kernel;
  const memory: Memory = new Map(kernel.arrays.map((a) => [a.id, a.buffer ?? a.id]));
  return { ...kernel, body: joinIn(kernel.body, memory) };
}
