/** Tunes on a device of its own, in a worker: one that hangs is ended with it. */

import type { Mapping } from "../../../src/index.ts";
import {
  adapterText,
  createRuntime,
  type Runtime,
  requestComputeDevice,
} from "../../../src/load.ts";
import {
  createDeviceBench,
  createPlanner,
  type Effort,
  isUnplanned,
  runTuning,
  type TuneEvent,
  type TuneResult,
} from "../../../src/tune.ts";
import { CallFailure } from "../call-failure.ts";

/** What to tune, and how much it may take. */
export interface TuneJob {
  readonly source: string;
  readonly def: string;
  readonly sizes: Readonly<Record<string, number>>;
  readonly effort: Effort;
  /** Choices of the visitor, with which the search begins. */
  readonly given: Mapping | null;
}

/** Runs a tuning to its end, or until the signal ends it with the best so far. */
export async function tuneJob(
  { source, def, sizes, effort, given }: TuneJob,
  onEvent: (event: TuneEvent) => void,
  signal: AbortSignal,
): Promise<TuneResult> {
  const runtime = await openOwn();
  const task = { source, def, sizes };
  try {
    const planner = createPlanner(task, runtime.profile);
    if (isUnplanned(planner)) throw new CallFailure(planner.refused, "Change the source or sizes.");
    const bench = await createDeviceBench(runtime, task);
    try {
      const starts = given === null ? [] : [{ mapping: given, kind: "given" }];
      const adapter = adapterText(runtime.adapter);
      const now = (): number => performance.now();
      const run = runTuning(task, planner, bench, {
        effort,
        seed: 1,
        signal,
        now,
        adapter,
        starts,
      });
      for await (const event of run) {
        if (event.type === "done") return event.result;
        onEvent(event);
      }
    } finally {
      await bench.close();
    }
  } finally {
    runtime.dispose();
    runtime.device.destroy();
  }
  throw new CallFailure("the run ended without a result", "Tune again.");
}

async function openOwn(): Promise<Runtime> {
  const adapter = await (navigator.gpu as GPU | undefined)?.requestAdapter();
  if (adapter === null || adapter === undefined) {
    throw new CallFailure(
      "tuning takes a worker with WebGPU, which this browser does not have",
      "`npx tc-compile tune FILE` tunes without a browser.",
    );
  }
  return createRuntime({ device: await requestComputeDevice(adapter) });
}
