/** What we prefer of what invocations share: operands in lanes, joined loops, copies in workgroup memory. */

import type { Choice } from "../../../support/mapping-file.ts";
import { own } from "../../../support/own.ts";
import { legalKernel } from "../build/build-kernel.ts";
import { joinLoops, pairOf, statementsUnder } from "../build/join-loops.ts";
import { mapGroup } from "../build/map-group.ts";
import { pointAxesOf, shapeOf, tileOf } from "../build/shape-of.ts";
import { spreadStatements } from "../build/spread-ways.ts";
import {
  extentsOf,
  isTurned,
  nestedReducedDims,
  type TileOfDims,
  tileOfDims,
} from "../group/footprints.ts";
import { hostOf } from "../group/group.ts";
import { nestOf } from "../group/nest.ts";
import { type Operand, operandsOf } from "../group/operands.ts";
import { writtenSteps } from "../group/written-steps.ts";
import { type KernelMapping, plainAxis } from "../kernel-mapping.ts";
import type { Knob } from "../space/knob.ts";
import { isStaged, pointCount, reductionsOf } from "../space/loop-knobs.ts";
import { prefersJoin } from "./cost-fusion.ts";
import type { PolicyQuestion } from "./kernel-policy.ts";
import {
  productSteps,
  readsRowsOf,
  rowAlongReduction,
  stepsOfLongRows,
} from "./product-defaults.ts";
import { prefersOutside } from "./reduction-defaults.ts";
import { prefersCountedSteps, prefersSpread } from "./register-tile.ts";
import { closestBelow, innermostAxis } from "./shape-policy.ts";
import { usualSpreadBlock } from "./spread-block.ts";
import {
  longTile,
  preferredReductionTiles,
  preferredVector,
  prefersStage,
} from "./staging-defaults.ts";

/**
 * What lanes load for each other: points rather than steps, since lanes that load for points are known without
 * writing out a step for each; on software adapters contractions take 0.7 to 0.9 of the time.
 */
function spreadOf(knob: Knob, { group, profile, mapping }: PolicyQuestion): Choice {
  const axes = pointAxesOf(group, mapping);
  const { statements } = group;
  const innermost = innermostAxis(mapping, axes);
  if (!prefersSpread(axes, innermost, { statements, profile })) return "no";
  const isPossible = (spread: KernelMapping["spread"]): boolean => {
    const spreadBlock = spread === "points" ? blockOf(group, profile, mapping) : 1;
    return legalKernel(group, profile, { ...mapping, spread, spreadBlock }) !== null;
  };
  for (const over of ["points", "steps"] as const) {
    if (knob.values.includes(over) && isPossible(over)) return over;
  }
  return "no";
}

/** Steps that lanes load at once, of the statements whose operands they load. */
function blockOf(
  group: PolicyQuestion["group"],
  profile: PolicyQuestion["profile"],
  mapping: KernelMapping,
): number {
  const shape = shapeOf(group, profile, mapping);
  const axes = pointAxesOf(group, mapping);
  const ids = spreadStatements(
    group,
    shape,
    (some) => ({
      root: mapGroup(group.program, group.nodes, axes, some, group.prefix),
      places: group.folds,
    }),
    mapping.lanes,
    "points",
  );
  const statements = group.statements.filter((s) => ids.has(s.id));
  return usualSpreadBlock({ statements, tiles: shape.tiles, profile });
}

/** Whether two loops are better as one, and may be. */
function prefersPair(knob: Knob, { group, profile, mapping, joining }: PolicyQuestion): boolean {
  if (joining === "never") return false;
  const { program, nodes, prefix } = group;
  const name = knob.path.slice("joins/".length);
  const joined = Object.keys(mapping.joins).filter((n) => mapping.joins[n] === true);
  const axes = pointAxesOf(group, mapping);
  const node = joinLoops(program, nestOf(program, nodes, axes, prefix).node, joined.map(pairOf));
  const { first, second } = pairOf(name);
  const [a, b] = [first, second].map((loop) => statementsUnder(program, node, loop));
  const isBetter = prefersJoin(a ?? [], b ?? [], pointCount(mapping), hostOf(group));
  if (!isBetter && joining !== "always") return false;
  return legalKernel(group, profile, knob.with(true)) !== null;
}

/** The tile of a statement under the mapping's axes and some steps of its reduced dims. */
function tileUnder(
  { group, mapping }: PolicyQuestion,
  statement: Operand["statement"],
  reduced: readonly number[],
): TileOfDims {
  const axes = pointAxesOf(group, mapping);
  const tiles = axes.map((_, a) => tileOf(mapping.axes[a] ?? plainAxis));
  return tileOfDims(statement, axes, tiles, reduced);
}

/** Whether neighbours read rows below each other, along the reduction. */
function hasRowsBelow(
  { group, mapping }: PolicyQuestion,
  s: Operand["statement"],
  reads: readonly number[],
): boolean {
  const axes = pointAxesOf(group, mapping);
  const axis = axes[innermostAxis(mapping, axes)];
  return mapping.unroll !== 1 && axis !== undefined && reads.some((r) => readsRowsOf(s, r, axis));
}

/** The reduction tiles of a statement that some of its operands would have. */
function tilesFor(
  q: PolicyQuestion,
  s: Operand["statement"],
  reads: readonly number[],
): readonly number[] {
  const { profile, group } = q;
  const tileWith = (reduced: readonly number[]): TileOfDims => tileUnder(q, s, reduced);
  return preferredReductionTiles(group.program, s, reads, tileWith, {
    bytes: Math.min(profile.costs.stagingBytes, profile.limits.maxWorkgroupBytes),
    steps: hasRowsBelow(q, s, reads) ? stepsOfLongRows : longTile,
  });
}

/** Whether an operand is staged: where nothing else shares what it loads. */
function stageOf(q: PolicyQuestion, name: string): "no" | "workgroup" {
  const { group, profile, mapping } = q;
  const isShared = mapping.combine !== "no" || Object.values(mapping.joins).includes(true);
  if (!q.mayStage || isShared) return "no";
  const axes = pointAxesOf(group, mapping);
  const innermost = innermostAxis(mapping, axes);
  const all = operandsOf(group, axes, innermost);
  const operand = all.find((o) => o.name === name);
  if (operand === undefined) return "no";
  const { statement, read } = operand;
  const reads = all.filter((o) => o.statement === statement).map((o) => o.read);
  const tile = tileUnder(q, statement, tilesFor(q, statement, reads));
  const turned = isTurned(statement, read, axes, innermost);
  const prefers = prefersStage(group.program, statement, read, tile, turned, profile);
  return prefers ? "workgroup" : "no";
}

/** The operands that a mapping stages. */
function stagedOf({ group, mapping }: PolicyQuestion): readonly Operand[] {
  const axes = pointAxesOf(group, mapping);
  return operandsOf(group, axes, innermostAxis(mapping, axes)).filter(
    (o) => own(mapping.operands, o.name)?.stage === "workgroup",
  );
}

/** Elements after each row of a copy, so that rows which neighbours read begin in different banks. */
function padOf({ group, mapping }: PolicyQuestion, { statement, read }: Operand): number {
  const axes = pointAxesOf(group, mapping);
  const innermost = innermostAxis(mapping, axes);
  const axis = axes[innermost];
  // Rows of whole vectors and one more, or of an odd number of elements.
  if (axis !== undefined && readsRowsOf(statement, read, axis) && !mapping.blocked) {
    return mapping.unroll === 1 ? 1 : productSteps;
  }
  return isTurned(statement, read, axes, innermost) ? 1 : 0;
}

function operandValue(q: PolicyQuestion, name: string, field: string): Choice | undefined {
  const { group, mapping } = q;
  const axes = pointAxesOf(group, mapping);
  const innermost = innermostAxis(mapping, axes);
  const operand = operandsOf(group, axes, innermost).find((o) => o.name === name);
  if (operand === undefined) return undefined;
  const { statement, read } = operand;
  switch (field) {
    case "stage":
      return stageOf(q, name);
    case "pad":
      return padOf(q, operand);
    case "vector": {
      if (mapping.unroll === productSteps && rowAlongReduction(statement, read) !== undefined) {
        return productSteps;
      }
      const shape = shapeOf(group, q.profile, mapping);
      const extents = extentsOf(statement);
      const reduced = nestedReducedDims(statement).map((d, r) => {
        const [size = "whole"] = mapping.reduced[r] ?? [];
        return size === "whole" ? (extents.get(d) ?? 1) : size;
      });
      const tile = tileUnder(q, statement, reduced);
      return preferredVector(statement, read, axes, shape, tile);
    }
    default:
      return undefined;
  }
}

/** Steps of a tile of a reduced dim. */
function tileSizeOf(knob: Knob, q: PolicyQuestion, r: number, level: number): Choice {
  const { group, profile, mapping } = q;
  if (level > 0) return "whole";
  if (!isStaged(mapping)) {
    const all = reductionsOf(group.statements);
    const unroll = writtenSteps(group.statements, mapping.unroll);
    return prefersOutside(all, r, unroll, profile) ? 1 : "whole";
  }
  const staged = stagedOf(q);
  const readers = [...new Set(staged.map((o) => o.statement))];
  const wishes = readers.map((s) => {
    const reads = staged.filter((o) => o.statement === s).map((o) => o.read);
    return tilesFor(q, s, reads)[r] ?? 1;
  });
  const wish = Math.max(...wishes);
  const extents = readers.map((s) => extentsOf(s).get(nestedReducedDims(s)[r] ?? "") ?? 1);
  return wish >= Math.max(...extents) ? "whole" : closestBelow(knob.values, wish);
}

/** Preferences of what is shared. */
export function preferredSharing(knob: Knob, q: PolicyQuestion): Choice | undefined {
  const [name, first = "", second = ""] = knob.path.split("/");
  const { group, profile, mapping } = q;
  switch (name) {
    case "spread":
      return spreadOf(knob, q);
    case "spreadSteps": {
      const axes = pointAxesOf(group, mapping);
      const { statements } = group;
      return prefersCountedSteps(axes, { statements, profile }) ? "serial" : "unroll";
    }
    case "spreadBlock": {
      const wish = blockOf(group, profile, mapping);
      return knob.values.includes(wish) ? wish : 1;
    }
    case "joins":
      return prefersPair(knob, q);
    case "operands":
      return operandValue(q, first, second);
    case "reduced":
      return tileSizeOf(knob, q, Number(first), Number(second));
    case "prefetch":
      return stagedOf(q).some((o) => (own(mapping.operands, o.name)?.slots ?? 1) > 1);
    default:
      return undefined;
  }
}
