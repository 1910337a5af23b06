// The picture of some test digits, each beside the training digit that it was found closest to.
import { pixels, side } from "./load-digits.js";
import { encodePng } from "./png.js";

/** @typedef {import("./load-digits.js").Digits} Digits */

const scale = 2;
const digitSize = side * scale;
const margin = 8;
const border = 3;
const captionScale = 2;
const captionHeight = 7 * captionScale + 2 * 6;
const cellWidth = 2 * digitSize + 2 * border;
const cellHeight = digitSize + captionHeight + 2 * border;
const columns = 8;

const paper = [255, 255, 255];
const ink = [34, 34, 34];
const green = [26, 127, 55];
const red = [207, 34, 46];

/** Characters of 5 by 7 dots; each number is a row, its highest of 5 bits the leftmost dot. */
const glyphs = {
  0: [14, 17, 19, 21, 25, 17, 14],
  1: [4, 12, 4, 4, 4, 4, 14],
  2: [14, 17, 1, 2, 4, 8, 31],
  3: [31, 2, 4, 2, 1, 17, 14],
  4: [2, 6, 10, 18, 31, 2, 2],
  5: [31, 16, 30, 1, 1, 17, 14],
  6: [6, 8, 16, 30, 17, 17, 14],
  7: [31, 1, 2, 4, 8, 8, 8],
  8: [14, 17, 17, 14, 17, 17, 14],
  9: [14, 17, 17, 15, 1, 2, 12],
  "→": [0, 4, 2, 31, 2, 4, 0],
  "✓": [0, 1, 1, 2, 18, 10, 4],
  "✗": [0, 17, 10, 4, 10, 17, 0],
  " ": [0, 0, 0, 0, 0, 0, 0],
};

/**
 * A PNG of rows of test digits, right ones first, then wrong ones: the digit, the training digit
 * that is nearest to it, and below them what it shows → what it was taken for.
 * @param {object} result
 * @param {Digits} result.test
 * @param {Digits} result.train
 * @param {ArrayLike<number>} result.nearest the number of a training digit for each test digit
 * @param {ArrayLike<number>} result.taken a digit for each test digit
 * @param {number} [each] the most of right ones and of wrong ones to show
 * @returns {Buffer}
 */
export function drawResult({ test, train, nearest, taken }, each = 2 * columns) {
  const numbers = Array.from({ length: test.count }, (_, n) => n);
  const isRight = (/** @type {number} */ n) => taken[n] === test.labels[n];
  const right = numbers.filter(isRight).slice(0, each);
  const wrong = numbers.filter((n) => !isRight(n)).slice(0, each);
  const rows = [...inRows(right), ...inRows(wrong)];
  const canvas = blank(
    margin + columns * (cellWidth + margin),
    margin + Math.max(1, rows.length) * (cellHeight + margin),
  );
  rows.forEach((row, y) => {
    row.forEach((n, x) => {
      const left = margin + x * (cellWidth + margin);
      const top = margin + y * (cellHeight + margin);
      const colour = isRight(n) ? green : red;
      fill(canvas, left, top, cellWidth, cellHeight, colour);
      fill(canvas, left + border, top + border + digitSize, 2 * digitSize, captionHeight, paper);
      drawDigit(canvas, left + border, top + border, test, n);
      drawDigit(canvas, left + border + digitSize, top + border, train, nearest[n]);
      const caption = `${test.labels[n]}→${taken[n]} ${isRight(n) ? "✓" : "✗"}`;
      const width = (6 * caption.length - 1) * captionScale;
      const middle = left + Math.floor((cellWidth - width) / 2);
      drawText(canvas, middle, top + border + digitSize + 6, caption, isRight(n) ? ink : red);
    });
  });
  return encodePng(canvas.width, canvas.height, canvas.rgb);
}

/**
 * @typedef {object} Canvas
 * @property {number} width
 * @property {number} height
 * @property {Uint8Array} rgb
 */

/**
 * @param {number[]} numbers
 * @returns {number[][]}
 */
function inRows(numbers) {
  const rows = [];
  for (let n = 0; n < numbers.length; n += columns) rows.push(numbers.slice(n, n + columns));
  return rows;
}

/**
 * @param {number} width
 * @param {number} height
 * @returns {Canvas}
 */
function blank(width, height) {
  return { width, height, rgb: new Uint8Array(3 * width * height).fill(255) };
}

/**
 * @param {Canvas} canvas
 * @param {number} left
 * @param {number} top
 * @param {number} width
 * @param {number} height
 * @param {ArrayLike<number>} colour
 */
function fill(canvas, left, top, width, height, colour) {
  for (let y = top; y < top + height; y++) {
    for (let x = left; x < left + width; x++) canvas.rgb.set(colour, 3 * (y * canvas.width + x));
  }
}

/**
 * @param {Canvas} canvas
 * @param {number} left
 * @param {number} top
 * @param {Digits} digits
 * @param {number} number
 */
function drawDigit(canvas, left, top, digits, number) {
  for (let p = 0; p < pixels; p++) {
    const grey = 255 - digits.pictures[number * pixels + p];
    const [x, y] = [left + (p % side) * scale, top + Math.floor(p / side) * scale];
    fill(canvas, x, y, scale, scale, [grey, grey, grey]);
  }
}

/**
 * @param {Canvas} canvas
 * @param {number} left
 * @param {number} top
 * @param {string} text of the characters in `glyphs`
 * @param {ArrayLike<number>} colour
 */
function drawText(canvas, left, top, text, colour) {
  [...text].forEach((character, n) => {
    const rows = glyphs[/** @type {keyof typeof glyphs} */ (character)];
    rows.forEach((dots, y) => {
      for (let x = 0; x < 5; x++) {
        if (((dots >> (4 - x)) & 1) === 0) continue;
        const at = [left + (6 * n + x) * captionScale, top + y * captionScale];
        fill(canvas, at[0], at[1], captionScale, captionScale, colour);
      }
    });
  });
}
