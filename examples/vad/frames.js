// What the model calls a frame, and what is made of its answers.
import { rate } from "./wav.js";

/** Samples of a frame: 32 milliseconds. */
export const frameSize = 512;

/**
 * Samples in whole frames: silence is added behind the last ones.
 * @param {Float32Array} samples
 * @returns {Float32Array}
 */
export function wholeFrames(samples) {
  const whole = new Float32Array(Math.max(1, Math.ceil(samples.length / frameSize)) * frameSize);
  whole.set(samples);
  return whole;
}

/** How likely speech is where it begins; it goes on while it is more likely than the other. */
export const [threshold, stillSpeech] = [0.5, 0.35];

/**
 * Where speech was found, in seconds.
 * @param {ArrayLike<number>} probabilities of each frame
 * @returns {{ from: number, to: number }[]}
 */
export function speechIn(probabilities) {
  /** @type {{ from: number, to: number }[]} */
  const found = [];
  let speaks = false;
  for (let n = 0; n < probabilities.length; n++) {
    const [from, to] = [(n * frameSize) / rate, ((n + 1) * frameSize) / rate];
    /** @type {boolean} */
    const before = speaks;
    speaks = probabilities[n] >= (before ? stillSpeech : threshold);
    if (speaks && before) found[found.length - 1] = { ...found[found.length - 1], to };
    else if (speaks) found.push({ from, to });
  }
  return found;
}
