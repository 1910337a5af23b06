/** A plan's facts beside what executing it counts. */

import type { facts as factsOfPlan } from "../../../src/codegen/facts/facts.ts";
import type { KernelFacts } from "../../../src/codegen/facts/kernel-facts.ts";
import type { Plan } from "../../../src/codegen/plan.ts";
import { compile } from "../../../src/compile.ts";
import type { DeviceProfile } from "../../../src/support/device-profile.ts";
import { elementCount, type TensorData } from "../../../src/support/scalar-type.ts";
import { type CountedByExecuting, countByExecuting } from "./count-by-executing.ts";
import type { FactsProgram } from "./programs.ts";

/** Integers below a bound, in no order; floats between 0 and 1. */
function inputsOf(plan: Plan, below: number): Readonly<Record<string, TensorData>> {
  const inputs = plan.buffers.filter((b) => b.role === "input" || b.role === "inout");
  return Object.fromEntries(
    inputs.map(({ name, type, shape }) => {
      const values = Array.from({ length: elementCount(shape) }, (_, n) => (n * 7) % 13);
      if (type !== "float32") return [name, Int32Array.from(values, (v) => v % below)];
      return [name, Float32Array.from(values, (v) => v / 13)];
    }),
  );
}

export function planOf(
  { source }: FactsProgram,
  sizes: Readonly<Record<string, number>>,
  profile: DeviceProfile,
  options: "default" | "naive",
): Plan {
  const compiled = compile(source, { sizes, profile, options });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join("\n"));
  return compiled.plan;
}

/** What the facts say, in the words of the count. */
export function told(kernel: KernelFacts): readonly string[] {
  const places = new Map<string, number[]>();
  for (const { place, kind, array, requests, memory } of kernel.accesses) {
    const id = `${place} ${kind} ${array}`;
    const values =
      memory.space === "storage"
        ? [
            memory.sectors,
            memory.usedShare === null ? null : (memory.sectors ?? 0) * 32 * memory.usedShare,
            0,
            0,
            0,
          ]
        : [0, 0, ...Object.values(memory.wavefronts ?? { a: null, b: null, c: null })];
    const all = [requests, ...values].map((v) => v ?? Number.NaN);
    const known = places.get(id) ?? all.map(() => 0);
    places.set(
      id,
      all.map((v, n) => v + (known[n] ?? 0)),
    );
  }
  const groups = kernel.workgroups.count * kernel.dispatches;
  const full = groups - (kernel.workgroups.empty ?? Number.NaN) * kernel.dispatches;
  return lines(places, {
    statements: kernel.statements ?? Number.NaN,
    barriers: kernel.barriersPerWorkgroup * full,
    iterations: kernel.iterationsPerInvocation * full * kernel.workgroups.size,
    storing: full,
  });
}

function lines(
  places: ReadonlyMap<string, readonly number[]>,
  others: Readonly<Record<string, number>>,
): readonly string[] {
  const executed = [...places].filter(([, [requests]]) => requests !== 0);
  const texts = executed.map(([id, v]) => `${id}: ${v.map((x) => Math.round(x)).join(" ")}`);
  return [...texts.sort(), ...Object.entries(others).map(([k, v]) => `${k} ${Math.round(v)}`)];
}

function counted(kernel: CountedByExecuting): readonly string[] {
  const places = new Map(
    [...kernel.accesses].map(([id, { requests, sectors, wanted, wavefronts }]) => {
      const inWorkgroup = Object.values(wavefronts).some((w) => w > 0);
      const storage = inWorkgroup ? [0, 0] : [sectors, wanted];
      return [id, [requests, ...storage, ...Object.values(wavefronts)]] as const;
    }),
  );
  const { statements, barriers, iterations, storing } = kernel;
  return lines(places, { statements, barriers, iterations, storing: storing.size });
}

/** Both sides for each kernel of a plan. */
export function bothCounts(
  plan: Plan,
  profile: DeviceProfile,
  facts: typeof factsOfPlan,
  below = 1,
): readonly { readonly told: readonly string[]; readonly counted: readonly string[] }[] {
  const executed = countByExecuting(plan, inputsOf(plan, below));
  return facts(plan, profile).map((kernel, n) => ({
    told: told(kernel),
    counted: counted(executed[n] as CountedByExecuting),
  }));
}
