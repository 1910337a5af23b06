import { expect, test } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import { planProgram } from "../../../src/plan-program.ts";
import { namedProfiles } from "../../../src/support/device-profile.ts";
import { mappingVersion } from "../../../src/support/mapping-file.ts";

/** A recurrence over 65,536 steps of few rows. */
const source = `def cumsum(float(R,D) x) -> (y) {
  y(r, 0) = x(r, 0)
  for d in 1:D { y(r, d) = y(r, d - 1) + x(r, d) }
}`;

/** What the defaults choose for the chunks of 16 such rows, and for the chunks of their carry. */
function chunksFor(name: "apple" | "amd-rdna"): readonly unknown[] {
  const lowered = lowerSource(source, { shapes: { x: [16, 65536] } });
  if (!lowered.ok) throw new Error("it does not compile");
  const profile = namedProfiles[name];
  if (profile === undefined) throw new Error("no such profile");
  const mapping = { version: mappingVersion, policy: "default" } as const;
  const { decisions } = planProgram(lowered.program, profile, mapping);
  return decisions.filter((d) => d.path.endsWith("/scan/t0")).map((d) => d.value);
}

test("a carry that waits for memory in each step is no serial loop over hundreds of chunks on GPUs", () => {
  // With steps of the carry as cheap as those of chunks: 256 and no, and 64, 16 and no.
  expect(chunksFor("apple")).toEqual([64, "no"]);
  expect(chunksFor("amd-rdna")).toEqual([64, "no"]);
});
