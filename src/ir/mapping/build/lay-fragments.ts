/**
 * Purpose: lays a kernel out in fragments, for a matrix unit of the device: tiles of two axes and a reduced dim.
 *
 * ```
 * m in 0..64, n in 0..64                 grid mg, grid ng, workgroup mw, workgroup nw
 *   C.init(m, n)                           unroll mt, unroll nt, fragment mf in 0..8, nf in 0..8
 *   serial k in 0..32            -->         C.init(m = ... + 8*mt + mf, n = ... + 8*nt + nf)
 *     C.update(m, n, k)                    serial kt in 0..4, fragment kf in 0..8, unroll ...
 *   C.finish(m, n)                           C.update(..., k = 8*kt + kf)
 *                                          ... C.finish
 *                                        place accumulator of C in fragment
 * ```
 * Maps that follow the sum join the loops of its finish. Requires: a group whose first statement is the sum. Ensures:
 * all instances; whether it is legal is asked of verifySchedule.
 */

import {
  type Limits,
  type MatrixUnit,
  matrixUnitName,
  mostInvocations,
  subgroupLanes,
} from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { own } from "../../../support/own.ts";
import { remember } from "../../../support/remember.ts";
import { coefficientOf } from "../../affine.ts";
import { boundingBox } from "../../domain.ts";
import { fragmentProduct } from "../../fragment-product.ts";
import { reducedDims, type Statement } from "../../program.ts";
import {
  eachLeaf,
  type FragmentUse,
  type Place,
  type Schedule,
  type ScheduleNode,
} from "../../schedule.ts";
import { bind } from "../../scheduling/bind.ts";
import { joinNests } from "../../scheduling/join-nests.ts";
import { place } from "../../scheduling/place.ts";
import { reorder } from "../../scheduling/reorder.ts";
import { sink } from "../../scheduling/sink.ts";
import { tile } from "../../scheduling/tile.ts";
import { extentOf } from "../group/axes.ts";
import type { FragmentTile } from "../group/fragment-tiles.ts";
import { type Group, legalityOf } from "../group/group.ts";
import { type Nest, nestOf } from "../group/nest.ts";
import { ownTemporaries } from "../group/own-temporaries.ts";
import { type KernelMapping, plainAxis } from "../kernel-mapping.ts";
import { dropUnitLoops } from "./map-group.ts";

/** A unit with the axes and the reduced dim that it would take. */
export interface UnitCandidate {
  readonly use: FragmentUse;
  readonly row: number;
  readonly column: number;
  /** Extent of the reduced dim. */
  readonly depth: number;
  /** Results are stored as they are. */
  readonly direct: boolean;
}

/** The tiles of a kernel in fragments. */
interface FragmentShape {
  readonly row: FragmentTile;
  readonly column: FragmentTile;
  /** Products along the depth that are written out. */
  readonly unroll: number;
}

const plainShape: FragmentShape = {
  row: { fragments: 1, subgroups: 1 },
  column: { fragments: 1, subgroups: 1 },
  unroll: 1,
};

function candidateOf(
  group: Group,
  s: Statement,
  [row, column]: readonly [number, number],
  depth: string,
  unit: MatrixUnit,
  lanes: number,
): UnitCandidate | null {
  const [a, b] = [group.axes[row], group.axes[column]];
  const range = boundingBox(s.domain).get(depth);
  const steps = range === undefined ? 0 : range.hi - range.lo + 1;
  const [rowDim, columnDim] = [a?.dims.get(s.id), b?.dims.get(s.id)];
  if (a === undefined || b === undefined || rowDim === undefined || columnDim === undefined)
    return null;
  const whole =
    extentOf(a) % unit.rows === 0 && extentOf(b) % unit.columns === 0 && steps % unit.depth === 0;
  if (!whole || Math.min(extentOf(a), extentOf(b), steps) === 0) return null;
  const use = { unit, lanes, row: rowDim, column: columnDim, depth };
  const found = fragmentProduct(group.program, s, use);
  if (found.kind === "refused") return null;
  return { use, row, column, depth: steps, direct: found.product.target !== null };
}

/** The ways in which a unit can take a statement, those that store directly first. */
function candidatesOf(
  group: Group,
  s: Statement,
  unit: MatrixUnit,
  lanes: number,
): readonly UnitCandidate[] {
  const numbers = [...group.axes.keys()];
  const pairs = flatMap(numbers, (a) =>
    flatMap(numbers, (b) => (a === b ? [] : [[a, b] as const])),
  );
  const found = flatMap(pairs, (pair) =>
    flatMap(reducedDims(s), (depth) => candidateOf(group, s, pair, depth, unit, lanes) ?? []),
  );
  return [...found.filter((c) => c.direct), ...found.filter((c) => !c.direct)];
}

/** The loops that an axis of fragments becomes: over workgroups, subgroups, fragments and in one. */
function tileAxis(node: ScheduleNode, id: string, size: number, t: FragmentTile): ScheduleNode {
  const [rest, own] = [`${id}.rest`, `${id}.own`];
  const groups = tile(node, id, size * t.fragments * t.subgroups, `${id}.grid`, rest);
  const subgroups = tile(groups, rest, size * t.fragments, `${id}.workgroup`, own);
  return tile(subgroups, own, size, `${id}.thread`, `${id}.fragment`);
}

/** The loop of the statement's reduced dim. */
function depthLoop(nest: Nest, s: Statement, depth: string): string | undefined {
  for (const { leaf } of eachLeaf(nest.node)) {
    const bound = leaf.phase === "update" ? leaf.binding.get(depth) : undefined;
    if (bound === undefined) continue;
    return (nest.reduced.get(s.id) ?? []).find((l) => coefficientOf(bound, l) !== 0);
  }
  return undefined;
}

/** Tiles the reduced dim; its fragments stay inside of all other reduced loops. */
function tileDepth(
  nest: Nest,
  node: ScheduleNode,
  s: Statement,
  c: UnitCandidate,
  unroll: number,
): ScheduleNode {
  const id = depthLoop(nest, s, c.use.depth);
  if (id === undefined) return node;
  const [tiles, own] = [`${id}.tile`, `${id}.fragment`];
  const tiled = bind(tile(node, id, c.use.unit.depth, tiles, own), own, "fragment");
  if (unroll === 1) return reorder(tiled, [own]);
  const inner = `${tiles}.inner`;
  return reorder(bind(tile(tiled, tiles, unroll, `${tiles}.outer`, inner), inner, "unroll"), [
    inner,
    own,
  ]);
}

/** The kernel of a candidate under a shape. */
function build(group: Group, s: Statement, c: UnitCandidate, shape: FragmentShape): Schedule {
  const nest = nestOf(group.program, group.nodes, group.axes, group.prefix);
  const { unit } = c.use;
  const [row, column] = [nest.axes[c.row] ?? "", nest.axes[c.column] ?? ""];
  let node = tileAxis(nest.node, row, unit.rows, shape.row);
  node = tileAxis(node, column, unit.columns, shape.column);
  const grid = nest.axes.map((id) => (id === row || id === column ? `${id}.grid` : id));
  const both = (part: string): readonly string[] => [`${row}.${part}`, `${column}.${part}`];
  node = reorder(node, [...grid, ...both("workgroup"), ...both("thread"), ...both("fragment")]);
  for (const id of grid) node = bind(node, id, "grid");
  for (const id of both("workgroup")) node = bind(node, id, "workgroup");
  node = tileDepth(nest, node, s, c, shape.unroll);
  for (const id of both("thread")) node = sink(bind(node, id, "unroll"), id);
  for (const id of both("fragment")) node = sink(bind(node, id, "fragment"), id);
  node = joinNests(node, (leaf) => leaf.statement === s.id && leaf.phase === "finish");
  const accumulator: Place = {
    target: { kind: "accumulator", statement: s.id },
    space: "fragment",
    at: null,
    fold: null,
    unit: c.use,
  };
  return { root: dropUnitLoops(node), places: [...group.folds, accumulator] };
}

/** What a unit may take of a group: by the unit's name. */
const candidates: (group: Group) => Map<string, UnitCandidate | null> = remember(
  () => new Map<string, UnitCandidate | null>(),
);

/** How a matrix unit of the device takes a group; null where it cannot. */
export function unitCandidate(group: Group, limits: Limits, name: string): UnitCandidate | null {
  const table = candidates(group);
  const known = table.get(name);
  if (known !== undefined) return known;
  const unit = (limits.matrixUnits ?? []).find((u) => matrixUnitName(u) === name);
  const [s, ...others] = group.statements;
  const lanes = subgroupLanes(limits);
  const isSum = s !== undefined && others.every((o) => o.reduction === null);
  const isLegal = legalityOf(group);
  const found =
    unit === undefined || !isSum || lanes === null || lanes > mostInvocations(limits)
      ? null
      : (candidatesOf(group, s, unit, lanes).find((c) => isLegal(build(group, s, c, plainShape))) ??
        null);
  table.set(name, found);
  return found;
}

/** The kernel in fragments that a mapping says; null where its unit cannot execute the group. */
export function layFragments(
  group: Group,
  limits: Limits,
  mapping: KernelMapping,
): Schedule | null {
  const candidate = unitCandidate(group, limits, mapping.unit);
  const [s] = group.statements;
  if (candidate === null || s === undefined) return null;
  const { axes, unroll } = mapping;
  const kernel = build(group, s, candidate, {
    row: axes[candidate.row] ?? plainAxis,
    column: axes[candidate.column] ?? plainAxis,
    unroll: typeof unroll === "number" ? unroll : 1,
  });
  return placed(group, s, kernel, mapping);
}

/** A kernel whose own temporaries are in registers of the lanes that have them, where the mapping says so. */
function placed(group: Group, s: Statement, kernel: Schedule, { places }: KernelMapping): Schedule {
  const finish = eachLeaf(kernel.root).find(
    ({ leaf }) => leaf.statement === s.id && leaf.phase === "finish",
  );
  const at = finish?.loops.at(-1)?.id ?? null;
  const inLanes = ownTemporaries(group.program, group.statements).filter(
    (tensor) => own(places, tensor) === "private",
  );
  return inLanes.reduce((schedule, tensor) => {
    const target = { kind: "tensor", tensor } as const;
    return place(schedule, { target, space: "private", at, fold: null });
  }, kernel);
}
