/**
 * Purpose: leaves out what the ranges of builtins and loops decide: conditions that always or never
 * hold, and the parts of conjunctions that always do.
 *
 * Requires: names of variables are unique in the kernel. Ensures: the kernel computes the same; the
 * statements of an `if` that always holds stand in its place.
 */
import { literalValue } from "../fold-literals.ts";
import type { KernelExpression, KernelStatement } from "../kernel.ts";
import { mapKernelExpression, mapOwnExpressions } from "../rewrite-kernel.ts";
import { type IndexFacts, indexRange, rangeOfLoop, truthOf, withRange } from "./index-range.ts";

type Body = readonly KernelStatement[];

/** What is left of an expression where the facts hold. */
export function decideExpression(e: KernelExpression, facts: IndexFacts): KernelExpression {
  return mapKernelExpression(e, (node) => {
    if (node.type.width !== 1) return undefined;
    if (node.kind === "select") {
      const truth = truthOf(node.condition, facts);
      return truth === undefined ? undefined : truth ? node.whenTrue : node.whenFalse;
    }
    if (node.kind !== "binary") return undefined;
    return node.type.scalar === "bool" ? decideLogic(node, facts) : foldIndex(node);
  });
}

type Binary = Extract<KernelExpression, { kind: "binary" }>;

function decideLogic(e: Binary, facts: IndexFacts): KernelExpression | undefined {
  const truth = truthOf(e, facts);
  if (truth !== undefined) return { kind: "literal", value: truth ? 1 : 0, type: e.type };
  if (e.operator !== "and" && e.operator !== "or") return undefined;
  // The side that is decided does not decide the whole.
  if (truthOf(e.left, facts) !== undefined) return e.right;
  return truthOf(e.right, facts) === undefined ? undefined : e.left;
}

/** Index arithmetic on literals, and with 0 and 1. */
function foldIndex(e: Binary): KernelExpression | undefined {
  if (e.type.scalar !== "uint32") return undefined;
  const [value] = literalValue(e) ?? [];
  if (value !== undefined) return { kind: "literal", value, type: e.type };
  const right = e.right.kind === "literal" ? e.right.value : undefined;
  const left = e.left.kind === "literal" ? e.left.value : undefined;
  if (right === 0 && (e.operator === "+" || e.operator === "-")) return e.left;
  if (left === 0 && e.operator === "+") return e.right;
  if (right === 1 && (e.operator === "*" || e.operator === "/")) return e.left;
  return undefined;
}

function decideStatement(s: KernelStatement, facts: IndexFacts): Body {
  if (s.kind === "loop") {
    if (s.extent === 0) return [];
    const inside = withRange(facts, s.variable, rangeOfLoop(s, facts));
    const body = decideConditions(s.body, inside);
    const own = mapOwnExpressions(s, (e) => decideExpression(e, facts));
    return body.length === 0 || own.kind !== "loop" ? [] : [{ ...own, body }];
  }
  const own = mapOwnExpressions(s, (e) => decideExpression(e, facts));
  if (own.kind !== "if") return [own];
  const truth = truthOf(own.condition, facts);
  if (truth !== undefined) return decideConditions(truth ? own.then : own.else, facts);
  const then = decideConditions(own.then, facts);
  const otherwise = decideConditions(own.else, facts);
  return then.length === 0 && otherwise.length === 0 ? [] : [{ ...own, then, else: otherwise }];
}

/** The statements that are left where the facts hold. */
export function decideConditions(body: Body, facts: IndexFacts): Body {
  const left: KernelStatement[] = [];
  const variables = new Map(facts.variables);
  const known: IndexFacts = { ...facts, variables };
  for (const s of body) {
    left.push(...decideStatement(s, known));
    if (s.kind !== "declare" || s.mutable) continue;
    const range = indexRange(s.value, known);
    if (range !== undefined) variables.set(s.name, range);
  }
  return left;
}
