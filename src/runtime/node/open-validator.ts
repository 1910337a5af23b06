/** Checks plans with a real WGSL compiler, on any machine. */
import type { Plan } from "../../codegen/plan.ts";
import { requestComputeDevice } from "../device.ts";
import { createExclusiveRuntime } from "../runtime.ts";
import { RuntimeFault } from "../runtime-fault.ts";
import { nullAdapter } from "./dawn.ts";

export interface Validator {
  /** What WebGPU has against the plan (its WGSL, layouts or limits), or `null`. Runs nothing. */
  validate(plan: Plan): Promise<RuntimeFault | null>;
  dispose(): void;
}

/**
 * A validator on Dawn's back end that does not execute; a shader takes it about a millisecond.
 * @throws RuntimeFault `no-adapter` when Dawn cannot be loaded.
 */
export async function openValidator(): Promise<Validator> {
  const adapter = await nullAdapter().catch((error: Error) => {
    throw new RuntimeFault("no-adapter", `cannot validate: ${error.message}`);
  });
  const runtime = createExclusiveRuntime({ device: await requestComputeDevice(adapter) });
  return {
    validate: async (plan) => {
      try {
        (await runtime.load(plan)).dispose();
        return null;
      } catch (error) {
        if (error instanceof RuntimeFault) return error;
        throw error;
      }
    },
    dispose: runtime.dispose,
  };
}
