/** The side of a bench that has the device: in a process or a worker of its own. */
import type { Runtime } from "../../runtime/runtime.ts";
import { serveTasks } from "../../runtime/threads/serve-tasks.ts";
import { assertNever, invariant } from "../../support/assert.ts";
import type { Bench } from "../../tuner/bench.ts";
import type { BenchAnswer, BenchTask } from "./bench-messages.ts";
import { createDeviceBench } from "./device-bench.ts";

/** Does what it is told, on the runtime that `open` makes. */
export function serveBench(open: (adapter: string | undefined) => Promise<Runtime>): void {
  let opened: Bench | null = null;
  const bench = (): Bench => {
    invariant(opened !== null, "a bench that was not opened");
    return opened;
  };
  const perform = async (task: BenchTask): Promise<BenchAnswer> => {
    switch (task.kind) {
      case "open": {
        const runtime = await open(task.adapter);
        opened = await createDeviceBench(runtime, task.task);
        const { profile, adapter } = runtime;
        return { kind: "opened", clock: opened.clock, profile, adapter };
      }
      case "admit":
        return { kind: "outcome", outcome: await bench().admit(task.candidate, task.options) };
      case "time": {
        const [sample] = await bench().time([task.id], { quanta: task.quanta });
        invariant(sample !== undefined, "a sample for each id");
        return { kind: "sample", sample };
      }
      case "release":
        bench().release(task.ids);
        return { kind: "released" };
      default:
        return assertNever(task);
    }
  };
  serveTasks<BenchTask, BenchAnswer, never>(perform);
}
