// Pictures from and to PNG files, by the npm package `pngjs`.
import { readFileSync } from "node:fs";
import { PNG } from "pngjs";

/**
 * @typedef {object} Picture
 * @property {number} width
 * @property {number} height
 * @property {Uint8Array} rgb `height` rows of `width` pixels: red, green, blue, each 0..255
 */

/**
 * Reads a PNG file of any kind. Where it is transparent, white shines through.
 * @param {string | URL} path
 * @returns {Picture}
 */
export function readPicture(path) {
  const { width, height, data } = PNG.sync.read(readFileSync(path));
  const rgb = new Uint8Array(3 * width * height);
  for (let p = 0; p < width * height; p++) {
    const alpha = data[4 * p + 3] / 255;
    for (let c = 0; c < 3; c++) {
      rgb[3 * p + c] = Math.round(alpha * data[4 * p + c] + (1 - alpha) * 255);
    }
  }
  return { width, height, rgb };
}

/**
 * A picture of grey values: the same red, green and blue.
 * @param {number} width
 * @param {number} height
 * @param {ArrayLike<number>} grey
 * @returns {Picture}
 */
export function greyPicture(width, height, grey) {
  const rgb = Uint8Array.from({ length: 3 * width * height }, (_, n) => grey[Math.floor(n / 3)]);
  return { width, height, rgb };
}

/**
 * The bytes of a PNG file.
 * @param {Picture} picture
 * @returns {Buffer}
 */
export function encodePicture({ width, height, rgb }) {
  const data = Buffer.alloc(4 * width * height, 255);
  for (let p = 0; p < width * height; p++) {
    for (let c = 0; c < 3; c++) data[4 * p + c] = rgb[3 * p + c];
  }
  return PNG.sync.write({ width, height, data }, { colorType: 2, deflateLevel: 9 });
}

/** White pixels between the pictures of a sheet. */
const gap = 4;

/**
 * Four pictures of the same size in two rows.
 * @param {readonly Picture[]} pictures
 * @returns {Picture}
 */
export function sheetOf(pictures) {
  const { width: w, height: h } = pictures[0];
  const [width, height] = [2 * w + gap, 2 * h + gap];
  const rgb = new Uint8Array(3 * width * height).fill(255);
  pictures.forEach((picture, n) => {
    const [left, top] = [(n % 2) * (w + gap), Math.floor(n / 2) * (h + gap)];
    for (let y = 0; y < h; y++) {
      const row = picture.rgb.subarray(3 * w * y, 3 * w * (y + 1));
      rgb.set(row, 3 * ((top + y) * width + left));
    }
  });
  return { width, height, rgb };
}
