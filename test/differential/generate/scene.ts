/**
 * What a random definition consists of while it is written: sizes, tensors with the part of them that
 * is written, and the variables in scope with their ranges. All of it is known exactly, so that what
 * is written is right by construction.
 */
import type { Interval } from "../../../src/ir/affine.ts";
import type { Random } from "../../../src/support/random.ts";
import {
  type ElementType,
  elementCount,
  type ScalarType,
} from "../../../src/support/scalar-type.ts";

/** A tensor that may be read or written. */
export interface SceneTensor {
  readonly name: string;
  readonly type: ScalarType;
  /** What it is declared as, where that is narrower than its values. */
  readonly stored?: ElementType;
  readonly shape: readonly number[];
  /** Per dimension the least and the greatest coordinate that is written, both included. */
  readonly covered: readonly Interval[];
  /** No float in it is larger; `Infinity` when it may hold infinities. */
  readonly magnitude: number;
  readonly writable: boolean;
  readonly parameter: boolean;
}

/** A loop or statement index; `lo` and `hi` are its extreme values, both included. */
export interface Variable extends Interval {
  readonly name: string;
  /** `inferred`: an unguarded bare access of a dimension of `hi + 1` elements ranges it. */
  readonly ranged: "loop" | "where" | "inferred";
}

/** A part of a text with the largest absolute value that it can have. */
export interface Term {
  readonly text: string;
  readonly magnitude: number;
}

/** A definition in the making. */
export interface Scene {
  readonly random: Random;
  /** Every float result must be a small whole number. */
  readonly exact: boolean;
  readonly sizes: readonly { readonly name: string; readonly value: number }[];
  /** Scalar parameters. */
  readonly scalars: readonly { readonly name: string; readonly type: ScalarType }[];
  /** The value of the compile-time parameter `S`; 0 when there is none. */
  readonly stride: number;
  readonly tensors: SceneTensor[];
  /** The texts of the definitions that are called, shared by all scenes of a source. */
  readonly definitions: string[];
  /** How many calls lead here. */
  readonly depth: number;
  /** Names that were given so far, by prefix. */
  readonly names: Map<string, number>;
}

/** A statement in the making. */
export interface Draft {
  readonly scene: Scene;
  /** Loops first, outermost first, then the statement's own indices. */
  readonly variables: readonly Variable[];
  /** What may be read; the more often a tensor is in it, the more likely it is. */
  readonly readable: readonly SceneTensor[];
  /** How often the enclosing loops run the statement, at most. */
  readonly trips: number;
}

/**
 * No float grows beyond it: far from 2^24, so that sums are exact in any order, and from 2^11 for
 * float16.
 */
export function magnitudeLimit(type: ScalarType): number {
  return type === "float16" ? 2 ** 10 : 2 ** 20;
}

/** What floats of tensors that a loop writes may grow to. */
export function loopLimit(type: ScalarType): number {
  return type === "float16" ? 2 ** 6 : 2 ** 14;
}

/** The most elements that a tensor may have, and the most points of a statement. */
export const elementLimit = 512;
export const pointLimit = 6000;

/** A name that was not given before. */
export function freshName(scene: Scene, prefix: string): string {
  const count = scene.names.get(prefix) ?? 0;
  scene.names.set(prefix, count + 1);
  return `${prefix}${count}`;
}

/** A number as a dimension is written: mostly the name of a size that has that value. */
export function dimensionText(scene: Scene, value: number): string {
  const { random, sizes, stride } = scene;
  if (stride === value && random.chance(0.3)) return "S";
  const named = sizes.filter((s) => s.value === value);
  if (named.length > 0 && random.chance(0.8)) return random.pick(named).name;
  const near = sizes.find((s) => s.value === value + 1);
  if (near !== undefined && random.chance(0.5)) return `${near.name} - 1`;
  const half = sizes.find((s) => 2 * s.value === value);
  return half !== undefined && random.chance(0.6) ? `2 * ${half.name}` : String(value);
}

/** A number as a range is written: as a dimension is, or as the size of a tensor. */
export function sizeText(scene: Scene, value: number): string {
  const { random, tensors } = scene;
  const measured = tensors.filter((t) => t.parameter && t.shape.includes(value));
  if (measured.length > 0 && random.chance(0.12)) {
    const t = random.pick(measured);
    return `${t.name}.${t.shape.indexOf(value)}`;
  }
  return dimensionText(scene, value);
}

/** True for tensors all of whose elements are written. */
export function isWhole(tensor: SceneTensor): boolean {
  return tensor.covered.every((c, d) => c.lo === 0 && c.hi === (tensor.shape[d] ?? 0) - 1);
}

/** The number of values of a variable. */
export function extentOf(v: Interval): number {
  return Math.max(0, v.hi - v.lo + 1);
}

/** The whole of a shape. */
export function everything(shape: readonly number[]): readonly Interval[] {
  return shape.map((n) => ({ lo: 0, hi: n - 1 }));
}

/** True for tensors that are small enough. */
export function isSmall(shape: readonly number[]): boolean {
  return elementCount(shape) <= elementLimit;
}

/** Replaces a tensor of the scene. */
export function replaceTensor(scene: Scene, tensor: SceneTensor): void {
  const at = scene.tensors.findIndex((t) => t.name === tensor.name);
  if (at < 0) scene.tensors.push(tensor);
  else scene.tensors[at] = tensor;
}

/** The draft's tensor as the scene has it now. */
export function pickTensor(d: Draft, type?: ScalarType): SceneTensor | undefined {
  const fitting = d.readable.filter((t) => type === undefined || t.type === type);
  return fitting.length === 0 ? undefined : d.scene.random.pick(fitting);
}
