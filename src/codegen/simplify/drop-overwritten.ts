/**
 * Purpose: leaves out stores whose elements the same invocation stores again before anything can
 * load them.
 *
 * Requires: names of variables are unique in the kernel; no invocation loads what another one stores
 * without a barrier in between. Ensures: the kernel leaves the same in memory.
 */
import type { Kernel, KernelStatement } from "../kernel.ts";
import { factsOf, type IndexFacts } from "./index-range.ts";
import {
  changesWith,
  type Effects,
  type Elements,
  effectsOf,
  elementsOf,
  type Guard,
  guardsOf,
  holds,
  isLoaded,
  mayOverlap,
  mentions,
  ownArrays,
  ownLoads,
} from "./stored-elements.ts";

type Body = readonly KernelStatement[];

/** Elements that are stored later, before anything loads them. */
interface Overwritten extends Elements {
  /** The conditions under which they are. */
  readonly guards: readonly Guard[];
}

/** The kernel as a whole. */
interface Context {
  readonly facts: IndexFacts;
  readonly arrays: ReadonlySet<string>;
}

/** What is overwritten as seen from before some statements, of which nothing more is known. */
function before(later: readonly Overwritten[], effects: Effects): readonly Overwritten[] {
  if (effects.hasBarrier) return [];
  const names = [...effects.names];
  return later.filter(
    (o) =>
      !(
        effects.loads.has(o.array) ||
        names.some((n) => mentions(o.index, n) || changesWith(o.guards, n))
      ),
  );
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
      if (context.arrays.has(s.array)) later = [...later, { ...elements, guards }];
      later = unlessLoaded(later, s, context);
      kept.push(s);
    } else if (s.kind === "if") {
      const [branch, earlier] = dropInBranches(s, later, guards, context);
      later = unlessLoaded(earlier, s, context);
      kept.push(branch);
    } else if (s.kind === "loop") {
      later = before(later, effectsOf(s));
      kept.push({ ...s, body: dropIn(s.body, later, guards, context)[0] });
    } else {
      later = before(later, effectsOf(s));
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
  const earlier = isLoaded(s.condition) ? both.filter((o) => !isInside(o)) : both;
  return [{ ...s, then, else: otherwise }, earlier];
}

/** Removes stores that nothing sees. */
export function dropOverwritten(kernel: Kernel): Kernel {
  const context: Context = { facts: factsOf(kernel), arrays: ownArrays(kernel) };
  return { ...kernel, body: dropIn(kernel.body, [], [], context)[0] };
}
