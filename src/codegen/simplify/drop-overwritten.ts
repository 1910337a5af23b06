/**
 * Purpose: leaves out stores whose elements the same invocation stores again before anything can
 * load them.
 *
 * Requires: names of variables are unique in the kernel; no invocation loads what another one stores
 * without a barrier in between. Ensures: the kernel leaves the same in memory.
 */
import type { Kernel, KernelStatement } from "../kernel.ts";
import { expressionKey, ownLoads, statementsOf } from "../walk-kernel.ts";
import { factsOf, type IndexFacts } from "./index-range.ts";
import {
  effectsOf,
  elementsOf,
  type Guard,
  type Guarded,
  guardsOf,
  holds,
  mayOverlap,
  movesWith,
  ownArrays,
} from "./stored-elements.ts";

type Body = readonly KernelStatement[];

/** Elements that are stored later, under some conditions, before anything loads them. */
type Overwritten = Guarded;

/** The kernel as a whole. */
interface Context {
  readonly facts: IndexFacts;
  readonly arrays: ReadonlySet<string>;
}

/** What is overwritten as seen from before a statement, of which nothing more is known. */
function before(later: readonly Overwritten[], s: KernelStatement): readonly Overwritten[] {
  if (later.length === 0) return later;
  const effects = effectsOf(s);
  if (effects.hasBarrier) return [];
  return later.filter((o) => !(effects.loads.has(o.array) || movesWith(o, effects)));
}

/** The same without elements that a statement itself loads. */
function unlessLoaded(
  later: readonly Overwritten[],
  s: KernelStatement,
  { facts }: Context,
): readonly Overwritten[] {
  const loads = ownLoads(s).map((l) => elementsOf(l.array, l.index, l.type.width, facts));
  return loads.length === 0 ? later : later.filter((o) => !loads.some((l) => mayOverlap(o, l)));
}

/** A list of statements, and what is overwritten as seen from before it. */
function dropIn(
  body: Body,
  after: readonly Overwritten[],
  guards: readonly Guard[],
  context: Context,
): readonly [Body, readonly Overwritten[]] {
  let later = after;
  const kept: KernelStatement[] = [];
  for (const s of body.toReversed()) {
    if (s.kind === "store") {
      const elements = elementsOf(s.array, s.index, s.value.type.width, context.facts);
      if (later.some((o) => o.key === elements.key && holds(o.guards, guards))) continue;
      if (context.arrays.has(s.array) && !elements.uses.hasLoad)
        later = [...later, { ...elements, guards }];
      later = unlessLoaded(later, s, context);
      kept.push(s);
    } else if (s.kind === "if") {
      const [branch, earlier] = dropInBranches(s, later, guards, context);
      later = unlessLoaded(earlier, s, context);
      kept.push(branch);
    } else if (s.kind === "loop") {
      later = before(later, s);
      kept.push({ ...s, body: dropIn(s.body, later, guards, context)[0] });
    } else {
      later = before(later, s);
      kept.push(s);
    }
  }
  return [kept.reverse(), later];
}

/** What a branch stores is overwritten where the condition says the same once more. */
function dropInBranches(
  s: Extract<KernelStatement, { kind: "if" }>,
  after: readonly Overwritten[],
  guards: readonly Guard[],
  context: Context,
): readonly [KernelStatement, readonly Overwritten[]] {
  const [yes, no] = guardsOf(s.condition);
  const [otherwise, later] = dropIn(s.else, after, [...guards, no], context);
  const [then, both] = dropIn(s.then, later, [...guards, yes], context);
  const isInside = (o: Overwritten): boolean => o.guards.length > guards.length;
  const earlier = yes.uses.hasLoad ? both.filter((o) => !isInside(o)) : both;
  return [{ ...s, then, else: otherwise }, earlier];
}

/** Whether the same elements are stored in two places. */
function storesTwice(kernel: Kernel): boolean {
  const seen = new Set<string>();
  return statementsOf(kernel).some((s) => {
    if (s.kind !== "store") return false;
    const key = `${s.array} ${expressionKey(s.index)}`;
    const again = seen.has(key);
    seen.add(key);
    return again;
  });
}

/** Removes stores that nothing sees. */
export function dropOverwritten(kernel: Kernel): Kernel {
  if (!storesTwice(kernel)) return kernel;
  const context: Context = { facts: factsOf(kernel), arrays: ownArrays(kernel) };
  return { ...kernel, body: dropIn(kernel.body, [], [], context)[0] };
}
