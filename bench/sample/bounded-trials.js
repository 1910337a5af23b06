// Trials in another process, each for a bounded time.
import { fork } from "node:child_process";

/** A candidate that compiles, runs and is compared for longer is out of the race. */
const limitMs = 8_000;
/** Opening the device, and the default's result. */
const startLimitMs = 120_000;

/**
 * @param {string} adapter
 * @param {string} name of the case
 * @returns {{ tryOut: (candidate: { answers: any }, best: number) => Promise<import("./search.js").Outcome>, close: () => void }}
 */
export function boundedTrials(adapter, name) {
  /** @type {import("node:child_process").ChildProcess | undefined} */
  let worker;
  const close = () => {
    worker?.kill("SIGKILL");
    worker = undefined;
  };
  const open = async () => {
    worker = fork(new URL("worker.js", import.meta.url), [adapter, name], { stdio: "ignore" });
    const started = await answerOf(worker, startLimitMs);
    if (started.ready !== true) throw new Error(started.bug ?? "the worker does not start");
  };
  return {
    tryOut: async ({ answers }, best) => {
      if (worker === undefined) await open();
      worker.send({ choices: answers, best: Number.isFinite(best) ? best : null });
      const outcome = await answerOf(worker, limitMs);
      if (outcome.slow !== undefined || outcome.ended === undefined) return outcome;
      close();
      const { ended } = outcome;
      return ended === "late" ? { slow: `${limitMs} ms are over` } : { bug: `ended by ${ended}` };
    },
    close,
  };
}

/** A worker's next message; how it ended without one. */
function answerOf(worker, limit) {
  return new Promise((resolve) => {
    const done = (outcome) => {
      clearTimeout(timer);
      worker.off("message", done);
      worker.off("exit", exited);
      resolve(outcome);
    };
    const exited = (code, signal) => done({ ended: String(signal ?? `status ${code}`) });
    const timer = setTimeout(() => done({ ended: "late" }), limit);
    worker.on("message", done);
    worker.on("exit", exited);
  });
}
