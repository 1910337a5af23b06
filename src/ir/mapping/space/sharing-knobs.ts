/** Knobs of what invocations share: loops, what lanes load for each other, copies in workgroup memory. */

import { subgroupLanes } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { own } from "../../../support/own.ts";
import { isScatter, reducedDims } from "../../program.ts";
import { loopPairs } from "../../scheduling/fuse-loops.ts";
import { joinLoops, pairName, pairOf } from "../build/join-loops.ts";
import { completeOrder, tileSteps } from "../build/shape-of.ts";
import { nestOf } from "../group/nest.ts";
import { operandsOf } from "../group/operands.ts";
import { type KernelMapping, type OperandMapping, plainOperand } from "../kernel-mapping.ts";
import { excludedBy } from "./composition.ts";
import { fieldKnob, type KernelQuestion, type Knob, knob, pointAxes } from "./knob.ts";
import { isStaged, mayWrite, reductionsOf } from "./loop-knobs.ts";
import { mayJoin } from "./tables.ts";

/** The most pairs of loops of one kernel. */
const mostPairs = 12;

/** What lanes load for each other, and how. */
export function spreadKnobs(q: KernelQuestion): readonly Knob[] {
  const { group, limits, mapping } = q;
  const lanes = subgroupLanes(limits);
  if (lanes === null || mapping.lanes !== lanes) return [];
  const reduces = group.statements.some(
    (s) => s.reduction !== null && !isScatter(s) && reducedDims(s).length > 0,
  );
  if (!reduces || excludedBy(mapping, "spread") !== null) return [];
  const count = group.statements.length;
  const innermost = mapping.axes[mapping.order[0] ?? 0]?.workgroup ?? 1;
  if (innermost % lanes !== 0) return [];
  const bySteps = mayWrite(mapping, count * lanes, limits);
  const byPoints = mapping.axes.some((a) => a.points % lanes === 0);
  const over = [
    "no" as const,
    ...(bySteps ? (["steps"] as const) : []),
    ...(byPoints ? (["points"] as const) : []),
  ];
  const blocks = [1, 2, 4, 8].filter((n) => mayWrite(mapping, count * n, limits));
  return [
    ...fieldKnob(mapping, "spread", over),
    ...(mapping.spread === "steps" ? fieldKnob(mapping, "spreadSteps", ["unroll", "serial"]) : []),
    ...(mapping.spread === "points" ? fieldKnob(mapping, "spreadBlock", blocks) : []),
  ];
}

/** Pairs of loops that may run as one, so that they share what they load. */
export function joinKnobs(q: KernelQuestion): readonly Knob[] {
  const { group, mapping } = q;
  if (group.statements.length < 2 || excludedBy(mapping, "joins") !== null) return [];
  const { program, nodes, prefix } = group;
  const axes = pointAxes(q);
  const nest = nestOf(program, nodes, axes, prefix).node;
  const knobs: Knob[] = [];
  const seen = new Set<string>();
  const joined: string[] = [];
  while (knobs.length < mostPairs) {
    const node = joinLoops(program, nest, joined.map(pairOf));
    const next = loopPairs(node).find((p) => !seen.has(pairName(p)));
    if (next === undefined) break;
    const name = pairName(next);
    seen.add(name);
    if (!mayJoin(group, axes, [...joined, name])) continue;
    const value = own(mapping.joins, name) ?? false;
    const set = (v: boolean): KernelMapping => ({
      ...mapping,
      joins: { ...mapping.joins, [name]: v },
    });
    knobs.push(knob(`joins/${name}`, [false, true], value, set, mapping));
    if (value) joined.push(name);
  }
  return knobs;
}

/** Which operands are copied to workgroup memory, and in which layout. */
export function operandKnobs(q: KernelQuestion): readonly Knob[] {
  const { group, mapping } = q;
  if (excludedBy(mapping, "staging") !== null) return [];
  const axes = pointAxes(q);
  const [innermost = 0] = completeOrder(mapping.order, [...axes.keys()]);
  return flatMap(operandsOf(group, axes, innermost), ({ name }): readonly Knob[] => {
    const operand = own(mapping.operands, name) ?? plainOperand;
    const set = (change: Partial<OperandMapping>): KernelMapping => ({
      ...mapping,
      operands: { ...mapping.operands, [name]: { ...operand, ...change } },
    });
    const path = `operands/${name}`;
    const stages = ["no", "workgroup"] as const;
    const stage = knob(`${path}/stage`, stages, operand.stage, (v) => set({ stage: v }), mapping);
    if (operand.stage === "no") return [stage];
    return [
      stage,
      knob(`${path}/pad`, [0, 1, 4], operand.pad, (pad) => set({ pad }), mapping),
      knob(`${path}/slots`, [1, 2], operand.slots, (slots) => set({ slots }), mapping),
    ];
  });
}

/** How many neighbours of each operand an invocation copies at once, at most. */
export function vectorKnobs({ mapping }: KernelQuestion): readonly Knob[] {
  const staged = Object.entries(mapping.operands).filter(([, o]) => o.stage !== "no");
  return staged.map(([name, operand]) => {
    const set = (vector: OperandMapping["vector"]): KernelMapping => ({
      ...mapping,
      operands: { ...mapping.operands, [name]: { ...operand, vector } },
    });
    return knob(`operands/${name}/vector`, [1, 2, 4] as const, operand.vector, set, mapping);
  });
}

/** Whether the copies of the next tile are loaded while this one is computed. */
export function prefetchKnob({ group, mapping }: KernelQuestion): readonly Knob[] {
  const { reduced } = mapping;
  const isCut = reductionsOf(group.statements).some((extents) =>
    extents.some((n, r) => n > tileSteps(reduced[r] ?? [], n)),
  );
  return isStaged(mapping) && isCut ? fieldKnob(mapping, "prefetch", [false, true]) : [];
}
