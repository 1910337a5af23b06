/** Knobs of kernels that a matrix unit of the device computes. */

import { matrixUnitName, mostInvocations } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { own } from "../../../support/own.ts";
import { unitCandidate } from "../build/lay-fragments.ts";
import { extentOf } from "../group/axes.ts";
import { fragmentCounts, mostBeside } from "../group/fragment-tiles.ts";
import { ownTemporaries } from "../group/own-temporaries.ts";
import { type KernelMapping, plainAxis, type Space } from "../kernel-mapping.ts";
import { fieldKnob, type KernelQuestion, type Knob, knob } from "./knob.ts";
import { axisKnob } from "./shape-knobs.ts";

/** Which matrix unit computes the kernel. */
export function unitKnob({ group, limits, mapping }: KernelQuestion): readonly Knob[] {
  const names = (limits.matrixUnits ?? []).map(matrixUnitName);
  const fitting = names.filter((name) => unitCandidate(group, limits, name) !== null);
  return fieldKnob(mapping, "unit", ["none", ...fitting]);
}

/** The tiles of fragments. */
export function fragmentKnobs({ group, limits, mapping }: KernelQuestion): readonly Knob[] {
  const candidate = unitCandidate(group, limits, mapping.unit);
  if (candidate === null) return [];
  const { row, column, use } = candidate;
  const { unit, lanes } = use;
  const most = Math.floor(mostInvocations(limits) / lanes);
  const first = mapping.axes[row] ?? plainAxis;
  const knobsOf = (
    axis: number,
    size: number,
    fragments: number,
    subgroups: number,
  ): readonly Knob[] => {
    const points = group.axes[axis];
    const extent = points === undefined ? 0 : extentOf(points);
    const own = mapping.axes[axis] ?? plainAxis;
    return [
      ...axisKnob(mapping, axis, "fragments", fragmentCounts(extent, size, fragments)),
      ...axisKnob(
        mapping,
        axis,
        "subgroups",
        fragmentCounts(extent, size * own.fragments, subgroups),
      ),
    ];
  };
  const unrolls = fragmentCounts(candidate.depth / unit.depth, 1, 8);
  return [
    ...knobsOf(row, unit.rows, 8, most),
    ...knobsOf(
      column,
      unit.columns,
      mostBeside(first.fragments),
      Math.floor(most / first.subgroups),
    ),
    ...fieldKnob(mapping, "unroll", unrolls),
    ...flatMap(ownTemporaries(group.program, group.statements), (tensor): readonly Knob[] => {
      const value = own(mapping.places, tensor) ?? "storage";
      const set = (space: Space): KernelMapping => ({
        ...mapping,
        places: { ...mapping.places, [tensor]: space },
      });
      return [knob<Space>(`places/${tensor}`, ["storage", "private"], value, set, mapping)];
    }),
  ];
}
