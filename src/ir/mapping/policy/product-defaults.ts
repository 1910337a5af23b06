/**
 * Products on GPUs: which points an invocation has, how many steps are written out and how copies lie, so that
 * the banks of workgroup memory answer each request at once and each answer serves several multiply-adds.
 *
 * By estimates rows times rows (x·Wᵀ, 1024³) go from 5 to 69 % of an RTX 4060's roofline, rows times columns from
 * 31 to 69 (docs/performance.md).
 */
import { elementBytes } from "../../../support/scalar-type.ts";
import { type Affine, coefficientOf } from "../../affine.ts";
import {
  elementTypeOf,
  findTensor,
  indexVariables,
  type Program,
  parallelDims,
  type Statement,
} from "../../program.ts";
import { type Axis, extentOf } from "../group/axes.ts";
import { extentsOf, nestedReducedDims } from "../group/footprints.ts";
import { usesLoadsOften } from "./register-tile.ts";
import { hasWindows, mayWriteWindows } from "./window-defaults.ts";

/** Steps of a product that one vector of its copies holds: so many are written out, or a multiple. */
export const productSteps = 4;

/** The most steps of a product that are written out: what llama.cpp's sweep over four GPUs found best. */
export const writtenOfProduct = 8;

/** The fewest invocations of a product along its columns for subgroups that are blocks. */
const columnsOfProduct = 8;

/**
 * Rows of a subgroup's block of a product: a square for each half of it reads the fewest elements of both copies. By
 * estimates products on 16 banks take 0.45 of the time of a subgroup along two rows. `columns` are the invocations of a
 * workgroup along the innermost axis, and along all but the rows; 1 for no block.
 */
export function rowsOfProduct(
  statements: readonly Statement[],
  columns: { readonly inner: number; readonly all: number },
): number {
  if (columns.all < columnsOfProduct) return 1;
  return columns.inner < columnsOfProduct / 2 || hasOddRows(statements) ? 4 : 8;
}

/**
 * Bytes between two barriers of rows along a reduction of which copies are made: of fewer, memory loads more
 * than is used.
 */
const bytesOfLongRows = 32;

/** Steps between two barriers of a product whose copies have rows along the reduction. */
export function stepsOfLongRows(program: Program, s: Statement, reads: readonly number[]): number {
  const sizes = reads.map((r) => {
    const tensor = findTensor(program, s.reads[r]?.tensor ?? "");
    return tensor === undefined ? 4 : elementBytes(elementTypeOf(tensor));
  });
  return bytesOfLongRows / Math.min(4, ...sizes);
}

/** The shortest rows that are no whole vectors for which points are placed otherwise: those of one workgroup. */
const shortestOddRow = 64;

/**
 * Whether a product reads long rows that are no whole vectors. Copies of four elements by one invocation each would use a
 * fifth of what they load, since neighbours then read far apart: so these are made one by one.
 */
export function hasOddRows(statements: readonly Statement[]): boolean {
  return statements.filter(usesLoadsOften).some((s) => {
    const extents = extentsOf(s);
    return s.reads.some(({ index }) => {
      const last = index.at(-1);
      const [dim, ...others] = last === undefined ? [] : [...indexVariables(s, last)];
      const extent = others.length > 0 ? 1 : (extents.get(dim ?? "") ?? 1);
      return extent >= shortestOddRow && extent % productSteps !== 0;
    });
  });
}

/** The coordinate of a read that goes along rows of its tensor with the innermost reduced dim; undefined if none does. */
export function rowAlongReduction(s: Statement, read: number): Affine | undefined {
  const extents = extentsOf(s);
  const isLong = (dim: string): boolean => (extents.get(dim) ?? 1) > 1;
  const dim = nestedReducedDims(s).findLast(isLong);
  const row = s.reads[read]?.index.findLast((i) => [...indexVariables(s, i)].some(isLong));
  if (dim === undefined || row?.kind !== "affine") return undefined;
  return coefficientOf(row.affine, dim) === 1 ? row.affine : undefined;
}

/** Whether how far a statement reduces depends on where: causal attention's second product does. */
export function isTriangle(s: Statement): boolean {
  const own = new Set(parallelDims(s).filter((d) => !s.loops.includes(d)));
  const reduced = new Set(nestedReducedDims(s));
  return s.domain.dims.some(
    ({ name, lower, upper }) =>
      reduced.has(name) && [lower, upper].some((e) => e.terms.some((t) => own.has(t.variable))),
  );
}

/**
 * Whether neighbours along an axis read rows of an operand that lie below each other, each of them along the reduction: a
 * copy of it has its rows a whole number of vectors apart, which is a multiple of the banks if nothing is between.
 */
export function readsRowsOf(s: Statement, read: number, axis: Axis): boolean {
  const dim = axis.dims.get(s.id);
  const row = rowAlongReduction(s, read);
  if (dim === undefined || row === undefined || coefficientOf(row, dim) !== 0) return false;
  return (s.reads[read]?.index ?? []).some((i) => indexVariables(s, i).has(dim));
}

/** Whether neighbours along an axis read neighbours of an operand. */
export function readsAlong(s: Statement, read: number, axis: Axis | undefined): boolean {
  const [dim, last] = [axis?.dims.get(s.id), s.reads[read]?.index.at(-1)];
  return dim !== undefined && last?.kind === "affine" && coefficientOf(last.affine, dim) === 1;
}

/** Whether products read such rows along an axis. */
export function readsRows(statements: readonly Statement[], axis: Axis): boolean {
  const products = statements.filter(usesLoadsOften);
  return products.some((s) => [...s.reads.keys()].some((r) => readsRowsOf(s, r, axis)));
}

/**
 * Whether the points of an invocation are better neighbours: where a vector holds them. Elsewhere points a workgroup apart
 * let neighbouring invocations read neighbouring elements, or rows that a pad puts in banks of their own.
 */
export function prefersNeighbours(
  axes: readonly Axis[],
  statements: readonly Statement[],
  points: number,
): boolean {
  const last = axes.at(-1);
  if (last === undefined) return true;
  if (hasWindows(axes, statements) && !mayWriteWindows(statements)) return false;
  if (extentOf(last) % points !== 0 || hasOddRows(statements)) return false;
  return !readsRows(statements, last);
}
