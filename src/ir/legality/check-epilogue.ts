/**
 * Purpose: checks what follows a reduction in fragments in its kernel: the lanes of a subgroup run it,
 * each for the elements of the fragment that it stores.
 *
 * Ensures: each element of what the kernel writes belongs to one lane, and no fragment is made of it, but
 * for what a sum starts from, which is loaded before.
 */
import { flatMap } from "../../support/flat-map.ts";
import { type Affine, affineEquals, substitute } from "../affine.ts";
import { type Access, isScatter, type Statement } from "../program.ts";
import { isLocal, type Loop } from "../schedule.ts";
import { compareText, type Occurrence } from "./occurrence.ts";

/** An access in an iteration of the loops around a leaf. */
interface Touch {
  readonly tensor: string;
  /** Over loops; null where it is computed, or over more than the loops. */
  readonly map: readonly Affine[] | null;
}

function touchOf({ leaf }: Occurrence, { tensor, index }: Pick<Access, "tensor" | "index">): Touch {
  const map: Affine[] = [];
  for (const i of index) {
    const known = i.kind === "affine" && i.affine.terms.every((t) => leaf.binding.has(t.variable));
    if (!known) return { tensor, map: null };
    map.push(substitute(i.affine, (dim) => leaf.binding.get(dim)));
  }
  return { tensor, map };
}

/** Whether different iterations of some loops touch different elements, as coordinates alone tell. */
function isInjective(map: readonly Affine[], loops: readonly Loop[]): boolean {
  const extents = new Map(loops.filter((l) => l.extent > 1).map((l) => [l.id, l.extent]));
  const apart = new Set<string>();
  for (const { terms } of map) {
    const own = terms
      .filter((t) => extents.has(t.variable))
      .sort((a, b) => Math.abs(a.coefficient) - Math.abs(b.coefficient));
    let reach = 0;
    const digits = own.every((t) => {
      const isBeyond = Math.abs(t.coefficient) > reach;
      reach += Math.abs(t.coefficient) * ((extents.get(t.variable) ?? 1) - 1);
      return isBeyond;
    });
    if (digits) for (const t of own) apart.add(t.variable);
  }
  return apart.size === extents.size;
}

function sameMap(a: Touch, b: Touch): boolean {
  const { map } = b;
  return a.map?.every((x, d) => map?.[d] !== undefined && affineEquals(x, map[d])) ?? false;
}

/** Whether a leaf is a map behind another one, in the same loops. */
function follows(o: Occurrence, finish: Occurrence): boolean {
  const same =
    o.loops.length === finish.loops.length && o.loops.every((l, n) => l === finish.loops[n]);
  const isMap = o.leaf.phase === "whole" && !isScatter(o.statement);
  return same && isMap && compareText(finish.path, o.path) < 0;
}

/** What is wrong with the leaves of other statements in a kernel of fragments of a statement. */
export function epilogueFaults(
  s: Statement,
  finish: Occurrence,
  others: readonly Occurrence[],
): readonly string[] {
  if (others.length === 0) return [];
  const strangers = others.filter((o) => !follows(o, finish));
  if (strangers.length > 0) {
    return strangers.map((o) => `${o.statement.id} is in a kernel of fragments of ${s.id}`);
  }
  const leaves = [finish, ...others];
  const stores = leaves.map((o) => touchOf(o, o.statement.write));
  const written = new Set(stores.map((t) => t.tensor));
  const loads = flatMap(leaves, (o) => o.statement.reads.map((r) => touchOf(o, r)));
  const inside = finish.loops.filter((l) => l.on !== "grid" && l.on !== "host" && !isLocal(l.on));
  return flatMap([...written], (tensor) => {
    const [first, ...more] = [...stores, ...loads].filter((t) => t.tensor === tensor);
    const own = first?.map !== null && first !== undefined && isInjective(first.map, inside);
    const alike = first !== undefined && more.every((t) => sameMap(first, t));
    return own && alike ? [] : [`lanes share elements of ${tensor} beside fragments of ${s.id}`];
  });
}
