/**
 * Purpose: computes under a condition what only statements under it use, where the condition is one of
 * the step or the workgroup: the sum of a first step, and that of all others, in one kernel.
 *
 * ```
 * loop k in 0..K                     if step >= 1
 *   if step >= 1                       loop k in 0..K
 *     s += h[k] * U[k]          -->      s += h[k] * U[k]
 * if step >= 1                         y[step] = s
 *   y[step] = s
 * ```
 * Requires: names of variables are unique in the kernel. Ensures: the kernel leaves the same in memory.
 * What moves stands right before the condition, writes no memory and waits for nobody; the condition is
 * the same for all invocations of a workgroup, which may give each other values under it.
 */
import { allOf } from "../build.ts";
import type { Builtin, Kernel, KernelExpression, KernelStatement } from "../kernel.ts";
import { mapKernelStatements } from "../rewrite-kernel.ts";
import {
  eachKernelStatement,
  expressionKey,
  someKernelExpression,
  statementsOf,
  visitOwnExpressions,
} from "../walk-kernel.ts";
import { conjuncts } from "./loop-conditions.ts";
import { effectsOf } from "./stored-elements.ts";

type Body = readonly KernelStatement[];
type Branch = Extract<KernelStatement, { kind: "if" }>;
type Uses = ReadonlyMap<string, number>;

const ofWorkgroup: ReadonlySet<Builtin> = new Set(["workgroup-x", "workgroup-y", "workgroup-z"]);

/** Whether an expression is the same for all invocations of a workgroup, wherever it stands. */
function isCommon(e: KernelExpression): boolean {
  return !someKernelExpression(e, (node) => {
    if (node.kind === "builtin") return !ofWorkgroup.has(node.builtin);
    return node.kind === "variable" || node.kind === "load";
  });
}

const computing: ReadonlySet<KernelStatement["kind"]> = new Set([
  "declare",
  "assign",
  "exchange",
  "loop",
  "if",
]);

function isMovable(s: KernelStatement): boolean {
  return eachKernelStatement([s]).every((inner) => computing.has(inner.kind));
}

/** Adds how often statements, with those inside them, use each variable. */
function countUses(body: Body, uses: Map<string, number>): Uses {
  for (const s of eachKernelStatement(body)) {
    visitOwnExpressions(s, (e) => {
      if (e.kind === "variable") uses.set(e.name, (uses.get(e.name) ?? 0) + 1);
    });
  }
  return uses;
}

/** How many statements before a branch only serve what it guards: the most of which a loop is one. */
function countSinking(before: Body, branch: Branch, all: Uses): number {
  if (!before.some((s) => s.kind === "loop")) return 0;
  const uses = new Map<string, number>();
  countUses(branch.then, uses);
  const names: string[] = [];
  let [best, hasLoop] = [0, false];
  for (const [n, s] of before.toReversed().entries()) {
    if (!isMovable(s)) break;
    countUses([s], uses);
    names.push(...effectsOf(s).names);
    hasLoop ||= s.kind === "loop";
    if (hasLoop && names.every((name) => all.get(name) === uses.get(name))) best = n + 1;
  }
  return best;
}

/** The statements where some conditions hold anyway. */
function where(holding: ReadonlySet<string>, body: Body): Body {
  return mapKernelStatements(body, (s) => {
    if (s.kind !== "if") return [s];
    const parts = conjuncts(s.condition);
    const open = parts.filter((c) => !holding.has(expressionKey(c)));
    if (open.length === parts.length) return [s];
    const condition = allOf(open);
    return condition === undefined ? s.then : [{ ...s, condition }];
  });
}

function sinkIn(body: Body, all: Uses): Body {
  const result: KernelStatement[] = [];
  for (const s of body) {
    if (s.kind === "loop") {
      result.push({ ...s, body: sinkIn(s.body, all) });
      continue;
    }
    if (s.kind !== "if") {
      result.push(s);
      continue;
    }
    const branch: Branch = { ...s, then: sinkIn(s.then, all), else: sinkIn(s.else, all) };
    const condition = allOf(conjuncts(s.condition).filter(isCommon));
    const count =
      condition === undefined || s.else.length > 0 ? 0 : countSinking(result, branch, all);
    if (condition === undefined || count === 0) {
      result.push(branch);
      continue;
    }
    const moved = result.splice(-count);
    const holding = new Set(conjuncts(condition).map(expressionKey));
    result.push({ kind: "if", condition, then: where(holding, [...moved, branch]), else: [] });
  }
  return result;
}

/** Moves what a condition of the step or the workgroup needs alone under it. */
export function sinkIntoConditions(kernel: Kernel): Kernel {
  const isBranch = (s: KernelStatement): boolean =>
    s.kind === "if" && conjuncts(s.condition).some(isCommon);
  if (!statementsOf(kernel).some(isBranch)) return kernel;
  return { ...kernel, body: sinkIn(kernel.body, countUses(kernel.body, new Map())) };
}
