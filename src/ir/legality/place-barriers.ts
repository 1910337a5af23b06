/**
 * Purpose: chooses where barriers stand, as few and as late as possible.
 *
 * Requires: needs, each a leaf that must be finished by all invocations before another begins.
 * Ensures: between the two, on every path, stands a barrier for the need's memory; barriers stand
 * only where every invocation of the workgroup comes.
 */

import type { Loop, Sequence } from "../schedule.ts";
import type { Need } from "./check-order.ts";
import { type Fault, fault } from "./fault.ts";
import { compareText, type Occurrence, type Occurrences, type Site } from "./occurrence.ts";

/** What accesses a barrier separates. */
export type BarrierMemory = "workgroup" | "storage" | "both";

export type BarrierSite =
  | {
      readonly kind: "before-child";
      /** The very node of the schedule. */
      readonly sequence: Sequence;
      readonly child: number;
      readonly memory: BarrierMemory;
    }
  | {
      /** At the end of each iteration of a serial loop. */
      readonly kind: "loop-end";
      readonly loop: string;
      readonly memory: BarrierMemory;
    };

/** A barrier being placed; its memory grows with the needs that it serves. */
interface Barrier {
  readonly node:
    | { readonly kind: "before-child"; readonly sequence: Sequence; readonly child: number }
    | { readonly kind: "loop-end"; readonly loop: string };
  /** Compares with the paths of leaves as the place in the text does. */
  readonly path: readonly number[];
  readonly loops: readonly Loop[];
  memory: BarrierMemory;
}

function serve(barrier: Barrier, memory: Need["memory"]): void {
  if (barrier.memory !== memory) barrier.memory = "both";
}

function after(barrier: Barrier, leaf: Occurrence): boolean {
  return compareText(barrier.path, leaf.path) > 0;
}

function satisfies(barrier: Barrier, { from, to, loop, apart = 1 }: Need): boolean {
  if (loop === null) return after(barrier, from) && !after(barrier, to);
  const inside = barrier.loops.some((l) => l.id === loop.id);
  // Two iterations later there was one between, and its barriers.
  return inside && (apart > 1 || after(barrier, from) || !after(barrier, to));
}

/** The sequence where two leaves part and the numbers of their children in it. */
function parting(from: Occurrence, to: Occurrence): { sequence: Sequence; child: number } | null {
  const depth = to.path.findIndex((n, i) => n !== from.path[i]);
  const [sequence, child] = [to.sequences[depth], to.path[depth]];
  return sequence === undefined || child === undefined ? null : { sequence, child };
}

function barrierFor(need: Need, occurrences: Occurrences): Barrier | string {
  const { from, to, loop, memory } = need;
  const who = `${from.statement.id} and ${to.statement.id}`;
  if (loop !== null) {
    const site = occurrences.loops.get(loop.id);
    if (site === undefined || !site.uniform || loop.on !== "serial") {
      return `${who} need a barrier in ${loop.on} loop ${loop.id}`;
    }
    const node = { kind: "loop-end", loop: loop.id } as const;
    return { node, path: [...site.path, Number.POSITIVE_INFINITY], loops: site.loops, memory };
  }
  const part = parting(from, to);
  const site: Site | undefined =
    part === null ? undefined : occurrences.sequences.get(part.sequence);
  if (part === null || site === undefined || !site.uniform) {
    return `${who} need a barrier where not every invocation comes`;
  }
  const path = [...site.path, part.child - 0.5];
  return { node: { kind: "before-child", ...part }, path, loops: site.loops, memory };
}

/** Innermost first: text before loops, and by the earliest end, so that later needs may share. */
function inOrder(needs: readonly Need[]): readonly Need[] {
  const depth = ({ from, loop }: Need): number =>
    loop === null ? -1 : from.loops.findIndex((l) => l.id === loop.id);
  return [...needs].sort((x, y) => {
    if (x.loop === null && y.loop === null) return compareText(x.to.path, y.to.path);
    if (x.loop === null || y.loop === null) return x.loop === null ? -1 : 1;
    return depth(y) - depth(x);
  });
}

/** The barriers of a schedule, and faults where one cannot stand. */
export function placeBarriers(
  needs: readonly Need[],
  occurrences: Occurrences,
): { readonly barriers: readonly BarrierSite[]; readonly faults: readonly Fault[] } {
  const placed: Barrier[] = [];
  const faults: Fault[] = [];
  for (const need of inOrder(needs)) {
    const known = placed.find((b) => satisfies(b, need));
    if (known !== undefined) {
      serve(known, need.memory);
      continue;
    }
    const barrier = barrierFor(need, occurrences);
    if (typeof barrier !== "string") placed.push(barrier);
    else faults.push(fault("barrier", [need.from.statement.id, need.to.statement.id], barrier));
  }
  const barriers = placed.map(({ node, memory }): BarrierSite => ({ ...node, memory }));
  return { barriers, faults };
}
