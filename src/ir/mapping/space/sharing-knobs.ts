/** Knobs of what invocations share: loops, what lanes load for each other, copies in workgroup memory. */

import { subgroupLanes } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { own } from "../../../support/own.ts";
import { type LoopPair, loopPairs } from "../../scheduling/fuse-loops.ts";
import { joinLoops, pairName } from "../build/join-loops.ts";
import { tileSteps } from "../build/shape-of.ts";
import { nestOf } from "../group/nest.ts";
import { type KernelMapping, type OperandMapping, plainOperand } from "../kernel-mapping.ts";
import { excludedBy } from "./composition.ts";
import { mayJoin } from "./joins.ts";
import { fieldKnob, type KernelQuestion, type Knob, knob, pointAxes } from "./knob.ts";
import { isStaged, mayWrite, reductionsOf } from "./loop-knobs.ts";
import { dealsLoop, statementOfLoop } from "./place-conditions.ts";
import { maySpreadPoints, maySpreadSteps } from "./spread-conditions.ts";
import { haveRoom, mayHold, offeredOperands } from "./staging-conditions.ts";

/** The most pairs of loops of one kernel. */
const mostPairs = 12;

/** What lanes load for each other, and how. */
export function spreadKnobs(q: KernelQuestion): readonly Knob[] {
  const { group, limits, mapping } = q;
  const lanes = subgroupLanes(limits);
  if (lanes === null || mapping.lanes !== lanes) return [];
  if (excludedBy(mapping, "spread") !== null) return [];
  const count = group.statements.length;
  const innermost = mapping.axes[mapping.order[0] ?? 0]?.workgroup ?? 1;
  if (innermost % lanes !== 0) return [];
  const bySteps = mayWrite(mapping, count * lanes, limits) && maySpreadSteps(q, lanes);
  const blocks = [1, 2, 4, 8].filter(
    (n) => mayWrite(mapping, count * n, limits) && maySpreadPoints(q, lanes, n),
  );
  const over = [
    "no" as const,
    ...(bySteps ? (["steps"] as const) : []),
    ...(blocks.length > 0 ? (["points"] as const) : []),
  ];
  return [
    ...fieldKnob(mapping, "spread", over),
    ...(mapping.spread === "steps" ? fieldKnob(mapping, "spreadSteps", ["unroll", "serial"]) : []),
    ...(mapping.spread === "points" ? fieldKnob(mapping, "spreadBlock", blocks) : []),
  ];
}

/** Whether a team divides one loop of a pair, of a map, and not the other, of a reduction: it would divide that, too. */
function dividesSum({ first, second }: LoopPair, { group, mapping }: KernelQuestion): boolean {
  if (mapping.team === 1 || mapping.combine !== "no") return false;
  const isSum = [first, second].map((loop) => /\.r\d+$/.test(loop));
  if (isSum[0] === isSum[1]) return false;
  const axes = pointAxes({ group, mapping });
  const loop = isSum[0] === true ? second : first;
  const [id, at] = [statementOfLoop(loop), Number(loop.slice(loop.lastIndexOf(".q") + 2))];
  return group.statements.some((s) => s.id === id && dealsLoop(s, at, axes, mapping));
}

/** Pairs of loops that may run as one, so that they share what they load. */
export function* joinKnobs(q: KernelQuestion): Iterable<Knob> {
  const { group, mapping } = q;
  if (group.statements.length < 2 || excludedBy(mapping, "joins") !== null) return;
  const { program, nodes, prefix } = group;
  const axes = pointAxes(q);
  let count = 0;
  const seen = new Set<string>();
  const joined: LoopPair[] = [];
  let { node } = nestOf(program, nodes, axes, prefix);
  let pairs = loopPairs(node);
  while (count < mostPairs) {
    const next = pairs.find((p) => !seen.has(pairName(p)));
    if (next === undefined) break;
    const name = pairName(next);
    seen.add(name);
    if (dividesSum(next, q) || !mayJoin(group, axes, node, joined, next)) continue;
    const value = own(mapping.joins, name) ?? false;
    const set = (v: boolean): KernelMapping => ({
      ...mapping,
      joins: { ...mapping.joins, [name]: v },
    });
    count++;
    yield knob(`joins/${name}`, [false, true], value, set, mapping);
    if (!value) continue;
    joined.push(next);
    node = joinLoops(program, node, [next]);
    pairs = loopPairs(node);
  }
}

/** Which operands are copied to workgroup memory, and in which layout. */
export function operandKnobs(q: KernelQuestion): readonly Knob[] {
  const { mapping } = q;
  if (excludedBy(mapping, "staging") !== null) return [];
  return flatMap(offeredOperands(q), ({ name }): readonly Knob[] => {
    const operand = own(mapping.operands, name) ?? plainOperand;
    const changed = (change: Partial<OperandMapping>): KernelMapping => ({
      ...mapping,
      operands: { ...mapping.operands, [name]: { ...operand, ...change } },
    });
    const fits = (change: Partial<OperandMapping>): boolean =>
      haveRoom({ ...q, mapping: upTo(changed({ stage: "workgroup", ...change }), name) }, 0);
    const path = `operands/${name}`;
    const stages = fits({ pad: 0, slots: 1 }) ? (["no", "workgroup"] as const) : ["no" as const];
    const stage = knob(
      `${path}/stage`,
      stages,
      operand.stage,
      (v) => changed({ stage: v }),
      mapping,
    );
    if (operand.stage === "no") return [stage];
    const pads = [0, 1, 2, 4].filter((pad) => pad === 0 || fits({ pad, slots: 1 }));
    const slots = [1, 2].filter((n) => n === 1 || fits({ slots: n }));
    return [
      stage,
      knob(`${path}/pad`, pads, operand.pad, (pad) => changed({ pad }), mapping),
      knob(`${path}/slots`, slots, operand.slots, (n) => changed({ slots: n }), mapping),
    ];
  });
}

/** A mapping with its operands up to one, in the order of their knobs: those behind it may still be unstaged. */
function upTo(mapping: KernelMapping, last: string): KernelMapping {
  const names = Object.keys(mapping.operands);
  const kept = names.slice(0, names.indexOf(last) + 1);
  const operands = Object.fromEntries(
    flatMap(kept, (name) => {
      const operand = own(mapping.operands, name);
      return operand === undefined ? [] : [[name, operand] as const];
    }),
  );
  return { ...mapping, operands };
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
export function prefetchKnob(q: KernelQuestion): readonly Knob[] {
  const { group, mapping } = q;
  const { reduced } = mapping;
  const isCut = reductionsOf(group.statements).some((extents) =>
    extents.some((n, r) => n > tileSteps(reduced[r] ?? [], n)),
  );
  return isStaged(mapping) && isCut && mayHold(q)
    ? fieldKnob(mapping, "prefetch", [false, true])
    : [];
}
