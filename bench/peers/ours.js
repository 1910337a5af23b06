// tc-wgsl itself, with one of its answers to "which options".
import { compile } from "../../dist/index.js";
import { readOptions } from "../tuned/option-files.js";

/** @typedef {import("../cases/case.js").Case} Case */

/** What each of our forms gives as options, or why it cannot. */
const optionsFor = {
  default: () => "default",
  naive: () => "naive",
  tuned: (benchCase, runtime) =>
    readOptions(runtime.adapter.kind, benchCase.name) ?? {
      unsupported: "it was not tuned on this adapter: --tune normal",
    },
  // One dispatch per statement: what fusion has to beat.
  "fuse none": () => "apart",
};

/**
 * @param {keyof typeof optionsFor} who
 * @returns {(device: GPUDevice, runtime: any) => Promise<import("./peer.js").Peer>}
 */
export function ours(who) {
  return async (_device, runtime) => ({
    prepare: async (benchCase, inputs) => {
      const options = optionsFor[who](benchCase, runtime);
      if (options.unsupported !== undefined) return { unsupported: options.unsupported };
      return await prepareOurs(runtime, benchCase, inputs, options);
    },
  });
}

/** What is executed: steps and the texts of kernels. Plans with the same one are the same. */
export function compiledPlanText({ plan }) {
  return JSON.stringify([plan.steps, plan.kernels.map((k) => k.wgsl)]);
}

/** How many answers of kept options have no decision any more, or are not legal; undefined if none. */
function staleAnswers(options, { unusedChoices, repairs }) {
  const stale = unusedChoices.length + repairs.length;
  return typeof options === "string" || stale === 0 ? undefined : stale;
}

/**
 * @param {any} runtime
 * @param {Case} benchCase
 * @param {import("./peer.js").Inputs} inputs
 * @returns {Promise<import("./peer.js").Prepared>}
 */
export async function prepareOurs(runtime, benchCase, inputs, options) {
  const { profile } = runtime;
  const compiled = compile(benchCase.source, { shapes: benchCase.inputs, profile, options });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join("; "));
  const [kernel] = Object.values(runtime.define(benchCase.source, { options }));
  const given = Object.fromEntries(
    Object.entries(inputs).map(([name, data]) => {
      const type = data instanceof Int32Array ? "int32" : "float32";
      return [name, runtime.tensor(type, benchCase.inputs[name], data)];
    }),
  );
  return {
    plan: compiledPlanText(compiled),
    stale: staleAnswers(options, compiled),
    call: () => kernel(given),
    settle: async () => {
      await runtime.device.queue.onSubmittedWorkDone();
    },
    read: async (result) => await result[benchCase.output.name].read(),
    release: (results) => {
      for (const r of results) for (const t of Object.values(r)) t[Symbol.dispose]();
    },
    dispose: () => {
      for (const t of Object.values(given)) t[Symbol.dispose]();
      kernel.dispose();
    },
  };
}
