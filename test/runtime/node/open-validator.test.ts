import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openValidator, type Validator } from "../../../src/runtime/node/open-validator.ts";
import { addPlan, buffer, kernel, nestedRepeatPlan, plan, zeroPlan } from "../plans.ts";

let validator: Validator;

beforeAll(async () => {
  validator = await openValidator();
});

afterAll(() => validator.dispose());

describe("validate", () => {
  it("accepts plans that run", async () => {
    const good = [addPlan, zeroPlan(8), nestedRepeatPlan("table"), nestedRepeatPlan("immediate")];
    for (const one of good) expect(await validator.validate(one)).toBeNull();
  });

  it("says what the WGSL compiler has against a kernel", async () => {
    const text = { bindings: [["y", "read_write"]] as const, groups: 1 };
    const bad = kernel({ ...text, name: "skewed", body: "if (i > 3u) { workgroupBarrier(); }" });
    const fault = await validator.validate(plan("bad", [buffer("y", "output", [4])], [bad]));
    expect(fault?.kind).toBe("shader");
    expect(fault?.message).toMatch(/kernel "skewed": line \d+:\d+: .*uniform control flow/);
  });
});
