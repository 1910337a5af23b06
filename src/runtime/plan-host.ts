/** What plans on one device share: memory, pipelines, step tables, and the clock. */
import { type Clock, createClock } from "./clock.ts";
import type { DeviceContext } from "./device-context.ts";
import { createPipelineCache } from "./pipelines.ts";
import { createPool } from "./pool.ts";
import type { PlanHost } from "./run-plan.ts";
import { createStepTables } from "./step-tables.ts";
import { createTensorMaker } from "./tensor.ts";

/** A host that can give its memory back, that in use too. */
export interface OwnedPlanHost extends PlanHost {
  destroy(): void;
}

/** A host without memory or pipelines yet. */
export function createPlanHost(context: DeviceContext): OwnedPlanHost {
  const { device } = context;
  const pool = createPool(device);
  const tables = createStepTables(device);
  let clock: Promise<Clock> | null = null;
  return {
    context,
    pool,
    tables,
    tensors: createTensorMaker(context, pool),
    pipelines: createPipelineCache(context),
    clock: () => {
      clock ??= createClock(context, pool).catch((error: unknown) => {
        clock = null;
        throw error;
      });
      return clock;
    },
    destroy: () => {
      pool.destroy();
      tables.destroy();
    },
  };
}
