/** What the points of an invocation mean for what comes after them where they are neighbours along the last axis alone. */
import { describe, expect, it } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import type { Group } from "../../../src/ir/mapping/group/group.ts";
import { isBlockedAlong, type KernelMapping } from "../../../src/ir/mapping/kernel-mapping.ts";
import { mapWith } from "../../../src/ir/mapping/map-program.ts";
import { operandValue } from "../../../src/ir/mapping/policy/operand-policy.ts";
import { policyOf } from "../../../src/ir/mapping/policy/policies.ts";
import { laneDims } from "../../../src/ir/mapping/space/place-conditions.ts";
import { plainMapping } from "../../../src/ir/mapping/space/plain-mapping.ts";
import { maySpreadPoints } from "../../../src/ir/mapping/space/spread-conditions.ts";
import { mayHold } from "../../../src/ir/mapping/space/staging-conditions.ts";
import { defined } from "../../../src/support/assert.ts";
import { gpuProfile } from "../../../src/support/device-profile.ts";

const profile = { ...gpuProfile, features: { ...gpuProfile.features, subgroups: true } };
const limits = { ...profile, subgroups: { min: 8, max: 8 } };

function productOf(sizes: Readonly<Record<string, number>>): Group {
  const source = "def f(float(M, K) a, float(K, N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }";
  const lowered = lowerSource(source, { sizes });
  if (!lowered.ok) throw new Error(lowered.diagnostics.map((d) => d.message).join());
  const { kernels } = mapWith(lowered.program, limits, new Map(), policyOf("plain", limits));
  return defined(kernels[0], "kernel").group;
}

/** A product's mapping: invocations and points along both axes, the first the innermost. */
function mappingOf(
  group: Group,
  blocked: KernelMapping["blocked"],
  [rows, columns]: readonly (readonly [workgroup: number, points: number])[],
): KernelMapping {
  const plain = plainMapping(group, limits);
  const tiles = [rows ?? [1, 1], columns ?? [1, 1]] as const;
  const axes = plain.axes.map((axis, a) => {
    const [workgroup, points] = tiles[a] ?? [1, 1];
    return { ...axis, workgroup, points };
  });
  return { ...plain, axes, order: [0, 1], blocked, points: "unroll", lanes: 8 };
}

describe("points that are neighbours along the last axis alone", () => {
  const group = productOf({ M: 64, K: 64, N: 64 });
  const forms = [true, "last", false] as const;

  it("are so along that one", () => {
    const along = (at: number) => forms.map((blocked) => isBlockedAlong({ blocked }, at, 2));
    expect([along(0), along(1)]).toEqual([
      [true, false, false],
      [true, true, false],
    ]);
  });

  it("leave neighbouring lanes neighbours along another one", () => {
    const [s] = group.statements;
    const dims = forms.map((blocked) => {
      const mapping = mappingOf(group, blocked, [
        [8, 2],
        [4, 2],
      ]);
      return laneDims(defined(s, "statement"), group.axes, { mapping });
    });
    expect(dims).toEqual([[""], ["m"], ["m"]]);
  });

  it("may be loaded for by lanes, where those lie along another one", () => {
    const may = forms.map((blocked) => {
      const mapping = mappingOf(group, blocked, [
        [8, 1],
        [4, 8],
      ]);
      return maySpreadPoints({ group, limits, mapping }, 8, 1);
    });
    expect(may).toEqual([true, true, false]);
  });

  it("have rows of copies in different banks where points go below each other along another one", () => {
    const pads = forms.map((blocked) => {
      const mapping = mappingOf(group, blocked, [
        [8, 2],
        [4, 2],
      ]);
      const question = {
        group,
        profile: limits,
        mapping,
        mayStage: true,
        joining: "usual",
        mayBeLegal: () => true,
      } as const;
      return operandValue(question, "c.read0", "pad");
    });
    expect(pads).toEqual([0, 1, 1]);
  });

  it("keep invocations that a short other axis has points for", () => {
    const short = productOf({ M: 16, K: 32, N: 64 });
    const held = forms.map((blocked) => {
      const { operands, ...plain } = mappingOf(short, blocked, [
        [16, 16],
        [1, 1],
      ]);
      const staged = { stage: "workgroup", pad: 0, slots: 1, vector: 1 } as const;
      const mapping = { ...plain, reduced: [[32]], operands: { ...operands, "c.read0": staged } };
      return mayHold({ group: short, limits, mapping });
    });
    expect(held).toEqual([false, true, true]);
  });
});
