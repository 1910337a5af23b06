import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compile } from "../../../src/compile.ts";
import { openValidator, type Validator } from "../../../src/runtime/node/open-validator.ts";
import { gpuProfile } from "../../../src/support/device-profile.ts";
import { askingFor } from "../../support/asking-profile.ts";
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

  it("accepts kernels that ask for the size of their subgroups", async () => {
    const source = "def f(float(16, 1000) x) -> (y) { y(n) +=! x(n, d) }";
    const compiled = compile(source, { profile: askingFor(64, gpuProfile) });
    if (!compiled.ok) throw new Error("not compiled");
    expect(compiled.plan.kernels[0]?.wgsl).toContain("@subgroup_size(64)");
    expect(await validator.validate(compiled.plan)).toBeNull();
  });

  it("says what the WGSL compiler has against a kernel", async () => {
    const text = { bindings: [["y", "read_write"]] as const, groups: 1 };
    const bad = kernel({ ...text, name: "skewed", body: "if (i > 3u) { workgroupBarrier(); }" });
    const fault = await validator.validate(plan("bad", [buffer("y", "output", [4])], [bad]));
    expect(fault?.kind).toBe("shader");
    expect(fault?.message).toMatch(/kernel "skewed": line \d+:\d+: .*uniform control flow/);
  });
});
