import { afterAll, expect, it } from "vitest";
import type { PassCommands } from "../../src/runtime/clock.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { countDispatches, createSubmissions, nextPieces } from "../../src/runtime/submissions.ts";
import { nestedRepeatPlan } from "./plans.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

/** A device that takes its time for dispatches, by a clock that only its work moves. */
function slowDevice(msOf: (dispatch: number) => number) {
  let now = 0;
  const submitted: { readonly dispatches: number; readonly ms: number }[] = [];
  const waiting: (() => void)[] = [];
  let total = 0;
  const device = {
    createCommandEncoder: () => {
      let dispatches = 0;
      const pass = {
        dispatchWorkgroups: () => {
          dispatches += 1;
        },
        end: () => {},
      };
      return { beginComputePass: () => pass, finish: () => dispatches };
    },
    queue: {
      submit: ([dispatches = 0]: readonly number[]) => {
        let ms = 0;
        for (let n = 0; n < dispatches; n++) ms += msOf(total++);
        submitted.push({ dispatches, ms });
        const last = submitted.length - 1;
        waiting.push(() => {
          now += submitted[last]?.ms ?? 0;
        });
      },
      onSubmittedWorkDone: async () => {
        const work = waiting.pop();
        await new Promise((resolve) => setTimeout(resolve));
        work?.();
      },
    },
  };
  /** What was submitted since it was asked last, once the device is done. */
  const taken = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    total = 0;
    return submitted.splice(0);
  };
  return { device: device as unknown as GPUDevice, now: () => now, taken };
}

/** So many dispatches, each with all that it needs. */
function dispatches(count: number) {
  return (first: PassCommands, next: () => PassCommands): number => {
    let pass = first;
    for (let n = 0; n < count; n++) {
      pass.dispatchWorkgroups(1);
      pass = next();
    }
    return count;
  };
}

it.each([
  ["short steps are one submission once that is known", 256, () => 0.1, [16, 1]],
  ["long steps never take more than 100 ms together", 256, () => 9, [16, 48]],
  ["a dispatch that takes longer alone is alone", 40, (n: number) => (n === 3 ? 300 : 1), [3, 3]],
] as const)("%s", async (_name, count, msOf, [first, later]) => {
  const { device, now, taken } = slowDevice(msOf);
  const { submit } = createSubmissions(device, count, now);
  const runs = [];
  for (let run = 0; run < 4; run++) {
    expect(submit(dispatches(count))).toBe(count);
    const parts = await taken();
    expect(parts.reduce((sum, p) => sum + p.dispatches, 0)).toBe(count);
    runs.push(parts);
  }
  expect(runs[0]?.length).toBe(first);
  expect(Math.max(...(runs[0] ?? []).map((p) => p.dispatches))).toBe(16);
  expect(runs[3]?.length).toBe(later);
  for (const { dispatches: of, ms } of runs[3] ?? []) expect(of === 1 || ms <= 100).toBe(true);
});

it("puts short submissions together and divides long ones", () => {
  const pieces = [
    { dispatches: 16, ms: 20 },
    { dispatches: 16, ms: 25 },
    { dispatches: 16, ms: 400 },
    { dispatches: 8, ms: 1 },
  ];
  expect(nextPieces(pieces)).toEqual([32, 2, 2, 2, 2, 2, 2, 2, 2, 8]);
});

it("takes submissions that are heard of at once for one", () => {
  const first = { dispatches: 16, ms: 12_000 };
  const others = Array.from({ length: 62 }, () => ({ dispatches: 16, ms: 0 }));
  const sizes = nextPieces([first, ...others]);
  expect(sizes.reduce((sum, n) => sum + n, 0)).toBe(63 * 16);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(5);
});

it.each(["table", "immediate"] as const)(
  "steps of a loop are in one pass, without the host between them, with the step by %s; long loops in several",
  async (mode) => {
    const loop = nestedRepeatPlan(mode);
    const count = countDispatches(loop.steps);
    let submissions = 0;
    const { queue } = runtime.device;
    const submit = queue.submit.bind(queue);
    queue.submit = (buffers) => {
      submissions += 1;
      return submit(buffers);
    };
    try {
      const short = await runtime.load(loop);
      await short.run({});
      expect([count, submissions]).toEqual([15, 1]);
      const twice = { ...loop, steps: [...loop.steps, ...loop.steps] };
      submissions = 0;
      const { y } = await (await runtime.load(twice)).run({});
      expect(submissions).toBe(2);
      const values = Array.from({ length: 15 }, (_, i) => 10 * Math.floor(i / 3) + (i % 3));
      expect([...((await y?.read()) ?? [])]).toEqual(values);
    } finally {
      queue.submit = submit;
    }
  },
);
