/**
 * Purpose: the knobs of a kernel: what may be chosen about it, given a mapping.
 *
 * Ensures: values meet the necessary conditions, given the knobs before; no preference, no default and no class of
 * device. Which loops may run as one is asked of legality, once for each pair; whether all values together are legal
 * is for repair to find out.
 */
import type { Limits } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import type { Choice } from "../../../support/mapping-file.ts";
import { remember } from "../../../support/remember.ts";
import type { Group } from "../group/group.ts";
import type { KernelMapping } from "../kernel-mapping.ts";
import type { KernelQuestion, Knob, KnobStage } from "./knob.ts";
import {
  innerKnob,
  insideKnob,
  iterationsKnob,
  reducedKnobs,
  stepsKnob,
  unrollKnob,
} from "./loop-knobs.ts";
import { alignKnob, fullKnob, placeKnobs } from "./place-knobs.ts";
import {
  axesKnobs,
  bandsKnob,
  combineKnob,
  orderOfAxesKnobs,
  pointsKnobs,
  rowsKnob,
  subgroupKnobs,
  teamKnob,
  turnOrderKnobs,
} from "./shape-knobs.ts";
import {
  joinKnobs,
  operandKnobs,
  prefetchKnob,
  spreadKnobs,
  vectorKnobs,
} from "./sharing-knobs.ts";
import { fragmentKnobs, unitKnob } from "./unit-knobs.ts";

const plainStages: readonly KnobStage[] = [
  rowsKnob,
  teamKnob,
  combineKnob,
  axesKnobs,
  turnOrderKnobs,
  orderOfAxesKnobs,
  subgroupKnobs,
  bandsKnob,
  pointsKnobs,
  spreadKnobs,
  unrollKnob,
  innerKnob,
  joinKnobs,
  operandKnobs,
  reducedKnobs,
  vectorKnobs,
  insideKnob,
  prefetchKnob,
  stepsKnob,
  iterationsKnob,
  placeKnobs,
  alignKnob,
  fullKnob,
];

/** The stages of a kernel's knobs after that of the matrix unit, in their fixed order. */
function stagesOf({ unit }: KernelMapping): readonly KnobStage[] {
  return unit === "none" ? plainStages : [fragmentKnobs];
}

const spaces: (group: Group) => (limits: Limits) => (mapping: KernelMapping) => readonly Knob[] =
  remember((group: Group) =>
    remember((limits: Limits) =>
      remember((mapping: KernelMapping) =>
        flatMap([unitKnob, ...stagesOf(mapping)], (stage) => [
          ...stage({ group, limits, mapping }),
        ]),
      ),
    ),
  );

/** All knobs of a kernel, each given the ones before. */
export function kernelSpace(group: Group, limits: Limits, mapping: KernelMapping): readonly Knob[] {
  return spaces(group)(limits)(mapping);
}

/** The knobs of a stage from the n-th on, each found when it is asked for. */
function knobsFrom(stage: KnobStage, question: KernelQuestion, n: number): Iterator<Knob, void> {
  const knobs = stage(question)[Symbol.iterator]();
  for (let k = 0; k < n; k++) knobs.next();
  return knobs;
}

/**
 * A mapping made by turning all knobs in their order: `choose` gives the value of each, given the mapping as far as
 * it is made. A choice that is none of the values leaves the knob as it is.
 */
export function turnKnobs(
  group: Group,
  limits: Limits,
  start: KernelMapping,
  choose: (knob: Knob, mapping: KernelMapping) => Choice,
): KernelMapping {
  let mapping = start;
  const turn = (stage: KnobStage): void => {
    const each = (choiceOf: (knob: Knob) => Choice): void => {
      let knobs = knobsFrom(stage, { group, limits, mapping }, 0);
      for (let n = 1; ; n++) {
        const { value: next, done } = knobs.next();
        if (done === true) return;
        const choice = choiceOf(next);
        if (choice === next.value) continue;
        const before = mapping;
        mapping = next.with(choice);
        if (mapping !== before) knobs = knobsFrom(stage, { group, limits, mapping }, n);
      }
    };
    // A team may have taken spaces from the offer: all temporaries leave these before one is placed.
    if (stage === placeKnobs) {
      each(({ values, value }) => (values.includes(value) ? value : (values[0] ?? value)));
    }
    each((knob) => choose(knob, mapping));
  };
  turn(unitKnob);
  for (const stage of stagesOf(mapping)) turn(stage);
  return mapping;
}
