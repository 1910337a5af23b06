// The same model by ONNX Runtime Web, on the CPU: frame by frame, as it is meant to be run.
import * as ort from "onnxruntime-web";
import { frameSize } from "./frames.js";
import { rate } from "./wav.js";

/** Samples of the frame before that the model is given with each. */
const context = 64;

/**
 * How likely each frame is speech.
 * @param {Uint8Array} model
 * @param {Float32Array} samples of whole frames
 * @returns {Promise<Float32Array>}
 */
export async function runOnnx(model, samples) {
  ort.env.logLevel = "error";
  ort.env.wasm.numThreads = 1;
  const session = await ort.InferenceSession.create(model, { executionProviders: ["wasm"] });
  const sr = new ort.Tensor("int64", BigInt64Array.of(BigInt(rate)), []);
  let state = new ort.Tensor("float32", new Float32Array(2 * 128), [2, 1, 128]);
  const before = new Float32Array(context + samples.length);
  before.set(samples, context);
  const probabilities = new Float32Array(samples.length / frameSize);
  for (let n = 0; n < probabilities.length; n++) {
    const own = before.slice(n * frameSize, (n + 1) * frameSize + context);
    const input = new ort.Tensor("float32", own, [1, own.length]);
    const { output, stateN } = await session.run({ input, state, sr });
    probabilities[n] = Number(output.data[0]);
    state = /** @type {typeof state} */ (stateN);
  }
  await session.release();
  return probabilities;
}
