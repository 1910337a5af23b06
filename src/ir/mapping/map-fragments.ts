/**
 * Purpose: asks whether a matrix unit of the device executes a kernel, and lays the kernel out in
 * fragments: tiles of two axes and a reduced dim.
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
 * Maps that follow the sum join the loops of its finish. Requires: a kernel's axes. Ensures: a kernel that
 * `isLegal` accepts; nothing is asked where no unit can execute it.
 */
import {
  type DeviceProfile,
  type MatrixUnit,
  matrixUnitName,
  mostInvocations,
  subgroupLanes,
} from "../../support/device-profile.ts";
import { flatMap } from "../../support/flat-map.ts";
import { coefficientOf } from "../affine.ts";
import type { Decider } from "../decisions.ts";
import { boundingBox } from "../domain.ts";
import { fragmentProduct } from "../fragment-product.ts";
import { type Program, type ProgramNode, reducedDims, type Statement } from "../program.ts";
import {
  eachLeaf,
  type FragmentUse,
  type Place,
  type Schedule,
  type ScheduleNode,
} from "../schedule.ts";
import { bind } from "../scheduling/bind.ts";
import { joinNests } from "../scheduling/join-nests.ts";
import { place } from "../scheduling/place.ts";
import { reorder } from "../scheduling/reorder.ts";
import { sink } from "../scheduling/sink.ts";
import { tile } from "../scheduling/tile.ts";
import { type Axis, extentOf } from "./axes.ts";
import {
  type FragmentTile,
  fragmentCounts,
  mostBeside,
  preferredFragments,
  prefersUnit,
} from "./fragment-defaults.ts";
import { dropUnitLoops } from "./map-group.ts";
import { type Nest, nestOf } from "./nest.ts";
import { ownTemporaries } from "./own-temporaries.ts";

/** What a kernel in fragments depends on. */
export interface FragmentsQuestion {
  readonly program: Program;
  readonly nodes: readonly ProgramNode[];
  readonly statements: readonly Statement[];
  readonly axes: readonly Axis[];
  /** Places that are settled. */
  readonly folds: readonly Place[];
  readonly profile: DeviceProfile;
  readonly decider: Decider;
  readonly prefix: string;
  isLegal(schedule: Schedule): boolean;
}

/** A unit with the axes and the reduced dim that it would take. */
interface Candidate {
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
  q: FragmentsQuestion,
  s: Statement,
  [row, column]: readonly [number, number],
  depth: string,
  unit: MatrixUnit,
): Candidate | null {
  const [a, b] = [q.axes[row], q.axes[column]];
  const lanes = subgroupLanes(q.profile);
  const range = boundingBox(s.domain).get(depth);
  const steps = range === undefined ? 0 : range.hi - range.lo + 1;
  const [rowDim, columnDim] = [a?.dims.get(s.id), b?.dims.get(s.id)];
  if (a === undefined || b === undefined || rowDim === undefined || columnDim === undefined)
    return null;
  const whole =
    extentOf(a) % unit.rows === 0 && extentOf(b) % unit.columns === 0 && steps % unit.depth === 0;
  if (lanes === null || !whole || Math.min(extentOf(a), extentOf(b), steps) === 0) return null;
  const use = { unit, lanes, row: rowDim, column: columnDim, depth };
  const found = fragmentProduct(q.program, s, use);
  if (found.kind === "refused") return null;
  return { use, row, column, depth: steps, direct: found.product.target !== null };
}

/** The ways in which a unit can take a statement, those that store directly first. */
function candidatesOf(q: FragmentsQuestion, s: Statement, unit: MatrixUnit): readonly Candidate[] {
  const numbers = [...q.axes.keys()];
  const pairs = flatMap(numbers, (a) =>
    flatMap(numbers, (b) => (a === b ? [] : [[a, b] as const])),
  );
  const found = flatMap(pairs, (pair) =>
    flatMap(reducedDims(s), (depth) => candidateOf(q, s, pair, depth, unit) ?? []),
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
    const bound = leaf.phase === "update" ? leaf.binding[depth] : undefined;
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
  c: Candidate,
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
function build(q: FragmentsQuestion, s: Statement, c: Candidate, shape: FragmentShape): Schedule {
  const nest = nestOf(q.program, q.nodes, q.axes, q.prefix);
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
  return { root: dropUnitLoops(node), places: [...q.folds, accumulator] };
}

function asksTile(
  q: FragmentsQuestion,
  axis: number,
  size: number,
  wish: FragmentTile,
  room: { readonly fragments: number; readonly subgroups: number },
): FragmentTile {
  const points = q.axes[axis];
  const extent = points === undefined ? 0 : extentOf(points);
  const path = `${q.prefix}.p${axis}`;
  const counts = fragmentCounts(extent, size, room.fragments);
  const fragments = q.decider.decide(`${path}.fragments`, counts, nearest(counts, wish.fragments));
  const groups = fragmentCounts(extent, size * fragments, room.subgroups);
  const subgroups = q.decider.decide(`${path}.subgroups`, groups, nearest(groups, wish.subgroups));
  return { fragments, subgroups };
}

function nearest(values: readonly number[], wish: number): number {
  return values.filter((v) => v <= wish).at(-1) ?? 1;
}

function asksShape(q: FragmentsQuestion, c: Candidate): FragmentShape {
  const { unit, lanes } = c.use;
  const extents = q.axes.map(extentOf);
  const [rows = 1, columns = 1] = [extents[c.row], extents[c.column]];
  const others = extents.reduce((product, n) => product * n, 1) / (rows * columns);
  const steps = c.depth / unit.depth;
  const wish = preferredFragments({ unit, lanes, rows, columns, others }, q.profile);
  const most = Math.floor(mostInvocations(q.profile) / lanes);
  const row = asksTile(q, c.row, unit.rows, wish[0], { fragments: 8, subgroups: most });
  const room = {
    fragments: mostBeside(row.fragments),
    subgroups: Math.floor(most / row.subgroups),
  };
  const column = asksTile(q, c.column, unit.columns, wish[1], room);
  const unrolls = fragmentCounts(steps, 1, 8);
  return { row, column, unroll: q.decider.decide(`${q.prefix}.unroll`, unrolls, 1) };
}

/** A kernel in fragments; null where no unit can execute it, or none is wanted. */
export function mapFragments(q: FragmentsQuestion): Schedule | null {
  const { profile, decider, prefix } = q;
  const units = profile.matrixUnits ?? [];
  const [s, ...others] = q.statements;
  const lanes = subgroupLanes(profile);
  if (units.length === 0 || s === undefined || others.some((o) => o.reduction !== null))
    return null;
  if (lanes === null || lanes > mostInvocations(profile)) return null;
  const legal = flatMap(units, (unit) => {
    const fits = (c: Candidate): boolean => q.isLegal(build(q, s, c, plainShape));
    return candidatesOf(q, s, unit).find(fits) ?? [];
  });
  const names = legal.map((c) => matrixUnitName(c.use.unit));
  const [first] = names;
  if (first === undefined) return null;
  const path = `${prefix}.matrix`;
  const name = decider.decide(path, ["none", ...names], prefersUnit(profile) ? first : "none");
  const candidate = legal.find((c) => matrixUnitName(c.use.unit) === name);
  if (candidate === undefined) return null;
  const from = decider.asked.length;
  const ask = (): Schedule => build(q, s, candidate, asksShape(q, candidate));
  const wished = ask();
  return placed(q, s, q.isLegal(wished) ? wished : decider.askPlainly(from, ask));
}

/** A kernel whose own temporaries are in registers of the lanes that have them, where that is legal. */
function placed(q: FragmentsQuestion, s: Statement, kernel: Schedule): Schedule {
  const finish = eachLeaf(kernel.root).find(
    ({ leaf }) => leaf.statement === s.id && leaf.phase === "finish",
  );
  const at = finish?.loops.at(-1)?.id ?? null;
  return ownTemporaries(q.program, q.statements).reduce((schedule, tensor, n) => {
    const target = { kind: "tensor", tensor } as const;
    const inLanes = place(schedule, { target, space: "private", at, fold: null });
    const values = q.isLegal(inLanes) ? (["storage", "private"] as const) : (["storage"] as const);
    const answer = q.decider.decide(`${q.prefix}.place${n}`, values, values.at(-1) ?? "storage");
    return answer === "private" ? inLanes : schedule;
  }, kernel);
}
