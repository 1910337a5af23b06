/**
 * The tiles of software adapters' kernels, from the measured costs in their profiles: small workgroups of one vector
 * of lanes, big register tiles.
 */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { ceilDiv } from "../../../support/integer.ts";
import { coefficientOf } from "../../affine.ts";
import { boundingBox } from "../../domain.ts";
import { eachExpression } from "../../expression.ts";
import { indexVariables, parallelDims, type Statement } from "../../program.ts";
import { type Axis, extentOf } from "../group/axes.ts";
import { type AxisTile, type Tiles, workgroups } from "../group/axis-tile.ts";
import { windowAxis, windowStep } from "../group/windows.ts";
import { powerAbove, tilesWith } from "./fit-tiles.ts";
import {
  hasRegisterTile,
  points,
  prefersSpread,
  reusedReads,
  secondAxis,
} from "./register-tile.ts";

/**
 * True if some access of a statement has neighbours along the axis side by side, and goes from row to
 * row along one of the other dims.
 */
function hasRowsOf(axis: Axis, s: Statement, others: readonly string[]): boolean {
  const dim = axis.dims.get(s.id);
  return [s.write, ...s.reads].some(({ index }) => {
    const last = index.at(-1);
    if (dim === undefined || last?.kind !== "affine") return false;
    const rows = flatMap(index.slice(0, -1), (i) => [...indexVariables(s, i)]);
    return coefficientOf(last.affine, dim) === 1 && rows.some((d) => others.includes(d));
  });
}

/** True if the rows of a tensor along one axis are another's columns. */
function crosses(axis: Axis, last: Axis, statements: readonly Statement[]): boolean {
  return statements.some((s) => {
    const dim = last.dims.get(s.id);
    return dim !== undefined && hasRowsOf(axis, s, [dim]);
  });
}

/** Lanes side by side along the last axis, and points along it and another that use loads again. */
function tilesOfContraction(
  axes: readonly Axis[],
  lastAxis: Axis,
  statements: readonly Statement[],
  profile: DeviceProfile,
): Tiles {
  const { lanes, mostStatements } = profile;
  const second = secondAxis(axes, statements);
  const spread = prefersSpread(axes, axes.length - 1, { statements, profile });
  // Where lanes load for steps, those of a whole subgroup may be written out: room for fewer points.
  let thread = spread ? Math.min(8, mostStatements / (8 * lanes)) : 8;
  const isIdle = (): boolean => (lanes - 1) * thread >= extentOf(lastAxis);
  while (spread && thread > 1 && isIdle()) thread /= 2;
  // Rather 4 points for all lanes than 8 for some, if that leaves fewer without work.
  const isFull = 8 * lanes <= extentOf(lastAxis) || 4 * lanes > extentOf(lastAxis);
  if (thread === 8 && !isFull && covered(lastAxis, 4 * lanes) < covered(lastAxis, 8 * lanes))
    thread = 4;
  const tiles = new Map([[axes.length - 1, { workgroup: lanes, thread }]]);
  if (second === undefined) return tilesWith(axes, tiles);
  const withRows = (rows: number): Tiles =>
    tilesWith(axes, new Map(tiles).set(second, { workgroup: 1, thread: rows }));
  const tall = withRows(16);
  const isTall =
    spread &&
    paysTallTiles(statements, profile) &&
    16 * thread * statements.length <= mostStatements &&
    workgroups(tall, axes) >= 8 * profile.cores &&
    fillsTallTiles(axes[second] ?? lastAxis);
  return isTall ? tall : withRows(8);
}

/**
 * Whether 16 points along an axis, for each of whose loads there are twice as many uses, are worth the
 * longer text. Where points take steps in a row, their number is not bounded by the registers: on
 * llvmpipe contractions are 1.1 to 1.3 times as fast, after a first call of 0.75 instead of 0.45 s.
 * SwiftShader's are 1.05 to 1.25 times as fast after 0.1 to 0.3 s more: where that is two calls' gain.
 */
function paysTallTiles(statements: readonly Statement[], { costs }: DeviceProfile): boolean {
  const steps = statements.map((s) => points(s, "parallel") * points(s, "reduced"));
  return costs.stepsInARow > 1 || Math.max(...steps) >= 2 ** 29;
}

/** Whether 16 points along an axis waste hardly more than 8. */
function fillsTallTiles(axis: Axis): boolean {
  return covered(axis, 16) <= 1.1 * covered(axis, 8);
}

/** The points of an axis, and those outside of it, that tiles of so many cover. */
function covered(axis: Axis, tile: number): number {
  return tile * ceilDiv(extentOf(axis), tile);
}

/** The dims that an invocation goes along in a statement: those reduced; of a map that along its rows. */
function rowDims(axes: readonly Axis[], s: Statement): readonly string[] {
  if (s.reduction !== null) return s.reduction.dims;
  const others = new Set([...s.loops, ...axes.map((axis) => axis.dims.get(s.id))]);
  const last = s.write.index.at(-1);
  const isRow = (d: string): boolean =>
    last?.kind === "affine" && coefficientOf(last.affine, d) === 1;
  return parallelDims(s).filter((d) => !others.has(d) && isRow(d));
}

/** How many points of a map an invocation goes along for each of the axes. */
function pointsOfRow(axes: readonly Axis[], s: Statement): number {
  if (s.reduction !== null) return 0;
  const box = boundingBox(s.domain);
  return rowDims(axes, s).reduce((product, d) => {
    const { lo, hi } = box.get(d) ?? { lo: 0, hi: 0 };
    return product * Math.max(1, hi - lo + 1);
  }, 1);
}

/**
 * A software adapter runs a workgroup on one core, `lanes` invocations in step: workgroups of one
 * vector where each invocation has much to do, of 64 where it has little, so that starting a
 * workgroup costs nothing beside its work.
 */
export function tilesOfCpu(
  axes: readonly Axis[],
  statements: readonly Statement[],
  profile: DeviceProfile,
): Tiles {
  const { lanes } = profile;
  const last = axes.length - 1;
  const lastAxis = axes[last];
  if (lastAxis === undefined) return [];
  const window = windowAxis(axes, statements);
  if (window !== undefined && !hasRegisterTile(axes, statements)) {
    // Blocks of points that share what they read.
    const tiles = new Map<number, AxisTile>([[last, { workgroup: 8, thread: 8 }]]);
    const step = windowStep(axes[window] ?? lastAxis, statements);
    return tilesWith(
      axes,
      tiles.set(window, { workgroup: Math.max(2, powerAbove(step)), thread: 4, step }),
    );
  }
  if (axes.some((axis) => reusedReads(axis, statements).size > 0)) {
    return tilesOfContraction(axes, lastAxis, statements, profile);
  }
  if (statements.some((s) => points(s, "reduced") >= 32 || pointsOfRow(axes, s) >= 32)) {
    // Columns beside each other are added in vectors, rows one by one.
    const inRows = statements.some((s) => hasRowsOf(lastAxis, s, rowDims(axes, s)));
    const thread = inRows ? 4 : 1;
    return tilesWith(axes, new Map([[last, { workgroup: lanes, thread }]]));
  }
  // Rows of one tensor are columns of another: blocks, so that both are read in pieces.
  const others = flatMap(axes.slice(0, -1), (axis, a) =>
    crosses(axis, lastAxis, statements) ? [a] : [],
  );
  const other = others.at(-1);
  if (other !== undefined) {
    // Long along what is read in pieces: 2.4 times as fast on llvmpipe as a square of as many.
    const tiles = new Map([[last, { workgroup: 4, thread: 4 }]]);
    return tilesWith(axes, tiles.set(other, { workgroup: 32, thread: 4 }));
  }
  const most = mostInRow(statements);
  const extent = extentOf(lastAxis);
  // Where rows are no whole vectors, more points make up for loads one by one; short rows would idle.
  const isLongAndOdd = extent % 4 !== 0 && extent >= 64;
  const fits = (n: number): boolean =>
    extent % n === 0 || isLongRow(extent) || (n === 8 && isLongAndOdd);
  const thread = [16, 8].find((n) => n <= most && fits(n)) ?? 4;
  return tilesWith(axes, new Map([[last, { workgroup: 64, thread }]]));
}

/** Whether a row is of whole vectors, and so long that a workgroup at its end may lack some of them. */
export function isLongRow(extent: number): boolean {
  return extent % 4 === 0 && extent >= 8192;
}

function areMaps(statements: readonly Statement[]): boolean {
  return statements.every((s) => s.reduction === null);
}

/** How many functions some statements call for a point. */
function callsOf(statements: readonly Statement[]): number {
  const nodes = eachExpression(...flatMap(statements, (s) => s.body));
  return nodes.filter((node) => node.kind === "call").length;
}

/** How many points in a row an invocation of a map may have; functions make long texts. */
function mostInRow(statements: readonly Statement[]): number {
  return areMaps(statements) && callsOf(statements) <= 2 ? 16 : 4;
}
