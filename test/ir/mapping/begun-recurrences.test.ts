import { describe, expect, it } from "vitest";
import { compile } from "../../../src/compile.ts";
import { defined } from "../../../src/support/assert.ts";
import { namedProfiles } from "../../../src/support/device-profile.ts";

const source = `def running(float(R, D) x) -> (y) {
  y(r, 0) = x(r, 0)
  for d in 1:D { y(r, d) = y(r, d - 1) + x(r, d) }
}
def turned(float(R, D) x) -> (y) {
  y(d, r) = x(r, d)
}`;

/** The WGSL of a definition's kernels by default, for long rows on a family. */
function textOf(def: string, family: string): string {
  const profile = defined(namedProfiles[family], "profile", family);
  const compiled = compile(source, { def, sizes: { R: 16, D: 65536 }, profile });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join("\n"));
  return compiled.plan.kernels.map((k) => k.wgsl).join("\n");
}

describe("what begins the chunks of a recurrence on a GPU", () => {
  const families = ["nvidia", "apple", "amd-rdna", "intel-xe", "adreno", "mali"];

  it.each(families)("leaves their states in registers on %s", (family) => {
    expect(textOf("running", family)).not.toMatch(/var<workgroup> y_state\b/);
  });

  it("is no reason to read across rows where nothing is repeated", () => {
    expect(textOf("turned", "nvidia")).toContain("var<workgroup>");
  });
});
