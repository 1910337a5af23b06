import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { executedKernels } from "../../src/codegen/generate.ts";
import { lowerSource } from "../../src/compile.ts";
import { mapWith } from "../../src/ir/mapping/map-program.ts";
import { policyOf } from "../../src/ir/mapping/policy/policies.ts";
import type { Program } from "../../src/ir/program.ts";
import { defined } from "../../src/support/assert.ts";
import { namedProfiles } from "../../src/support/device-profile.ts";

/** Families of GPUs differ from `gpu` in figures alone, which fusion hardly asks. */
const profiles = ["baseline", "gpu", "llvmpipe", "swiftshader"];

const folder = new URL("../../examples/", import.meta.url);

function programOf(source: string): Program {
  const lowered = lowerSource(source);
  if (!lowered.ok) throw new Error(lowered.diagnostics.map((d) => d.message).join());
  return lowered.program;
}

/** The dispatches of a program's schedule: a plan has one for each kernel and each step of the loops around it. */
function dispatches(program: Program, profileName: string, policy: "default" | "apart"): number {
  const profile = defined(namedProfiles[profileName], profileName);
  const wishes = (): never => expect.unreachable("our first wish for a kernel is legal as it is");
  const { mapped } = mapWith(program, profile, new Map(), {
    ...policyOf(policy, profile),
    wishes,
  });
  return executedKernels(mapped.schedule.root).reduce(
    (sum, { host }) => sum + host.reduce((steps, { extent }) => steps * extent, 1),
    0,
  );
}

it("the examples have these numbers of dispatches, never more than a kernel for each statement has", async () => {
  const cell = (x: number | string): string => String(x).padEnd(13);
  const rows = [`${"".padEnd(24)}${[...profiles, "apart"].map(cell).join("")}`.trimEnd()];
  for (const file of readdirSync(folder).sort()) {
    if (!file.endsWith(".tc")) continue;
    const program = programOf(readFileSync(new URL(file, folder), "utf8"));
    const first = dispatches(program, "baseline", "apart");
    const counts = profiles.map((profile) => dispatches(program, profile, "default"));
    for (const [n, count] of counts.entries()) {
      // Where a loop of one statement runs differs between devices: each is compared with itself.
      const apart = count <= first ? first : dispatches(program, profiles[n] ?? "", "apart");
      expect([file, count <= apart]).toEqual([file, true]);
    }
    rows.push(`${file.slice(0, -3).padEnd(24)}${[...counts, first].map(cell).join("")}`.trimEnd());
  }
  await expect(`${rows.join("\n")}\n`).toMatchFileSnapshot("../golden/dispatches.txt");
}, 900_000);
