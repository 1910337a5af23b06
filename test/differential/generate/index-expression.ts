/** Index expressions whose values are known: inside of a range, or on purpose not. */
import type { Interval } from "../../../src/ir/affine.ts";
import { floorDiv } from "../../../src/support/integer.ts";
import { type Draft, type SceneTensor, sizeText, type Variable } from "./scene.ts";

/** An index expression with its extreme values. */
export interface IndexText extends Interval {
  readonly text: string;
  /** The one variable that it is, if it is one alone. */
  readonly bare?: Variable;
}

/** The text of `e + c`. */
function plus(e: string, c: number): string {
  if (c === 0) return e;
  return c > 0 ? `${e} + ${c}` : `${e} - ${-c}`;
}

function scaled(v: Variable, c: number): IndexText {
  const ends = [c * v.lo, c * v.hi];
  const text = c === 1 ? v.name : `${c} * ${v.name}`;
  const bare = c === 1 ? { bare: v } : {};
  return { text, lo: Math.min(...ends), hi: Math.max(...ends), ...bare };
}

/** A random affine expression, quotients and remainders by constants included, or a constant. */
function randomLinear(d: Draft): IndexText {
  const { random, stride } = d.scene;
  if (d.variables.length === 0) return { text: "0", lo: 0, hi: 0 };
  const v = random.pick(d.variables);
  const kind = random.next();
  if (kind < 0.55) return scaled(v, 1);
  if (kind < 0.65) return scaled(v, 2);
  if (kind < 0.72) return scaled(v, -1);
  if (kind < 0.78 && stride > 0) {
    return { text: `S * ${v.name}`, lo: stride * v.lo, hi: stride * v.hi };
  }
  if (kind < 0.85) {
    const divisor = random.integer(2, 4);
    const c = random.pick([0, 0, 1, -1]);
    const text = c === 0 ? `${v.name} / ${divisor}` : `(${plus(v.name, c)}) / ${divisor}`;
    return { text, lo: floorDiv(v.lo + c, divisor), hi: floorDiv(v.hi + c, divisor) };
  }
  if (kind < 0.9) {
    const divisor = random.integer(2, 5);
    return { text: `${v.name} % ${divisor}`, lo: 0, hi: divisor - 1 };
  }
  const w = random.pick(d.variables);
  if (kind < 0.97) {
    return { text: `${v.name} + ${w.name}`, lo: v.lo + w.lo, hi: v.hi + w.hi };
  }
  return { text: `${v.name} - ${w.name}`, lo: v.lo - w.hi, hi: v.hi - w.lo };
}

/** True when a bare inferred index would be ranged by this dimension as well, but differently. */
function disagrees(e: IndexText, extent: number): boolean {
  return e.bare?.ranged === "inferred" && extent !== e.bare.hi + 1;
}

/** `last - v`, with the name of the size. */
function reversed(d: Draft, v: Variable, last: number): IndexText {
  const text = `${sizeText(d.scene, last + 1)} - 1 - ${v.name}`;
  return { text, lo: last - v.hi, hi: last - v.lo };
}

/** A random index whose values lie in `within`; undefined when the draw does not fit. */
function tryInside(d: Draft, within: Interval, extent: number): IndexText | undefined {
  const { random } = d.scene;
  if (d.variables.length > 0 && random.chance(0.08)) {
    const e = reversed(d, random.pick(d.variables), within.hi);
    if (e.lo >= within.lo && e.hi <= within.hi) return e;
  }
  const e = randomLinear(d);
  const [least, most] = [within.lo - e.lo, within.hi - e.hi];
  if (least > most || e.lo > e.hi) return undefined;
  const stays = least <= 0 && most >= 0 && random.chance(0.7);
  const shift = stays ? 0 : random.integer(least, most + 1);
  if (shift === 0 && disagrees(e, extent)) return undefined;
  return { text: plus(e.text, shift), lo: e.lo + shift, hi: e.hi + shift };
}

/** An index whose values lie in `within`, for a dimension of `extent` elements. */
export function insideIndex(d: Draft, within: Interval, extent: number): IndexText {
  for (let attempt = 0; attempt < 6; attempt++) {
    const found = tryInside(d, within, extent);
    if (found !== undefined) return found;
  }
  return constantIndex(d, within);
}

/** A constant inside of a range. */
export function constantIndex(d: Draft, within: Interval): IndexText {
  const value = d.scene.random.integer(within.lo, within.hi + 1);
  return { text: String(value), lo: value, hi: value };
}

/** An index near a range that may leave it. */
export function looseIndex(d: Draft, within: Interval): IndexText {
  const e = randomLinear(d);
  const shift = d.scene.random.integer(-2, 3) + (e.lo > within.hi ? within.hi - e.lo : 0);
  return { text: plus(e.text, shift), lo: e.lo + shift, hi: e.hi + shift };
}

/** `min`, `max` or `clamp` of a loose index, which keeps it inside. */
export function clampedIndex(d: Draft, within: Interval): IndexText {
  const e = looseIndex(d, within);
  const { lo, hi } = within;
  const { random } = d.scene;
  if (e.lo >= lo && e.hi > hi && random.chance(0.6))
    return { text: `min(${e.text}, ${hi})`, lo, hi };
  if (e.lo < lo && e.hi <= hi && random.chance(0.6))
    return { text: `max(${e.text}, ${lo})`, lo, hi };
  return { text: `clamp(${e.text}, ${lo}, ${hi})`, lo, hi };
}

/** An index that is computed at run time and may leave the tensor. */
export function opaqueIndex(d: Draft, extent: number, tables: readonly SceneTensor[]): string {
  const { random } = d.scene;
  const table = tables.length === 0 ? undefined : random.pick(tables);
  if (table !== undefined && random.chance(0.8)) {
    const inner = table.covered.map((c, n) => insideIndex(d, c, table.shape[n] ?? 1).text);
    const read = table.shape.length === 0 ? table.name : `${table.name}(${inner.join(", ")})`;
    return random.pick([read, read, `${read} + 1`, `${read} % ${extent}`, `${extent} - ${read}`]);
  }
  const [v, w] = [randomLinear(d), randomLinear(d)];
  return random.pick([`(${v.text}) * (${w.text})`, `(${v.text}) * (${w.text}) % ${extent}`]);
}
