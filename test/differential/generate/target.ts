/** Left sides: where a random statement writes. */
import type { Interval } from "../../../src/ir/affine.ts";
import type { ScalarType } from "../../../src/support/scalar-type.ts";
import { narrow } from "./declare.ts";
import { insideIndex, opaqueIndex } from "./index-expression.ts";
import type { Indices } from "./indices.ts";
import { indexTables } from "./read.ts";
import {
  type Draft,
  everything,
  freshName,
  isSmall,
  type SceneTensor,
  sizeText,
  type Variable,
} from "./scene.ts";

/** Where a statement writes. */
export interface Target {
  readonly tensor: SceneTensor;
  /** `T(i, 2 * j)`. */
  readonly text: string;
  /** The statement's indices that the left side uses. */
  readonly used: ReadonlySet<string>;
  /** Several values of the used indices may name one element. */
  readonly collides: boolean;
  /** The part that is written; per dimension, both ends included. */
  readonly reach: readonly Interval[];
  readonly isNew: boolean;
}

interface Coordinate extends Interval {
  readonly text: string;
  readonly variables: readonly string[];
}

/** One dimension of a new tensor, written by an index of its own. */
function newCoordinate(d: Draft, v: Variable): Coordinate {
  const { random } = d.scene;
  const kind = random.next();
  const variables = [v.name];
  const loop = d.variables.find((l) => l.ranged === "loop" && l.lo >= 0 && l.hi <= 8);
  if (loop !== undefined && random.chance(0.2)) {
    return { text: `${v.name} + ${loop.name}`, lo: v.lo + loop.lo, hi: v.hi + loop.hi, variables };
  }
  if (kind < 0.75 || v.hi > 8) return { text: v.name, lo: v.lo, hi: v.hi, variables };
  if (kind < 0.83) return { text: `${v.name} + 1`, lo: v.lo + 1, hi: v.hi + 1, variables };
  if (kind < 0.92) {
    const text = `${sizeText(d.scene, v.hi + 1)} - 1 - ${v.name}`;
    return { text, lo: 0, hi: v.hi - v.lo, variables };
  }
  return { text: `2 * ${v.name} + 1`, lo: 2 * v.lo + 1, hi: 2 * v.hi + 1, variables };
}

/** Two dimensions that one index writes, or one that two indices write. */
function combined(d: Draft, pool: Variable[]): readonly Coordinate[] {
  const { random } = d.scene;
  const [v, w] = pool;
  if (v === undefined || v.lo !== 0) return [];
  if (v.hi >= 2 && random.chance(0.5)) {
    pool.splice(0, 1);
    const variables = [v.name];
    const whole = { text: `${v.name} / 3`, lo: 0, hi: Math.floor(v.hi / 3), variables };
    return [whole, { text: `${v.name} % 3`, lo: 0, hi: 2, variables }];
  }
  if (w === undefined || w.lo !== 0) return [];
  pool.splice(0, 2);
  const hi = (w.hi + 1) * v.hi + w.hi;
  const text = `${w.hi + 1} * ${v.name} + ${w.name}`;
  return [{ text, lo: 0, hi, variables: [v.name, w.name] }];
}

function targetOf(
  tensor: SceneTensor,
  coordinates: readonly Coordinate[],
  own: readonly Variable[],
  rest: { readonly collides: boolean; readonly isNew: boolean },
): Target {
  const names = new Set(own.map((v) => v.name));
  const used = coordinates.flatMap((c) => c.variables);
  const indices = coordinates.map((c) => c.text).join(", ");
  const reach = coordinates.map(({ lo, hi }) => ({ lo, hi }));
  const text = coordinates.length === 0 ? tensor.name : `${tensor.name}(${indices})`;
  return { tensor, text, used: new Set(used.filter((n) => names.has(n))), reach, ...rest };
}

/** A new tensor, shaped by the indices; undefined when it would be too large. */
export function newTarget(d: Draft, indices: Indices, type: ScalarType): Target | undefined {
  const { random } = d.scene;
  const loops = d.variables.filter((v) => v.ranged === "loop");
  const usable = indices.own.filter((v) => v.lo >= 0 && v.lo <= v.hi);
  const pool = [...usable].sort((a, b) => (a.name < b.name ? -1 : 1));
  if (random.chance(0.25)) pool.reverse();
  const drop = pool.length > 1 && random.chance(0.5) ? random.integer(1, pool.length) : 0;
  pool.splice(pool.length - drop, drop);
  if (pool.length === 1 && random.chance(0.25)) pool.pop();
  const coordinates: Coordinate[] = [];
  const [loop] = loops;
  if (loop !== undefined && loop.lo >= 0 && random.chance(0.4)) {
    coordinates.push({ text: loop.name, lo: loop.lo, hi: loop.hi, variables: [] });
  }
  if (random.chance(0.08)) coordinates.push(...combined(d, pool));
  for (const v of pool.slice(0, 3)) coordinates.push(newCoordinate(d, v));
  const shape = coordinates.map((c) => c.hi + 1);
  if (!isSmall(shape) || coordinates.length > 4) return undefined;
  const tensor: SceneTensor = {
    name: freshName(d.scene, "T"),
    type,
    shape,
    covered: coordinates.map(({ lo, hi }) => ({ lo, hi })),
    magnitude: 0,
    writable: true,
    parameter: false,
  };
  return targetOf(narrow(d.scene, tensor, 0.25), coordinates, indices.own, {
    collides: false,
    isNew: true,
  });
}

/** True when `v + loop` stays inside of a dimension. */
function fitsMoving(v: Variable, loop: Variable, extent: number): boolean {
  return v.lo + loop.lo >= 0 && v.hi + loop.hi < extent && loop.lo <= loop.hi;
}

/** An index of an existing dimension: an unused index shifted into it, a loop, or a constant. */
function fittedCoordinate(d: Draft, pool: Variable[], extent: number): Coordinate {
  const { random } = d.scene;
  const at = pool.findIndex((v) => v.lo <= v.hi && v.hi - v.lo < extent);
  const v = pool[at];
  if (v !== undefined && random.chance(0.9)) {
    pool.splice(at, 1);
    const moving = d.variables.find((l) => l.ranged === "loop" && fitsMoving(v, l, extent));
    if (moving !== undefined && random.chance(0.3)) {
      const text = `${v.name} + ${moving.name}`;
      return { text, lo: v.lo + moving.lo, hi: v.hi + moving.hi, variables: [v.name] };
    }
    const [least, most] = [-v.lo, extent - 1 - v.hi];
    const shift =
      least <= 0 && most >= 0 && random.chance(0.75) ? 0 : random.integer(least, most + 1);
    const text = shift === 0 ? v.name : `${v.name} ${shift < 0 ? "-" : "+"} ${Math.abs(shift)}`;
    return { text, lo: v.lo + shift, hi: v.hi + shift, variables: [v.name] };
  }
  const loops = d.variables.filter((l) => l.ranged === "loop");
  const fixed = { ...d, variables: loops };
  return { ...insideIndex(fixed, { lo: 0, hi: extent - 1 }, extent), variables: [] };
}

/** A part of an existing tensor. */
export function oldTarget(d: Draft, indices: Indices, tensor: SceneTensor): Target {
  const { random } = d.scene;
  const pool = [...indices.own];
  if (random.chance(0.3)) pool.reverse();
  const coordinates = tensor.shape.map((extent) => fittedCoordinate(d, pool, extent));
  const [first, second] = coordinates;
  if (first?.variables.length === 1 && second !== undefined && random.chance(0.1)) {
    if (first.hi < (tensor.shape[1] ?? 0)) coordinates[1] = first;
  }
  return targetOf(tensor, coordinates, indices.own, { collides: false, isNew: false });
}

/** All of an existing tensor but the start of its last dimension, with the indices for it. */
export function shiftedTarget(
  tensor: SceneTensor,
): { readonly target: Target; readonly own: readonly Variable[] } | undefined {
  const names = ["i", "j", "k", "l"];
  const last = tensor.shape.length - 1;
  if (last < 0 || last >= names.length || (tensor.shape[last] ?? 0) < 2) return undefined;
  const own = tensor.shape.map((extent, d): Variable => {
    return { name: names[d] ?? "z", lo: 0, hi: extent - (d === last ? 2 : 1), ranged: "where" };
  });
  const coordinates = own.map(({ name, lo, hi }, d): Coordinate => {
    if (d < last) return { text: name, lo, hi, variables: [name] };
    return { text: `${name} + 1`, lo: lo + 1, hi: hi + 1, variables: [name] };
  });
  const rest = { collides: false, isNew: false };
  return { target: targetOf(tensor, coordinates, own, rest), own };
}

/** A part of an existing tensor that the data choose, or that several instances share. */
export function scatterTarget(d: Draft, indices: Indices, tensor: SceneTensor): Target {
  const { random } = d.scene;
  const inner = { ...d, variables: [...d.variables, ...indices.own] };
  const chosen = random.integer(0, tensor.shape.length);
  const pool = [...indices.own];
  const tables = indexTables(d);
  const coordinates = tensor.shape.map((extent, n): Coordinate => {
    const all = { lo: 0, hi: extent - 1 };
    if (n !== chosen) return fittedCoordinate(d, pool, extent);
    if (tables.length === 0 || random.chance(0.25)) {
      return { ...insideIndex(inner, all, extent), variables: [] };
    }
    return { text: opaqueIndex(inner, extent, tables), ...all, variables: [] };
  });
  return targetOf(tensor, coordinates, indices.own, { collides: true, isNew: false });
}

/** The tensor after a write: its whole shape counts as written where the reach covers more. */
export function coveredAfter(target: Target): readonly Interval[] {
  if (target.isNew) return target.reach;
  return target.tensor.parameter ? everything(target.tensor.shape) : target.tensor.covered;
}
