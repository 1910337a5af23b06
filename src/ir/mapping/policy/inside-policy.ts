/** What we prefer of what runs inside of a point: steps that are written out, vectors, steps in a row. */

import { flatMap } from "../../../support/flat-map.ts";
import type { Choice } from "../../../support/mapping-file.ts";
import { indexVariables, type Statement, tensorOf } from "../../program.ts";
import { eachLeaf } from "../../schedule.ts";
import { stepCounts } from "../../scheduling/group-steps.ts";
import { oddRowLoops } from "../../scheduling/mark-aligned.ts";
import { buildKernel } from "../build/build-kernel.ts";
import { pointAxesOf } from "../build/shape-of.ts";
import { hostOf } from "../group/group.ts";
import { sharedExtent, sharesReduction } from "../group/shared-dims.ts";
import { innermostExtents, windowLengths, writtenSteps } from "../group/written-steps.ts";
import type { Knob } from "../space/knob.ts";
import { dividedExtents, innerExtents, pointCount, vectorWidth } from "../space/loop-knobs.ts";
import { mayHaveOddRows } from "../space/place-knobs.ts";
import type { PolicyQuestion } from "./kernel-policy.ts";
import { productSteps, writtenOfProduct } from "./product-defaults.ts";
import { hasRegisterTile } from "./register-tile.ts";
import { preferredUnroll } from "./unroll-defaults.ts";
import { hasWindows, windowPoints } from "./window-defaults.ts";

/** How many loops of a kernel go along rows that may begin anywhere in a vector, and their lengths. */
function oddRows({ group, profile, mapping }: PolicyQuestion): readonly number[] {
  const built = buildKernel(group, profile, mapping);
  if (built.kind === "impossible") return [];
  const { program, schedule } = built;
  const loops = oddRowLoops(program, schedule.root, group.host);
  return eachLeaf(schedule.root).flatMap((c) =>
    c.loops.flatMap((l) => (loops.has(l.id) ? [l.extent] : [])),
  );
}

/** Steps of a sum without a register tile whose loads a GPU has in flight at once. */
const stepsInFlight = 16;

/**
 * Blocks of steps of a sum in a recurrence beside which those of its rest, one by one, count little: by estimates a
 * triangular solve of 256, whose sums have any number of steps, takes 0.07 of the time.
 */
const leastBlocks = 8;

/** The most points of a window that a GPU's kernel of a product has in its text. */
const mostWritten = 32;

/**
 * Whether sums of a recurrence run inside of a kernel of a GPU: few invocations go on at a time there, so that
 * each waits for what it loads. By estimates an Elman network of 128 channels takes an eighth of the time.
 */
function waitsInLoop({ group, profile }: PolicyQuestion): boolean {
  const host = hostOf(group);
  const isLooped = group.statements.some((s) => s.loops.some((l) => !host.has(l)));
  return profile.class === "gpu" && isLooped;
}

/** Steps of the innermost reduction that a GPU's kernel has at once. */
function stepsOnGpu(q: PolicyQuestion): number {
  if (waitsInLoop(q)) return stepsInFlight;
  const { group, mapping } = q;
  const axes = pointAxesOf(group, mapping);
  if (!hasRegisterTile(axes, group.statements)) return stepsInFlight;
  if (!hasWindows(axes, group.statements)) return writtenOfProduct;
  const points = Math.max(...group.statements.map(windowPoints));
  return points <= mostWritten ? points : productSteps;
}

/** Steps of the innermost reduction that are written out. */
function unrollOf(knob: Knob, q: PolicyQuestion): Choice {
  const { group, profile, mapping } = q;
  const { statements } = group;
  const extents = innermostExtents(statements);
  const longest = Math.max(1, ...extents);
  const copies = statements.length * pointCount(mapping);
  const windows = statements.map(windowLengths).filter((ns) => ns.length > 0);
  const room = (profile.mostStatements / copies) * vectorWidth(mapping);
  const named = knob.values.map((value) => {
    const steps = writtenSteps(statements, typeof value === "boolean" ? 1 : value);
    return { value, steps };
  });
  const isMany = (steps: number): boolean => steps >= stepsInFlight / 2 && waitsInLoop(q);
  // Steps that leave no rest: of a window all loops, of others whole blocks, unless a rest waits less than all steps.
  const isEven = ({ steps }: { readonly steps: number }): boolean =>
    steps > longest
      ? steps <= room &&
        windows.length === extents.length &&
        windows.every((ns) => ns.includes(steps))
      : steps <= profile.mostStatements / copies &&
        extents.every((e) => e % steps === 0 || (isMany(steps) && e >= leastBlocks * steps));
  const wish =
    profile.class === "gpu" ? stepsOnGpu(q) : preferredUnroll(longest, copies, statements, profile);
  const fitting = named
    .filter((n) => isEven(n) && n.steps <= wish)
    .sort((a, b) => a.steps - b.steps);
  const most = fitting.at(-1)?.steps;
  // A number of steps is legal for longer reductions, too, where a whole loop may be too long.
  const best =
    fitting.find((n) => n.steps === most && typeof n.value === "number") ?? fitting.at(-1);
  if (best === undefined || best.steps === 1) return 1;
  // Those are written in blocks of vectors.
  const isAligned = profile.class === "cpu" && mayHaveOddRows(group) && oddRows(q).length > 0;
  return isAligned ? 1 : best.value;
}

/** The tensors along whose rows a statement reads with a dim. */
function rowsAlong(s: Statement, dim: string | undefined): readonly string[] {
  return flatMap(s.reads, ({ tensor, index }) => {
    const last = index.at(-1);
    const isAlong = last !== undefined && dim !== undefined && indexVariables(s, last).has(dim);
    return isAlong ? [tensor] : [];
  });
}

/** Components of the vectors inside of a point, or neighbours that one of a team has in a row. */
function innerOf(knob: Knob, { group, profile, mapping }: PolicyQuestion): Choice {
  const axes = pointAxesOf(group, mapping);
  const { team } = mapping;
  if (team > 1) {
    if (profile.class !== "gpu" || mapping.combine === "no") return 1;
    // What is loaded and stored has no vectors: neighbours are better loaded by neighbours.
    const isUpdate = group.statements.some(
      (s) =>
        !sharesReduction(s, axes) &&
        sharedExtent(s, axes, team) !== null &&
        s.reads.some((r) => r.tensor === s.write.tensor),
    );
    if (isUpdate) return 1;
    const extents = dividedExtents(group.statements, axes, mapping);
    // Neighbours are a vector only where the rows of memory that they are in are whole ones.
    const rows = flatMap(group.statements, (s) => rowsAlong(s, sharedExtent(s, axes, team)?.dim));
    const lengths = rows.map((tensor) => tensorOf(group.program, tensor).shape.at(-1) ?? 1);
    const isWide = (n: Choice): boolean =>
      typeof n === "number" &&
      extents.every((e) => e % n === 0 && e / n >= team) &&
      lengths.every((length) => length % n === 0);
    return knob.values.findLast(isWide) ?? 1;
  }
  const maps = innerExtents(group.statements, axes);
  const wide = profile.class === "cpu" && maps.some((m) => m.unit && m.extent % 4 === 0);
  return wide ? 4 : 1;
}

/** Steps that each point takes in a row: as many as its accumulators stay in registers for. */
function stepsOf(knob: Knob, { group, profile, mapping }: PolicyQuestion): Choice {
  const built = buildKernel(group, profile, mapping);
  if (built.kind === "impossible") return 1;
  const counts = stepCounts(built.program, built.schedule.root);
  const most = Math.max(1, ...counts);
  const inARow = profile.costs.stepsInARow;
  if (most <= inARow && knob.values.includes("whole")) return most === 1 ? 1 : "whole";
  const divides = (n: Choice): boolean =>
    typeof n === "number" && n <= inARow && counts.some((c) => c % n === 0);
  return knob.values.findLast(divides) ?? 1;
}

/**
 * Iterations of a recurrence that a GPU's invocation has at once: what it loads of rows of its own is whole sectors
 * of memory, in two vectors. By estimates running sums of 2^20 take 0.77 to 1 of the time. Software adapters read
 * elements one by one as fast.
 */
const iterationsAtOnce = 8;

function iterationsOf({ values }: Knob, { group, profile, mapping }: PolicyQuestion): Choice {
  const copies = group.statements.length * pointCount(mapping);
  const fits = (n: Choice): boolean =>
    typeof n === "number" && n <= iterationsAtOnce && n * copies <= profile.mostStatements;
  return profile.class === "gpu" ? (values.findLast(fits) ?? 1) : 1;
}

/** Preferences of what is inside. */
export function preferredInside(knob: Knob, q: PolicyQuestion): Choice | undefined {
  switch (knob.path) {
    case "unroll":
      return unrollOf(knob, q);
    case "inner":
      return innerOf(knob, q);
    case "steps":
      return stepsOf(knob, q);
    case "iterations":
      return iterationsOf(knob, q);
    case "align": {
      const lengths = oddRows(q);
      return lengths.length > 0 && q.profile.class === "cpu";
    }
    default:
      return undefined;
  }
}
