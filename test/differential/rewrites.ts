/** Which rewrites made a schedule, read off the answers that led to it and off the schedule. */

import { isScatter } from "../../src/ir/program.ts";
import { eachLeaf, isLocal, type Loop } from "../../src/ir/schedule.ts";
import type { Variant } from "./variants.ts";

const levels = ["host", "grid", "workgroup", "subgroup", "lane", "vector", "unroll", "serial"];
const spaces = ["storage", "scratch", "workgroup", "private"];

/** All rewrites; each must occur among the schedules of a run. */
export const rewriteNames: readonly string[] = [
  ...["merge", "inline", "stage", "expand", "split", "factor", "fuse", "tile", "reorder", "team"],
  ...levels.map((level) => `bind to ${level}`),
  ...spaces.map((space) => `place in ${space}`),
  "fold",
  "scatter",
];

/** The words of paths, and what they stand for. */
const algebraic: Readonly<Record<string, string>> = {
  merge: "merge",
  inline: "inline",
  stage: "stage",
  expand: "expand",
  split: "split",
  factor: "factor",
  with: "fuse",
};

/** The rewrite that a choice agreed to; undefined when it is none. */
function decided({ path, value, values }: Variant["decisions"][number]): string | undefined {
  if (value === false || value === "no") return undefined;
  const [part, , , word = "", at] = path.split("/");
  if (part === "structure" && algebraic[word] !== undefined) return algebraic[word];
  const knob = part === "kernels" ? path.split("/")[2] : word;
  switch (knob) {
    case "own":
      return value === "stage" ? "stage" : undefined;
    case "order":
      return word === "0" && at === undefined && value !== values[0] ? "reorder" : undefined;
    case "team":
      return value === 1 ? undefined : "team";
    default:
      return undefined;
  }
}

/** True when one dim is spread over several loops. */
function isTiled(variant: Variant): boolean {
  return [...eachLeaf(variant.mapped.schedule.root)].some(({ leaf }) =>
    [...leaf.binding.values()].some((a) => a.terms.length > 1),
  );
}

function loopsOf(variant: Variant): readonly Loop[] {
  const found = new Map<string, Loop>();
  for (const { loops } of eachLeaf(variant.mapped.schedule.root)) {
    for (const l of loops) found.set(l.id, l);
  }
  return [...found.values()];
}

/** Tensors without a place live in storage. */
function* placed({ mapped, plan }: Variant): Generator<string> {
  const { places } = mapped.schedule;
  for (const { space } of places) yield `place in ${space}`;
  if (places.some((p) => p.fold !== null && p.fold.slots > 1)) yield "fold";
  if (plan.buffers.some((b) => b.role === "temporary")) yield "place in storage";
}

/** The rewrites that made a variant; loops of one iteration do not count. */
export function rewritesOf(variant: Variant): ReadonlySet<string> {
  const answers = variant.decisions.flatMap((a) => decided(a) ?? []);
  const found = new Set<string>([...answers, ...placed(variant)]);
  for (const { on, extent } of loopsOf(variant)) {
    if (extent > 1 || !isLocal(on)) found.add(`bind to ${on}`);
  }
  if (isTiled(variant)) found.add("tile");
  if (variant.mapped.program.statements.some(isScatter)) found.add("scatter");
  return found;
}
