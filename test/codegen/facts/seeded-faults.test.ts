import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, expect, it } from "vitest";
import type { facts as Facts } from "../../../src/codegen/facts/facts.ts";
import { facts as soundFacts } from "../../../src/codegen/facts/facts.ts";
import type { Plan } from "../../../src/codegen/plan.ts";
import { gpuProfile } from "../../../src/support/device-profile.ts";
import { bothCounts, planOf, told } from "./compare.ts";
import { branchingKernel, planOfKernel } from "./kernel-plans.ts";
import { closedPrograms, type FactsProgram } from "./programs.ts";
import { type SeededFault, seededFaults } from "./seeded-faults.ts";

const folder = "src/codegen/facts";
mkdirSync("node_modules/.cache", { recursive: true });
const made = mkdtempSync(join("node_modules/.cache", "facts-"));
afterAll(() => rmSync(made, { recursive: true }));

/** The analysis with a fault in it: a copy of its folder. */
async function withFault({ file, from, to }: SeededFault, n: number): Promise<typeof Facts> {
  const copy = join(made, String(n));
  mkdirSync(copy);
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), "utf8");
    if (name === file) expect(text.split(from).length, `${from} in ${file}`).toBe(2);
    const changed = name === file ? text.replace(from, to) : text;
    writeFileSync(
      join(copy, name),
      changed.replaceAll('from "../', `from "${resolve("src/codegen")}/`),
    );
  }
  const module = await import(pathToFileURL(resolve(copy, "facts.ts")).href);
  return module.facts;
}

/** What is executed for each fault: small programs of each class, and the kernel by hand. */
function* plans(): Generator<Plan> {
  yield planOfKernel(branchingKernel);
  for (const program of [...closedPrograms].reverse()) {
    const sizes = program.sizes.at(-1) ?? {};
    yield planOf(program, sizes, gpuProfile, "default");
    yield planOf(program, sizes, gpuProfile, "naive");
  }
}

/** Rows of 1000 in tiles of 64: what one workgroup stands for, all of it stores so many bytes. */
const large = planOf(
  closedPrograms[0] as FactsProgram,
  { M: 1000, N: 1024, K: 1024 },
  gpuProfile,
  "default",
);

function largeFacts(facts: typeof soundFacts): readonly number[] {
  const [kernel] = facts(large, gpuProfile);
  const stores = (kernel?.accesses ?? []).filter((a) => a.kind === "store");
  const wanted = stores.reduce((sum, { memory }) => {
    if (memory.space !== "storage") return sum;
    return sum + (memory.sectors ?? 0) * 32 * (memory.usedShare ?? 0);
  }, 0);
  return [wanted, kernel?.mostOperations.fma ?? 0].map(Math.round);
}

it("each of the faults is noticed, and none without one", { timeout: 300_000 }, async () => {
  const all = [...plans()];
  const truth = all.map((plan) => bothCounts(plan, gpuProfile, soundFacts));
  for (const both of truth) {
    for (const { told, counted } of both) expect(told).toEqual(counted);
  }
  expect(largeFacts(soundFacts)).toEqual([4 * 1000 * 1024, 1024 ** 3]);
  const unnoticed: string[] = [];
  for (const [n, fault] of seededFaults.entries()) {
    const facts = await withFault(fault, n);
    const isNoticed =
      all.some((plan, c) =>
        facts(plan, gpuProfile).some(
          (kernel, k) => `${told(kernel)}` !== `${truth[c]?.[k]?.counted}`,
        ),
      ) || `${largeFacts(facts)}` !== `${largeFacts(soundFacts)}`;
    if (!isNoticed) unnoticed.push(fault.name);
  }
  expect(unnoticed).toEqual([]);
});
