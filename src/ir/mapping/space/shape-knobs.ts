/** Knobs of the shape of a kernel: who shares a point, how axes are cut, and in which order. */
import { mostInvocations, subgroupLanes } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { bandAxes } from "../build/bands.ts";
import { completeOrder, lanesOfBlock, tileOf } from "../build/shape-of.ts";
import { type Axis, extentOf } from "../group/axes.ts";
import { tilePoints } from "../group/axis-tile.ts";
import { sharedDims, sharesReduction } from "../group/shared-dims.ts";
import { windowStep } from "../group/windows.ts";
import { type AxisMapping, type KernelMapping, plainAxis } from "../kernel-mapping.ts";
import { fieldKnob, type KernelQuestion, type Knob, knob, pointAxes } from "./knob.ts";
import { mayGoAlongRows } from "./own-rows.ts";

const powers = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** The most levels of tiles of one axis or reduced dim. */
export const mostLevels = 3;

/** Whether each invocation goes along rows of its own. */
export function rowsKnob({ group, mapping }: KernelQuestion): readonly Knob[] {
  return mayGoAlongRows(group) ? fieldKnob(mapping, "rows", [false, true]) : [];
}

/** The invocations that share a point. */
export function teamKnob(q: KernelQuestion): readonly Knob[] {
  const { group, limits, mapping } = q;
  const axes = pointAxes(q);
  const shared = flatMap(group.statements, (s) => sharedDims(s, axes).map((d) => d.extent));
  const longest = Math.max(0, ...shared);
  const most = mostInvocations(limits);
  const sizes = [1, 4, 8, 16, 32, 64, 128, 256].filter(
    (n) => n <= most && (n <= 64 || n < 2 * longest) && (n === 1 || longest > 1),
  );
  return fieldKnob(mapping, "team", sizes);
}

/** How a team combines its parts of reductions. */
export function combineKnob(q: KernelQuestion): readonly Knob[] {
  const { group, limits, mapping } = q;
  const { team } = mapping;
  const axes = pointAxes(q);
  if (team === 1 || !group.statements.some((s) => sharesReduction(s, axes))) return [];
  const lanes = subgroupLanes(limits) ?? 1;
  const bySubgroups = lanes > 1 && team % lanes === 0;
  return fieldKnob(mapping, "combine", bySubgroups ? ["no", "tree", "subgroups"] : ["no", "tree"]);
}

/** A mapping with one axis changed. */
function withAxis(mapping: KernelMapping, at: number, change: Partial<AxisMapping>): KernelMapping {
  const axes = mapping.axes.map((axis, a) => (a === at ? { ...axis, ...change } : axis));
  return { ...mapping, axes };
}

/** A knob of one axis. */
export function axisKnob<T extends number>(
  mapping: KernelMapping,
  at: number,
  field: "workgroup" | "points" | "step" | "subgroup" | "fragments" | "subgroups",
  values: readonly T[],
): readonly Knob[] {
  if (values.length <= 1) return [];
  const value = mapping.axes[at]?.[field] ?? 1;
  const set = (v: T): KernelMapping => withAxis(mapping, at, { [field]: v });
  return [knob(`axes/${at}/${field}`, values, value, set, mapping)];
}

/** How an axis is cut: invocations, points, and how far these are apart. */
function axisKnobs(q: KernelQuestion, axis: Axis, at: number): readonly Knob[] {
  const { group, limits, mapping } = q;
  const before = mapping.axes.slice(0, at);
  const invocations = before.reduce((n, a) => n * a.workgroup, mapping.team);
  const copies = before.reduce((n, a) => n * a.points, group.statements.length);
  const extent = Math.max(1, extentOf(axis));
  const groups = powers.filter((n) => n <= mostInvocations(limits) / invocations && n < 2 * extent);
  const room = limits.mostStatements / copies;
  const own = powers.filter((n) => n === 1 || (n <= 16 && n <= room && n < 2 * extent));
  const tile = mapping.axes[at] ?? plainAxis;
  const apart = windowStep(axis, group.statements);
  const mayStep = apart > 1 && tile.points > 1 && tile.workgroup >= apart;
  return [
    ...axisKnob(mapping, at, "workgroup", groups),
    ...axisKnob(mapping, at, "points", own),
    ...(mayStep ? axisKnob(mapping, at, "step", [1, apart]) : []),
    ...turnsKnobs(mapping, axis, at),
  ];
}

/** How many tiles of an axis the invocations compute one after the other, at each level. */
function turnsKnobs(mapping: KernelMapping, axis: Axis, at: number): readonly Knob[] {
  const tile = mapping.axes[at] ?? plainAxis;
  let count = Math.ceil(extentOf(axis) / tilePoints({ ...tileOf(tile), turns: [] }));
  const knobs: Knob[] = [];
  for (let level = 0; level < mostLevels && count > 1; level++) {
    const most = count;
    const value = tile.turns[level] ?? 1;
    const values = [1, 2, 4, 8, 16].filter((n) => n <= most);
    const set = (n: number): KernelMapping => {
      const turns = n === 1 ? tile.turns.slice(0, level) : replaced(tile.turns, level, n);
      return withAxis(mapping, at, { turns });
    };
    knobs.push(knob(`axes/${at}/turns/${level}`, values, value, set, mapping));
    if (value === 1) break;
    count = Math.ceil(count / value);
  }
  return knobs;
}

/** A list with one element, perhaps a new last one, in another's place. */
export function replaced<T>(list: readonly T[], at: number, by: T): readonly T[] {
  return [...list.slice(0, at), by, ...list.slice(at + 1)];
}

/** How all axes are cut. */
export function axesKnobs(q: KernelQuestion): readonly Knob[] {
  return flatMap(pointAxes(q), (axis, at) => axisKnobs(q, axis, at));
}

/** A list with a value at a place, and what was there where the value was. */
function swapped(list: readonly number[], at: number, value: number): readonly number[] {
  const from = list.indexOf(value);
  const there = list[at] ?? value;
  return list.map((v, i) => (i === at ? value : i === from ? there : v));
}

/** Which axis comes next, of those that are left, for each place of an order but the last. */
function orderKnobs(
  mapping: KernelMapping,
  field: "order" | "turnOrder",
  isOffered: (axis: number, place: number) => boolean,
): readonly Knob[] {
  const order = mapping[field];
  return flatMap([...order.keys()], (place): readonly Knob[] => {
    const values = order
      .slice(place)
      .filter((axis) => isOffered(axis, place))
      .sort((a, b) => b - a);
    const value = order[place] ?? 0;
    if (values.length <= 1 || !values.includes(value)) return [];
    const set = (axis: number): KernelMapping => ({
      ...mapping,
      [field]: swapped(order, place, axis),
    });
    return [knob(`${field}/${place}`, values, value, set, mapping)];
  });
}

/** The order of the loops over tiles of several axes. */
export function turnOrderKnobs({ mapping }: KernelQuestion): readonly Knob[] {
  const several = flatMap(mapping.axes, (a, at) => (a.turns.length > 0 ? [at] : []));
  const turnOrder = completeOrder(mapping.turnOrder, several);
  return orderKnobs({ ...mapping, turnOrder }, "turnOrder", () => true);
}

/** The order of the axes among the invocations. */
export function orderOfAxesKnobs(q: KernelQuestion): readonly Knob[] {
  const { mapping } = q;
  const order = completeOrder(mapping.order, [...pointAxes(q).keys()]);
  const several = (axis: number): boolean => (mapping.axes[axis]?.workgroup ?? 1) > 1;
  return orderKnobs({ ...mapping, order }, "order", (a, place) => place === 0 || several(a));
}

/** The invocations of a subgroup that is a block of neighbours along several axes. */
export function subgroupKnobs({ limits, mapping }: KernelQuestion): readonly Knob[] {
  const lanes = lanesOfBlock(limits);
  const several = flatMap(mapping.axes, (t, a) => (t.workgroup > 1 && t.step === 1 ? [a] : []));
  const all = mapping.axes.reduce((product, t) => product * t.workgroup, 1);
  if (several.length < 2 || all <= lanes) return [];
  let left = lanes;
  return flatMap(several, (at): readonly Knob[] => {
    const tile = mapping.axes[at] ?? plainAxis;
    if (at === mapping.order[0]) return [];
    const most = left;
    const values = [1, 2, 4, 8, 16, 32].filter((n) => most % n === 0 && tile.workgroup % n === 0);
    left /= tile.subgroup;
    return axisKnob(mapping, at, "subgroup", values);
  });
}

/** Whether workgroups are numbered in bands of rows or columns of the tiles of two axes. */
export function bandsKnob(q: KernelQuestion): readonly Knob[] {
  const { mapping } = q;
  const counts = pointAxes(q).map((axis, a) =>
    Math.ceil(extentOf(axis) / tilePoints(tileOf(mapping.axes[a] ?? plainAxis))),
  );
  const [row, column] = bandAxes(counts);
  if (row === undefined || column === undefined) return [];
  const named = { rows: row, columns: column } as const;
  const forms = flatMap(["rows", "columns"] as const, (name) =>
    [2, 4, 8, 16].filter((n) => n < (counts[named[name]] ?? 1)).map((n) => `${name} ${n}`),
  );
  return fieldKnob(mapping, "bands", ["no", ...forms]);
}

/** Where the points of an invocation are, what they become, and how invocations are written. */
export function pointsKnobs(q: KernelQuestion): readonly Knob[] {
  const { limits, mapping } = q;
  const points = mapping.axes.reduce((n, a) => n * a.points, 1);
  const invocations = mapping.axes.reduce((n, a) => n * a.workgroup, mapping.team);
  const lanes = subgroupLanes(limits);
  const last = pointAxes(q).at(-1);
  const row = mapping.axes[pointAxes(q).length - 1]?.points ?? 1;
  // Vectors that are longer than the axis would have as many components as that.
  const isVector = last === undefined || !mapping.blocked || Math.min(4, row) <= extentOf(last);
  const written = [
    "serial" as const,
    "unroll" as const,
    ...(isVector ? (["vector"] as const) : []),
  ];
  const sizes = [...new Set([1, 4, 8, 32, lanes ?? 1])].sort((a, b) => a - b);
  const mayDiffer = row > 1 && points > row;
  const forms = [true, false, ...(mayDiffer ? (["last"] as const) : [])];
  return [
    ...(points > 1 ? fieldKnob(mapping, "blocked", forms) : []),
    ...(points > 1 ? fieldKnob(mapping, "points", written) : []),
    ...fieldKnob(
      mapping,
      "lanes",
      sizes.filter((n) => n <= invocations),
    ),
  ];
}
