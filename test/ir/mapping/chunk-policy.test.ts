import { expect, test } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import { planProgram } from "../../../src/plan-program.ts";
import { defined } from "../../../src/support/assert.ts";
import { namedProfiles } from "../../../src/support/device-profile.ts";
import { mappingVersion } from "../../../src/support/mapping-file.ts";

/** A recurrence over 65,536 steps of few rows. */
const source = `def cumsum(float(R,D) x) -> (y) {
  y(r, 0) = x(r, 0)
  for d in 1:D { y(r, d) = y(r, d - 1) + x(r, d) }
}`;

/** What the defaults choose for the chunks of 16 such rows, and the kernel of what is carried from one to the next. */
function chunksFor(name: string): readonly unknown[] {
  const lowered = lowerSource(source, { shapes: { x: [16, 65536] } });
  if (!lowered.ok) throw new Error("it does not compile");
  const profile = defined(namedProfiles[name], "profile", name);
  const mapping = { version: mappingVersion, policy: "default" } as const;
  const { decisions } = planProgram(lowered.program, profile, mapping);
  const chosen = new Map(decisions.map((d) => [d.path, d.value]));
  return ["statements/y#1/scan/t0", "statements/y#1.carry/scan/t0", "loops/y#1.turn/with"].map(
    (path) => chosen.get(`structure/${path}`),
  );
}

test.each(["nvidia", "apple", "amd-rdna", "intel-xe", "adreno", "mali"])(
  "a workgroup composes all chunks of a row, and carries from one to the next: %s",
  (family) => {
    expect(chunksFor(family)).toEqual([256, "no", "y#1.first"]);
  },
);

test("more steps than a workgroup composes are in chunks, too", () => {
  const steps = 2 ** 20 + 1;
  const profile = defined(namedProfiles["apple"], "profile", "apple");
  const lowered = lowerSource(
    `def decay(float(T,B) x) -> (h) {
      for t in T { if t == 0 { h(t, b) = x(t, b) } else { h(t, b) = 0.5 * h(t - 1, b) + x(t, b) } }
    }`,
    { sizes: { T: steps, B: 8 } },
  );
  if (!lowered.ok) throw new Error("it does not compile");
  const mapping = { version: mappingVersion, policy: "default" } as const;
  const { decisions } = planProgram(lowered.program, profile, mapping);
  const size = decisions.find((d) => d.path === "structure/statements/h#1/scan/t0")?.value;
  expect(size).toBeGreaterThanOrEqual(256);
});
