/**
 * Purpose: loads once, before them, what several conditional statements beside each other load.
 *
 * ```
 * if m >= k                             let v = B[k]
 *   s += A[m] * B[k]                    if m >= k
 * if m + 1 >= k                 -->       s += A[m] * v
 *   t += A[m + 1] * B[k]                if m + 1 >= k
 *                                         t += A[m + 1] * v
 * ```
 * Requires: names of variables are unique in the kernel. Ensures: the kernel computes the same. Only
 * memory that the kernel does not write is touched, or that of a workgroup between barriers where nobody
 * stores to it, and only where the index is in bounds whatever the conditions say.
 */
import { flatMap } from "../../support/flat-map.ts";
import { variableOf } from "../build.ts";
import type { Kernel, KernelArray, KernelExpression, KernelStatement } from "../kernel.ts";
import { type NameSource, nameSource } from "../lower/block.ts";
import { originOfAll } from "../origin.ts";
import { mapKernelExpression, mapOwnExpressions } from "../rewrite-kernel.ts";
import {
  eachKernelStatement,
  expressionKey,
  type KernelLoad,
  ownLoads,
  someKernelExpression,
  statementsOf,
} from "../walk-kernel.ts";
import {
  type BarrierInterval,
  intervalOfIterations,
  intervalsIn,
  wholeKernel,
} from "./barrier-intervals.ts";
import { factsOf, type IndexFacts, indexRange } from "./index-range.ts";
import { declaredIn, namesIn } from "./kernel-names.ts";
import { effectsOf } from "./stored-elements.ts";

type Body = readonly KernelStatement[];

/** The kernel as a whole. */
interface Context {
  readonly facts: IndexFacts;
  readonly names: NameSource;
  /** Arrays that the kernel only reads and those of the workgroup, with their lengths. */
  readonly lengths: ReadonlyMap<string, number>;
  /** Arrays of the workgroup that the kernel writes. */
  readonly exchanged: ReadonlySet<string>;
  /** Variables that can be assigned. */
  readonly mutable: ReadonlySet<string>;
  /** What stands for a variable that was the name of a shared load. */
  readonly renamed: Map<string, KernelExpression>;
}

/** Whether a load gives the same wherever some names are not seen, conditions or not. */
function isFree(load: KernelLoad, inside: ReadonlySet<string>, context: Context): boolean {
  const { facts, lengths, mutable } = context;
  const length = lengths.get(load.array);
  const range = indexRange(load.index, facts);
  if (length === undefined || range === undefined) return false;
  if (range.hi + load.type.width > length) return false;
  const changes = (name: string): boolean => inside.has(name) || mutable.has(name);
  return !someKernelExpression(load.index, (e) => {
    return e.kind === "load" || (e.kind === "variable" && changes(e.name));
  });
}

/** Whether nobody stores to an array between the barriers around statements, of which none is among them. */
function isQuiet(array: string, body: Body, intervals: readonly BarrierInterval[]): boolean {
  const isStored = intervals.some((i) => i.before.has(array) || i.after.has(array));
  return !(isStored || body.some((s) => effectsOf(s).hasBarrier));
}

/** The loads that several `if`s of a list have in common, by key, and which of them is the first. */
function sharedLoads(
  body: Body,
  intervals: readonly BarrierInterval[],
  context: Context,
): ReadonlyMap<string, { readonly load: KernelLoad; readonly first: number }> {
  const users = new Map<string, { readonly load: KernelLoad; readonly at: Set<number> }>();
  for (const [n, s] of body.entries()) {
    if (s.kind !== "if") continue;
    for (const load of flatMap(eachKernelStatement([s]), ownLoads)) {
      const key = expressionKey(load);
      const known = users.get(key) ?? { load, at: new Set() };
      users.set(key, { ...known, load: { ...known.load, ...originOfAll([known.load, load]) } });
      known.at.add(n);
    }
  }
  const declared = new Map<number, ReadonlySet<string>>();
  const declaredFrom = (first: number): ReadonlySet<string> => {
    const names = declared.get(first) ?? new Set(declaredIn(body.slice(first)));
    declared.set(first, names);
    return names;
  };
  const shared = flatMap([...users], ([key, { load, at }]) => {
    if (at.size < 2) return [];
    const [first, end] = [Math.min(...at), Math.max(...at) + 1];
    if (!isFree(load, declaredFrom(first), context)) return [];
    const isSame =
      !context.exchanged.has(load.array) ||
      isQuiet(load.array, body.slice(first, end), intervals.slice(first, end));
    return isSame ? [[key, { load, first }] as const] : [];
  });
  return new Map(shared);
}

/** Statements with the names of loads in their place. */
function useNames(
  body: Body,
  named: ReadonlyMap<string, KernelExpression>,
  renamed: Map<string, KernelExpression>,
): Body {
  const use = (e: KernelExpression): KernelExpression =>
    mapKernelExpression(e, (node) => {
      if (node.kind === "variable") return renamed.get(node.name);
      return node.kind === "load" ? named.get(expressionKey(node)) : undefined;
    });
  return flatMap(body, (s): Body => {
    const own = mapOwnExpressions(s, use);
    if (own.kind === "loop") return [{ ...own, body: useNames(own.body, named, renamed) }];
    if (own.kind === "if") {
      const then = useNames(own.then, named, renamed);
      return [{ ...own, then, else: useNames(own.else, named, renamed) }];
    }
    const isAlias = s.kind === "declare" && !s.mutable && s.value.kind === "load";
    if (isAlias && own.kind === "declare" && own.value.kind === "variable") {
      renamed.set(own.name, own.value);
      return [];
    }
    return [own];
  });
}

function shareInside(
  s: KernelStatement,
  context: Context,
  around: BarrierInterval,
): KernelStatement {
  if (s.kind === "loop") {
    return { ...s, body: shareIn(s.body, context, intervalOfIterations(s.body, around)) };
  }
  if (s.kind !== "if") return s;
  const then = shareIn(s.then, context, around);
  return { ...s, then, else: shareIn(s.else, context, around) };
}

function shareIn(body: Body, context: Context, around: BarrierInterval): Body {
  const intervals = context.exchanged.size === 0 ? [] : intervalsIn(body, around);
  const shared = sharedLoads(body, intervals, context);
  const before = new Map<number, KernelStatement[]>();
  const named = new Map<string, KernelExpression>();
  for (const [key, { load, first }] of shared) {
    const name = context.names.fresh(`${load.array}_value`);
    const declared = before.get(first) ?? [];
    before.set(first, declared);
    declared.push({ kind: "declare", name, type: load.type, value: load, mutable: false });
    named.set(key, variableOf(name, load.type));
  }
  const isNamed = named.size > 0 || context.renamed.size > 0;
  return flatMap(body, (s, n) => {
    const used = isNamed && s.kind === "if" ? useNames([s], named, context.renamed) : [s];
    const own = used.map((inner) => shareInside(inner, context, intervals[n] ?? around));
    return [...(before.get(n) ?? []), ...own];
  });
}

/** Loads what several conditions need before them. */
export function shareGuardedLoads(kernel: Kernel): Kernel {
  const all = statementsOf(kernel);
  if (!all.some((s) => s.kind === "if")) return kernel;
  const written = new Set<string>();
  const mutable = new Set<string>();
  for (const s of all) {
    const stores = s.kind === "store" || s.kind === "atomic" || s.kind === "store-fragment";
    if (stores) written.add(s.array);
    if (s.kind === "declare" && s.mutable) mutable.add(s.name);
  }
  const isExchanged = (a: KernelArray): boolean => a.space === "workgroup" && written.has(a.id);
  const free = kernel.arrays.filter(
    (a) => a.view !== true && (isExchanged(a) || !written.has(a.id)),
  );
  const context: Context = {
    facts: factsOf(kernel),
    names: nameSource(namesIn(kernel)),
    mutable,
    lengths: new Map(free.map((a) => [a.id, a.length])),
    exchanged: new Set(kernel.arrays.filter(isExchanged).map((a) => a.id)),
    renamed: new Map(),
  };
  return { ...kernel, body: shareIn(kernel.body, context, wholeKernel) };
}
