import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile } from "../../../src/compile.ts";
import { defined } from "../../../src/support/assert.ts";
import { namedProfiles } from "../../../src/support/device-profile.ts";

/** Kernels of an LU decomposition of 256 rows, each step of which needs the one before. */
function kernelsFor(name: string): number {
  const profile = defined(namedProfiles[name], "profile", name);
  const source = readFileSync("examples/lu.tc", "utf8");
  const compiled = compile(source, { sizes: { N: 256 }, profile });
  if (!compiled.ok) throw new Error("it does not compile");
  return compiled.plan.kernels.length;
}

test.each([
  ["nvidia", 3],
  ["apple", 1],
  ["amd-rdna", 1],
  ["intel-xe", 1],
  ["adreno", 1],
  ["mali", 1],
] as const)(
  "steps that wait for launches rather than in one workgroup are one: %s has %i kernels",
  (family, kernels) => {
    expect(kernelsFor(family)).toBe(kernels);
  },
);
