// ONNX Runtime Web with its WebGPU execution provider. Node needs `--liftoff-only`.
import { onnxModel } from "./onnx-model.js";

export const name = "onnxruntime";

/**
 * @param {GPUDevice} device
 * @returns {Promise<import("./peer.js").Peer>}
 */
export async function open(device) {
  copySharedWrites(device.queue);
  const ort = await import("onnxruntime-web/webgpu");
  ort.env.logLevel = "error";
  ort.env.wasm.numThreads = 1;
  return {
    prepare: async (benchCase, inputs) => {
      if (benchCase.onnx === undefined) return null;
      const session = await ort.InferenceSession.create(onnxModel(benchCase, benchCase.onnx), {
        executionProviders: ["webgpu"],
        preferredOutputLocation: "gpu-buffer",
      });
      const feeds = Object.fromEntries(
        Object.entries(inputs).map(([name, data]) => [
          name,
          resident(ort, device, data, benchCase.inputs[name]),
        ]),
      );
      const { name: output } = benchCase.output;
      return {
        call: async () => (await session.run(feeds))[output],
        settle: async () => {
          await device.queue.onSubmittedWorkDone();
        },
        read: async (result) => await result.getData(),
        release: (results) => {
          for (const r of results) r.dispose();
        },
        dispose: () => {
          void session.release();
        },
      };
    },
  };
}

/** An input that stays on the device. */
function resident(ort, device, data, dims) {
  const buffer = device.createBuffer({
    size: data.byteLength,
    usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
  });
  device.queue.writeBuffer(buffer, 0, data);
  const dataType = data instanceof Int32Array ? "int32" : "float32";
  return ort.Tensor.fromGpuBuffer(buffer, { dataType, dims: [...dims] });
}

/** Dawn in Node takes no views of shared memory, which the WebAssembly heap is. */
function copySharedWrites(queue) {
  const write = queue.writeBuffer.bind(queue);
  queue.writeBuffer = (buffer, at, data, start = 0, size = undefined) => {
    const view = ArrayBuffer.isView(data) ? data : new Uint8Array(data);
    if (!(view.buffer instanceof SharedArrayBuffer)) return write(buffer, at, data, start, size);
    const unit = view.BYTES_PER_ELEMENT ?? 1;
    const length = size === undefined ? view.byteLength - start * unit : size * unit;
    const bytes = new Uint8Array(view.buffer, view.byteOffset + start * unit, length);
    return write(buffer, at, bytes.slice());
  };
}
