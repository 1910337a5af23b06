/** What we prefer of kernels that a matrix unit may compute. */

import type { Choice } from "../../../support/mapping-file.ts";
import { unitCandidate } from "../build/lay-fragments.ts";
import { extentOf } from "../group/axes.ts";
import type { Knob } from "../space/knob.ts";
import { preferredFragments, prefersUnit } from "./fragment-defaults.ts";
import type { PolicyQuestion } from "./kernel-policy.ts";

function closest(values: readonly Choice[], wish: number): Choice {
  return values.filter((v) => typeof v === "number" && v <= wish).at(-1) ?? 1;
}

/** A unit where it is known to be faster, and its tiles. */
export function preferredUnit(knob: Knob, q: PolicyQuestion): Choice | undefined {
  const { group, profile, mapping } = q;
  if (knob.path === "unit") return prefersUnit(profile) ? knob.values[1] : "none";
  const candidate = mapping.unit === "none" ? null : unitCandidate(group, profile, mapping.unit);
  if (candidate === null) return undefined;
  const { row, column, use } = candidate;
  const extents = group.axes.map(extentOf);
  const [rows = 1, columns = 1] = [extents[row], extents[column]];
  const others = extents.reduce((product, n) => product * n, 1) / (rows * columns);
  const question = { unit: use.unit, lanes: use.lanes, rows, columns, others };
  const [first, second] = preferredFragments(question, profile);
  const [kind, at, field] = knob.path.split("/");
  if (kind === "places") return "private";
  if (kind === "unroll") return 1;
  const tile = Number(at) === row ? first : second;
  return closest(knob.values, field === "fragments" ? tile.fragments : tile.subgroups);
}
