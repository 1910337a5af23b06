// Finds speech in a recording, on this machine's WebGPU device. Everything that is computed is written in vad.tc; this
// program reads the recording and the weights, and shows the result.
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { adapterText, openRuntime } from "tc-wgsl/node";
import { frameSize, speechIn, wholeFrames } from "./frames.js";
import { plotSpeech } from "./plot.js";
import { makeSpeech } from "./speech.js";
import { decodeWav, encodeWav, rate } from "./wav.js";
import { readModel, readWeights } from "./weights.js";

const help = `Examples:
  node examples/vad/run.js                       ten seconds of synthetic speech, hum and wind
  node examples/vad/run.js --wav me.wav --plot me.svg
Flags:
  --wav FILE           a recording: PCM of 16 bits, one channel, 16 kHz
  --plot FILE          where to write the plot; vad.svg
  --save FILE          write the synthetic recording, too
  --seed 1             other noise in the synthetic recording
  --check              compare with ONNX Runtime Web
  --adapter NAME       auto, gpu, software, or part of a name
`;

/** The most that a probability may differ from ONNX Runtime's. */
const tolerance = 1e-3;

const flags = readFlags();

function readFlags() {
  try {
    return parseArgs({
      options: {
        wav: { type: "string" },
        plot: { type: "string", default: "vad.svg" },
        save: { type: "string" },
        seed: { type: "string", default: "1" },
        check: { type: "boolean", default: false },
        adapter: { type: "string", default: "auto" },
        help: { type: "boolean", short: "h", default: false },
      },
    }).values;
  } catch (error) {
    return stop(error);
  }
}

/**
 * A mistyped flag, a file that cannot be read or written, no device.
 * @param {unknown} error
 * @returns {never}
 */
function stop(error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.exit(complain(reason, "node examples/vad/run.js --help lists the flags"));
}

const source = readFileSync(new URL("vad.tc", import.meta.url), "utf8");

if (flags.help) process.stdout.write(help);
else process.exitCode = await main().catch(stop);

async function main() {
  const recording = open(flags.wav);
  if (recording === null) return 2;
  if (flags.save !== undefined) writeFileSync(flags.save, encodeWav(recording));
  const samples = wholeFrames(recording);
  const model = readModel();
  const probabilities = await run(samples, readWeights(model));
  const found = speechIn(probabilities);
  for (const { from, to } of found) {
    console.log(`speech    ${from.toFixed(2)} s to ${to.toFixed(2)} s`);
  }
  if (found.length === 0) console.log("speech    none");
  writeFileSync(flags.plot, plotSpeech({ samples, probabilities, found }));
  console.log(`written   ${flags.plot}`);
  return flags.check ? compare(model, samples, probabilities) : 0;
}

/**
 * The samples of a file, or synthetic ones, rounded as in one. Null, and a message, when the file cannot be read.
 * @param {string | undefined} path
 */
function open(path) {
  if (path === undefined) return decodeWav(encodeWav(makeSpeech(Number(flags.seed)).samples));
  try {
    return decodeWav(readFileSync(path));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    complain(`${path} cannot be read: ${reason}`, "name a WAV file of 16 kHz with --wav");
    return null;
  }
}

/**
 * How likely each frame is speech.
 * @param {Float32Array} samples of whole frames
 * @param {ReturnType<typeof readWeights>} weights
 * @returns {Promise<Float32Array>}
 */
async function run(samples, weights) {
  const runtime = await openRuntime({ adapter: flags.adapter });
  console.log(`adapter   ${adapterText(runtime.adapter)}`);
  console.log(
    `recording ${(samples.length / rate).toFixed(2)} s, ${samples.length / frameSize} frames`,
  );
  const start = performance.now();
  const audio = { data: samples, shape: [samples.length] };
  const { probability } = await runtime.define(source)["vad"]({ audio, ...weights });
  const probabilities = Float32Array.from(await probability.read());
  console.log(`time      ${Math.round(performance.now() - start)} ms to compile and to run`);
  runtime.dispose();
  return probabilities;
}

/**
 * Compares the results with those of ONNX Runtime. Returns the exit code.
 * @param {Uint8Array} model
 * @param {Float32Array} samples
 * @param {Float32Array} probabilities
 */
async function compare(model, samples, probabilities) {
  const { runOnnx } = await import("./with-onnxruntime.js");
  const expected = await runOnnx(model, samples);
  const off = Array.from(probabilities, (p, n) => Math.abs(p - expected[n]));
  const worst = Math.max(...off);
  const at = off.indexOf(worst);
  if (!(worst <= tolerance)) {
    return complain(
      `frame ${at} is speech with ${probabilities[at]}, but with ${expected[at]} by ONNX Runtime`,
      "report it as a bug, with the output of tc-compile info",
    );
  }
  console.log(
    `checked   ${expected.length} frames, at most ${worst.toExponential(1)} off those of ONNX Runtime`,
  );
  return 0;
}

/**
 * Prints an error. Returns the exit code.
 * @param {string} message
 * @param {string} next
 */
function complain(message, next) {
  console.error(`error: ${message}`);
  console.error(`  next: ${next}`);
  return 2;
}
