import { expect, test } from "vitest";
import { interpretPlan } from "../../../src/codegen/interpret-kernel/interpret-plan.ts";
import { pathsOf } from "../../../src/ir/mapping/mapping.ts";
import { baselineProfile } from "../../../src/support/device-profile.ts";
import { given } from "../../support/given.ts";
import { isFailure, mapCase, prepareCase } from "../differential.ts";
import { compilerFaults } from "../faults/compiler-faults.ts";
import { generateTc } from "../generate-tc.ts";
import { type Subject, shrink } from "./shrink.ts";

/** Whether the kernel interpreter finds a race in a definition compiled without any barrier. */
function races({ tcCase, mapping }: Subject): boolean {
  const preparation = prepareCase(tcCase);
  if (preparation.kind !== "prepared") return false;
  const { prepared } = preparation;
  const variant = mapCase(prepared, baselineProfile, mapping);
  if (isFailure(variant)) return false;
  const fault = compilerFaults.find((f) => f.name === "no barriers");
  const plan = fault?.inject({ program: prepared.program, variant }) ?? null;
  if (plan === null) return false;
  return interpretPlan(plan, prepared.inputs).faults.some((f) => f.kind === "race");
}

test("a failure shrinks to a small definition with few options that fails alike", async () => {
  const mapping = {
    kind: "options",
    options: given({
      "structure/statements/$1/with": true,
      "kernels/$0/team": 4,
      "kernels/no such/team": 1,
    }),
  } as const;
  const cases = Array.from({ length: 60 }, (_, n) => generateTc(500 + n));
  const tcCase = cases.find((each) => races({ tcCase: each, mapping }));
  expect(tcCase).toBeDefined();
  if (tcCase !== undefined) {
    const best = await shrink({ tcCase, mapping }, async (s) => races(s), 400);
    expect(races(best)).toBe(true);
    expect(best.tcCase.source.trim().split("\n").length).toBeLessThanOrEqual(8);
    const { options } = best.mapping.kind === "options" ? best.mapping : { options: given() };
    expect(pathsOf(mapping.options).has("kernels/no such/team")).toBe(true);
    expect(pathsOf(options).has("kernels/no such/team")).toBe(false);
  }
});

test("what does not fail in a smaller form stays as it is", async () => {
  const tcCase = generateTc(3);
  const subject: Subject = { tcCase, mapping: { kind: "one-thread" } };
  expect(await shrink(subject, async () => false, 50)).toBe(subject);
});
