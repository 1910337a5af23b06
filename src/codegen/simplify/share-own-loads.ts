/**
 * Purpose: names an element that an invocation loads several times from memory which the kernel
 * writes, where nothing that it does in between may change the element.
 *
 * ```
 * s += h[i] * u                   let v = h[i]
 * t += h[i] * w            -->    s += v * u
 *                                 t += v * w
 * ```
 * Requires: names of variables are unique in the kernel; no invocation loads what another one stores
 * without a barrier in between. Ensures: the kernel computes the same.
 */
import { flatMap } from "../../support/flat-map.ts";
import { variableOf } from "../build.ts";
import type { Kernel, KernelExpression, KernelStatement } from "../kernel.ts";
import { type NameSource, nameSource } from "../lower/block.ts";
import { originOfAll } from "../origin.ts";
import { mapOperands, mapOwnExpressions } from "../rewrite-kernel.ts";
import { expressionKey, type KernelLoad, ownLoads, statementsOf } from "../walk-kernel.ts";
import { namesIn } from "./kernel-names.ts";
import { changesWith, effectsOf, ownArrays, type Uses, usesOf } from "./stored-elements.ts";

type Body = readonly KernelStatement[];

/** The same element in statements of a list, from the first that loads it to the last. */
interface Stretch {
  readonly key: string;
  load: KernelLoad;
  readonly uses: Uses;
  readonly first: number;
  last: number;
  count: number;
}

/** Adds what a statement at a place loads; gives what has not been loaded before. */
function noteLoads(
  loads: readonly KernelLoad[],
  place: number,
  open: Map<string, Stretch>,
): readonly Stretch[] {
  return flatMap(loads, (load): readonly Stretch[] => {
    const key = expressionKey(load);
    const known = open.get(key);
    if (known === undefined) {
      const uses = usesOf(load.index);
      const stretch = { key, load, uses, first: place, last: place, count: 1 };
      open.set(key, stretch);
      return [stretch];
    }
    known.last = place;
    known.count += 1;
    known.load = { ...known.load, ...originOfAll([known.load, load]) };
    return [];
  });
}

/** Forgets what may be another element, or have another value, after a statement. */
function closeAfter(s: KernelStatement, open: Map<string, Stretch>): void {
  if (open.size === 0) return;
  const effects = effectsOf(s);
  for (const [key, { load, uses }] of open) {
    const isStored = effects.hasBarrier || effects.stores.has(load.array);
    if (isStored || changesWith(uses, effects)) open.delete(key);
  }
}

/** The elements that statements of a list load several times. */
function stretchesOf(body: Body, arrays: ReadonlySet<string>): readonly Stretch[] {
  const found: Stretch[] = [];
  const open = new Map<string, Stretch>();
  const isShared = (load: KernelLoad): boolean =>
    arrays.has(load.array) && !usesOf(load.index).hasLoad;
  for (const [place, s] of body.entries()) {
    // The text of a loop computes its end in each iteration.
    if (s.kind !== "loop") found.push(...noteLoads(ownLoads(s).filter(isShared), place, open));
    closeAfter(s, open);
  }
  return found.filter((s) => s.count > 1);
}

function useNames(
  e: KernelExpression,
  named: ReadonlyMap<string, KernelExpression>,
): KernelExpression {
  const known = e.kind === "load" ? named.get(expressionKey(e)) : undefined;
  return known ?? mapOperands(e, (part) => useNames(part, named));
}

function shareIn(body: Body, arrays: ReadonlySet<string>, names: NameSource): Body {
  const stretches = stretchesOf(body, arrays);
  const named = new Map<string, KernelExpression>();
  const result: KernelStatement[] = [];
  for (const [place, s] of body.entries()) {
    for (const { key, load, first } of stretches) {
      if (first !== place) continue;
      const name = names.fresh(`${load.array}_value`);
      result.push({ kind: "declare", name, type: load.type, value: load, mutable: false });
      named.set(key, variableOf(name, load.type));
    }
    const isLoop = s.kind === "loop" || named.size === 0;
    const own = isLoop ? s : mapOwnExpressions(s, (e) => useNames(e, named));
    result.push(shareInside(own, arrays, names));
    for (const { key, last } of stretches) if (last === place) named.delete(key);
  }
  return result;
}

function shareInside(
  s: KernelStatement,
  arrays: ReadonlySet<string>,
  names: NameSource,
): KernelStatement {
  if (s.kind === "loop") return { ...s, body: shareIn(s.body, arrays, names) };
  if (s.kind !== "if") return s;
  const then = shareIn(s.then, arrays, names);
  return { ...s, then, else: shareIn(s.else, arrays, names) };
}

/** Loads what the kernel writes once as long as it stays the same. */
export function shareOwnLoads(kernel: Kernel): Kernel {
  const arrays = ownArrays(kernel);
  const isOwn = (load: KernelLoad): boolean => arrays.has(load.array);
  if (arrays.size === 0 || !statementsOf(kernel).some((s) => ownLoads(s).some(isOwn))) {
    return kernel;
  }
  return { ...kernel, body: shareIn(kernel.body, arrays, nameSource(namesIn(kernel))) };
}
