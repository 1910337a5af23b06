// tc-wgsl itself, with one of its answers to "which options".

/**
 * @param {"default" | "naive" | object} options
 * @returns {(device: GPUDevice, runtime: any) => Promise<import("./peer.js").Peer>}
 */
export function ours(options) {
  return async (_device, runtime) => ({
    prepare: async (benchCase, inputs) => {
      const kernels = runtime.define(benchCase.source, { options });
      const [kernel] = Object.values(kernels);
      const given = Object.fromEntries(
        Object.entries(inputs).map(([name, data]) => [
          name,
          runtime.tensor(
            data instanceof Int32Array ? "int32" : "float32",
            benchCase.inputs[name],
            data,
          ),
        ]),
      );
      return {
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
    },
  });
}
