/** What we prefer of what invocations share: operands in lanes, joined loops, copies in workgroup memory. */

import type { Choice } from "../../../support/mapping-file.ts";
import { own } from "../../../support/own.ts";
import { joinLoops, pairOf, statementsUnder } from "../build/join-loops.ts";
import { mapGroup } from "../build/map-group.ts";
import { pointAxesOf, shapeOf } from "../build/shape-of.ts";
import { spreadStatements } from "../build/spread-ways.ts";
import { hostOf } from "../group/group.ts";
import { nestOf } from "../group/nest.ts";
import type { KernelMapping } from "../kernel-mapping.ts";
import type { Knob } from "../space/knob.ts";
import { pointCount } from "../space/loop-knobs.ts";
import { prefersJoin } from "./cost-fusion.ts";
import { turnsFromRows } from "./cost-grain.ts";
import type { PolicyQuestion } from "./kernel-policy.ts";
import { operandValue, stagedOf, tileSizeOf } from "./operand-policy.ts";
import { prefersCountedSteps, prefersSpread } from "./register-tile.ts";
import { innermostAxis } from "./shape-policy.ts";
import { usualSpreadBlock } from "./spread-block.ts";

/**
 * What lanes load for each other: points rather than steps, since lanes that load for points are known without
 * writing out a step for each; on software adapters contractions take 0.7 to 0.9 of the time.
 */
function spreadOf(knob: Knob, { group, profile, mapping, mayBeLegal }: PolicyQuestion): Choice {
  const axes = pointAxesOf(group, mapping);
  const { statements } = group;
  const innermost = innermostAxis(mapping, axes);
  if (!prefersSpread(axes, innermost, { statements, profile })) return "no";
  const isPossible = (spread: KernelMapping["spread"]): boolean => {
    const spreadBlock = spread === "points" ? blockOf(group, profile, mapping) : 1;
    return mayBeLegal({ ...mapping, spread, spreadBlock });
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
  return usualSpreadBlock(statements);
}

/** Whether two loops are better as one, and may be. */
function prefersPair(
  knob: Knob,
  { group, profile, mapping, joining, mayBeLegal }: PolicyQuestion,
): boolean {
  if (joining === "never") return false;
  const { program, nodes, prefix } = group;
  const name = knob.path.slice("joins/".length);
  const joined = Object.keys(mapping.joins).filter((n) => mapping.joins[n] === true);
  const axes = pointAxesOf(group, mapping);
  const node = joinLoops(program, nestOf(program, nodes, axes, prefix).node, joined.map(pairOf));
  const { first, second } = pairOf(name);
  const [a, b] = [first, second].map((loop) => statementsUnder(program, node, loop));
  const loops = [
    { loop: first, statements: a ?? [] },
    { loop: second, statements: b ?? [] },
  ];
  const { team } = mapping;
  const isTurned = profile.class === "gpu" && team > 1 && turnsFromRows(loops, { axes, team });
  const isBetter = !isTurned && prefersJoin(a ?? [], b ?? [], pointCount(mapping), hostOf(group));
  if (!isBetter && joining !== "always") return false;
  return mayBeLegal(knob.with(true));
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
