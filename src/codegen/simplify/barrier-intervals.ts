/**
 * What the invocations of a workgroup may store into its memory while one of them is at a statement: between
 * the nearest barriers on all ways to it and from it.
 */
import type { KernelStatement } from "../kernel.ts";
import { effectsOf } from "./stored-elements.ts";

type Body = readonly KernelStatement[];
type Arrays = ReadonlySet<string>;

/** The arrays that may be stored to since the last barrier, and until the next one. */
export interface BarrierInterval {
  readonly before: Arrays;
  readonly after: Arrays;
}

/** Where a kernel begins and ends. */
export const wholeKernel: BarrierInterval = { before: new Set(), after: new Set() };

/** What is stored between an end of something and the barriers next to it; open if there is a way without one. */
interface Edge {
  readonly stores: Arrays;
  readonly isOpen: boolean;
}

const union = (a: Arrays, b: Arrays): Arrays =>
  a.size === 0 ? b : b.size === 0 ? a : new Set([...a, ...b]);

function edgeOf(s: KernelStatement, isStart: boolean): Edge {
  const { stores, hasBarrier } = effectsOf(s);
  if (!hasBarrier) return { stores, isOpen: true };
  if (s.kind === "loop") return { ...edgeOfList(s.body, isStart), isOpen: true };
  if (s.kind === "if") {
    const [a, b] = [edgeOfList(s.then, isStart), edgeOfList(s.else, isStart)];
    return { stores: union(a.stores, b.stores), isOpen: a.isOpen || b.isOpen };
  }
  return { stores, isOpen: s.kind === "barrier" && s.memory === "storage" };
}

/** What is stored from some place on, along a list. */
function onwards(stores: Arrays, s: KernelStatement, isStart: boolean): Arrays {
  const edge = edgeOf(s, isStart);
  return edge.isOpen ? union(stores, edge.stores) : edge.stores;
}

function edgeOfList(body: Body, isStart: boolean): Edge {
  let stores: Arrays = new Set();
  for (const s of isStart ? body : body.toReversed()) {
    const edge = edgeOf(s, isStart);
    stores = union(stores, edge.stores);
    if (!edge.isOpen) return { stores, isOpen: false };
  }
  return { stores, isOpen: true };
}

/** The intervals of the statements of a list, of which that of the whole list is known. */
export function intervalsIn(
  body: Body,
  { before, after }: BarrierInterval,
): readonly BarrierInterval[] {
  const afters: Arrays[] = [];
  let stores = after;
  for (const s of body.toReversed()) {
    afters.unshift(stores);
    stores = onwards(stores, s, true);
  }
  stores = before;
  return body.map((s, n) => {
    const interval = { before: stores, after: afters[n] ?? after };
    stores = onwards(stores, s, false);
    return interval;
  });
}

/** The interval of a loop's body, each iteration of which stands between others, by that of the loop. */
export function intervalOfIterations(body: Body, around: BarrierInterval): BarrierInterval {
  return {
    before: union(around.before, edgeOfList(body, false).stores),
    after: union(around.after, edgeOfList(body, true).stores),
  };
}
