// TensorFlow.js with its WebGPU backend.
export const name = "tfjs";

/** @returns {Promise<import("./peer.js").Peer>} */
export async function open() {
  const tf = await import("@tensorflow/tfjs-core");
  await import("@tensorflow/tfjs-backend-webgpu");
  await tf.setBackend("webgpu");
  await tf.ready();
  /** @type {any} */
  const backend = tf.backend();
  return {
    prepare: async (benchCase, inputs) => {
      if (benchCase.tfjs === undefined) return null;
      const run = benchCase.tfjs(tf);
      const given = Object.entries(inputs).map(([name, data]) =>
        tf.tensor(
          data,
          [...benchCase.inputs[name]],
          data instanceof Int32Array ? "int32" : "float32",
        ),
      );
      return {
        call: () => tf.tidy(() => run(...given)),
        settle: async () => {
          backend.endComputePassEncoder();
          if (backend.commandEncoder !== null) backend.submitQueue();
          await backend.device.queue.onSubmittedWorkDone();
        },
        read: async (result) => await result.data(),
        release: (results) => tf.dispose(results),
        dispose: () => tf.dispose(given),
      };
    },
  };
}
