/**
 * Purpose: an invocation that loads what it has stored takes the value that it stored.
 *
 * ```
 * y[i] = sum                          y[i] = sum
 * y[i] = max(y[i] + b[j], 0)   -->    y[i] = max(sum + b[j], 0)
 * ```
 * Requires: names of variables are unique in the kernel; no invocation stores what another one stores
 * or loads without a barrier in between. Ensures: the kernel computes the same. Only loads of the very
 * elements that were stored are replaced, in the same block, in blocks inside it, and under the
 * same conditions.
 */
import { flatMap } from "../../support/flat-map.ts";
import { variableOf } from "../build.ts";
import type { Kernel, KernelExpression, KernelStatement } from "../kernel.ts";
import { type NameSource, nameSource } from "../lower/block.ts";
import { originOf } from "../origin.ts";
import { mapKernelExpression, mapKernelStatements, mapOwnExpressions } from "../rewrite-kernel.ts";
import { ownLoads, statementsOf } from "../walk-kernel.ts";
import { factsOf, type IndexFacts } from "./index-range.ts";
import { namesIn } from "./kernel-names.ts";
import {
  changesWith,
  type Effects,
  effectsOf,
  elementsOf,
  type Guard,
  type Guarded,
  guardsOf,
  holds,
  mayOverlap,
  movesWith,
  ownArrays,
  usesOf,
} from "./stored-elements.ts";

type Body = readonly KernelStatement[];

/** Elements with the value that was stored under some conditions: a variable or a literal. */
interface Stored extends Guarded {
  readonly value: KernelExpression;
}

/** The kernel as a whole. */
interface Context {
  readonly facts: IndexFacts;
  readonly names: NameSource;
  readonly arrays: ReadonlySet<string>;
  /** The places of all loads, by key. */
  readonly loaded: ReadonlySet<string>;
  /** Names of stored values that something uses. */
  readonly used: Set<string>;
}

/** What still holds of what is known after some statements. */
function after(known: readonly Stored[], effects: Effects): readonly Stored[] {
  if (effects.hasBarrier) return [];
  const isLost = (k: Stored): boolean =>
    effects.stores.has(k.array) || movesWith(k, effects) || changesWith(usesOf(k.value), effects);
  return known.filter((k) => !isLost(k));
}

/** The expression with stored values in place of loads of them. */
function useStored(
  e: KernelExpression,
  known: readonly Stored[],
  guards: readonly Guard[],
  { facts, used }: Context,
): KernelExpression {
  if (known.length === 0) return e;
  return mapKernelExpression(e, (node) => {
    if (node.kind !== "load" || !known.some((k) => k.array === node.array)) return undefined;
    const { key } = elementsOf(node.array, node.index, node.type.width, facts);
    const stored = known.find((k) => k.key === key && holds(k.guards, guards));
    if (stored?.value.type.scalar !== node.type.scalar) return undefined;
    if (stored.value.kind === "variable") used.add(stored.value.name);
    return stored.value;
  });
}

/** A store, and what is known after it. A value that may be loaded later gets a name. */
function forwardStore(
  s: Extract<KernelStatement, { kind: "store" }>,
  known: readonly Stored[],
  guards: readonly Guard[],
  { facts, names, arrays, loaded }: Context,
): readonly [Body, readonly Stored[]] {
  const elements = elementsOf(s.array, s.index, s.value.type.width, facts);
  const others = known.filter((k) => !mayOverlap(k, elements));
  if (!loaded.has(elements.key) || !arrays.has(s.array) || elements.uses.hasLoad) {
    return [[s], others];
  }
  const isSimple = s.value.kind === "variable" || s.value.kind === "literal";
  if (isSimple) return [[s], [...others, { ...elements, value: s.value, guards }]];
  const { type } = s.value;
  const name = names.fresh(`${s.array}_value`);
  const value = variableOf(name, type);
  const body: Body = [
    { kind: "declare", name, type, value: s.value, mutable: false, ...originOf(s) },
    { ...s, value },
  ];
  return [body, [...others, { ...elements, value, guards }]];
}

/** A list of statements, and what is known after it. */
function forwardIn(
  body: Body,
  before: readonly Stored[],
  guards: readonly Guard[],
  context: Context,
): readonly [Body, readonly Stored[]] {
  let known = before;
  const result = flatMap(body, (s): Body => {
    const own = mapOwnExpressions(s, (e) => useStored(e, known, guards, context));
    if (own.kind === "store") {
      const [stored, now] = forwardStore(own, known, guards, context);
      known = now;
      return stored;
    }
    if (own.kind === "if") {
      const [branch, now] = forwardBranches(own, known, guards, context);
      known = now;
      return [branch];
    }
    if (known.length > 0) known = after(known, effectsOf(s));
    if (own.kind !== "loop") return [own];
    // What held before and is not changed in any iteration holds in all of them.
    return [{ ...own, body: forwardIn(own.body, known, guards, context)[0] }];
  });
  return [result, known];
}

/** What is stored in a branch is known where the condition says the same once more. */
function forwardBranches(
  s: Extract<KernelStatement, { kind: "if" }>,
  before: readonly Stored[],
  guards: readonly Guard[],
  context: Context,
): readonly [KernelStatement, readonly Stored[]] {
  const [yes, no] = guardsOf(s.condition);
  const [then, known] = forwardIn(s.then, before, [...guards, yes], context);
  const [otherwise, both] = forwardIn(s.else, known, [...guards, no], context);
  const branches = { ...s, then, else: otherwise };
  if (both.length === 0) return [branches, both];
  const inside = effectsOf(branches);
  const stays = (k: Stored): boolean => {
    if (k.guards.length > guards.length && yes.uses.hasLoad) return false;
    return !(changesWith(usesOf(k.value), inside) || changesWith(k.uses, inside));
  };
  return [branches, both.filter(stays)];
}

/** Replaces loads of what the same invocation has stored. */
export function forwardStores(kernel: Kernel): Kernel {
  const arrays = ownArrays(kernel);
  if (arrays.size === 0) return kernel;
  const all = flatMap(statementsOf(kernel), ownLoads);
  const loads = all.filter((load) => arrays.has(load.array));
  if (loads.length === 0) return kernel;
  const facts = factsOf(kernel);
  const loaded = loads.map((l) => elementsOf(l.array, l.index, l.type.width, facts).key);
  const before = namesIn(kernel);
  const names = nameSource(before);
  const context: Context = { facts, names, arrays, loaded: new Set(loaded), used: new Set() };
  const [body] = forwardIn(kernel.body, [], [], context);
  const isIdle = (name: string): boolean => !(before.has(name) || context.used.has(name));
  return { ...kernel, body: inlineNames(body, isIdle) };
}

/** Takes the names of stored values away again that nothing else uses. */
function inlineNames(body: Body, isIdle: (name: string) => boolean): Body {
  const values = new Map<string, KernelExpression>();
  return mapKernelStatements(body, (s) => {
    if (s.kind === "declare" && isIdle(s.name)) {
      values.set(s.name, s.value);
      return [];
    }
    if (s.kind !== "store" || s.value.kind !== "variable") return [s];
    return [{ ...s, value: values.get(s.value.name) ?? s.value }];
  });
}
