/** What the lines and names of a kernel's text come from. */

import { flatMap } from "../../support/flat-map.ts";
import { own } from "../../support/own.ts";
import type { Kernel, KernelExpression, KernelStatement } from "../kernel.ts";
import { type Origin, uniteOrigins } from "../origin.ts";
import type { PlanKernel } from "../plan.ts";
import { ownLoads, statementsOf, visitKernelExpression } from "../walk-kernel.ts";
import { builtinName, stepName } from "./print-expression.ts";
import { printWgslLines } from "./print-wgsl.ts";

/** Where a kernel's WGSL comes from. */
export interface WgslOrigins {
  /** By line of the text, from the first on: none for a line that is of nothing in particular. */
  readonly lines: readonly Origin[];
  /** By name in the text, of variables and builtin values: the indices of the source that they count. */
  readonly indices: Readonly<Record<string, readonly string[]>>;
}

/** What a statement itself comes from, with the loads in its expressions. */
export function statementOrigin(s: KernelStatement): Origin {
  return ownLoads(s).reduce<Origin>(
    (all, { origin = [] }) => uniteOrigins(all, origin),
    s.origin ?? [],
  );
}

/** The indices that loops go along. */
function indicesOf(origin: Origin): readonly string[] {
  return [...new Set(flatMap(origin, (p) => (p.kind === "loop" ? p.indices : [])))];
}

/** The indices that an expression is computed from; none where it loads, which is no index arithmetic. */
function indicesIn(
  e: KernelExpression,
  { numbered = {}, steps }: Kernel,
  known: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const found = new Set<string>();
  const add = (indices: readonly string[] = []): void => {
    for (const index of indices) found.add(index);
  };
  let loads = false;
  visitKernelExpression(e, (node) => {
    if (node.kind === "variable") add(known.get(node.name));
    if (node.kind === "builtin") add(indicesOf(own(numbered, node.builtin) ?? []));
    if (node.kind === "step") add(indicesOf(own(numbered, steps[node.slot] ?? "") ?? []));
    loads ||= node.kind === "load";
  });
  return loads ? [] : [...found];
}

/** The indices that each variable of index arithmetic counts. */
function variableIndices(kernel: Kernel): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, readonly string[]>();
  for (const s of statementsOf(kernel)) {
    if (s.kind === "loop") known.set(s.variable, indicesOf(s.origin ?? []));
    if (s.kind !== "declare" || s.mutable || s.type.scalar !== "uint32") continue;
    const counts = own(kernel.numbered ?? {}, s.name);
    known.set(s.name, counts === undefined ? indicesIn(s.value, kernel, known) : indicesOf(counts));
  }
  return known;
}

/** Where the lines and names of a kernel's text come from. Requires a kernel that has its body. */
export function wgslOrigins(
  { kernel }: Pick<PlanKernel, "kernel">,
  stepIndices: "immediate" | "table",
): WgslOrigins {
  const { lines, names } = printWgslLines(kernel, stepIndices);
  const { numbered = {}, steps } = kernel;
  const indices = new Map<string, readonly string[]>();
  for (const builtin of builtins) {
    indices.set(builtinName(builtin), indicesOf(own(numbered, builtin) ?? []));
  }
  for (const [slot, name] of steps.entries()) {
    indices.set(stepName(stepIndices, slot), indicesOf(own(numbered, name) ?? []));
  }
  for (const [name, along] of variableIndices(kernel))
    indices.set(names.of("variable", name), along);
  const known = new Map<KernelStatement, Origin>();
  const ofStatement = (s: KernelStatement): Origin => {
    const origin = known.get(s) ?? statementOrigin(s);
    known.set(s, origin);
    return origin;
  };
  return {
    lines: lines.map(({ of }) => {
      if (of === null) return [];
      return typeof of === "string" ? (numbered[of] ?? []) : ofStatement(of);
    }),
    indices: Object.fromEntries([...indices].filter(([, along]) => along.length > 0)),
  };
}

const builtins = [
  "workgroup-x",
  "workgroup-y",
  "workgroup-z",
  "local-index",
  "lane",
  "subgroup",
] as const;
