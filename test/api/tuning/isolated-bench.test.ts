import { expect, test } from "vitest";
import type { BenchTask } from "../../../src/api/tuning/bench-messages.ts";
import { createIsolatedBench } from "../../../src/api/tuning/isolated-bench.ts";
import { isUnplanned } from "../../../src/api/tuning/planned-task.ts";
import { createPlanner } from "../../../src/api/tuning/planner.ts";
import type { OpenThread } from "../../../src/runtime/threads/thread.ts";
import { baselineProfile } from "../../../src/support/device-profile.ts";

const task = { source: "def f(float(N) a) -> (b) { b(i) = a(i) }", sizes: { N: 64 } };

/** The other side, which opens and answers nothing else. */
const silent: OpenThread = ({ message }) => ({
  post: (data) => {
    const { id, task: asked } = data as { readonly id: number; readonly task: BenchTask };
    if (asked.kind !== "open") return;
    const result = { kind: "opened", clock: "exact", profile: baselineProfile, adapter: "" };
    queueMicrotask(() => message({ kind: "done", id, result }));
  },
  keepAlive: () => undefined,
  terminate: () => undefined,
});

test("nobody waits for what was asked of a bench that is closed", async () => {
  const bench = await createIsolatedBench(silent, { ...task, approximate: false });
  const planner = createPlanner({ ...task, approximate: false }, baselineProfile);
  if (isUnplanned(planner)) throw new Error(planner.refused);
  const [first] = planner.wishes();
  const candidate = first && planner.plan(first);
  if (candidate === undefined || "refused" in candidate) throw new Error("no candidate");
  const asked = bench.admit(candidate, { timeoutMs: 3_600_000 });
  // The question is under way.
  await new Promise((resolve) => setTimeout(resolve, 10));
  await bench.close();
  expect(await asked).toMatchObject({ kind: "lost" });
});
