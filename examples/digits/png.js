// Writing PNG files (https://www.w3.org/TR/png-3/): 8 bits each of red, green and blue.
import { crc32, deflateSync } from "node:zlib";

/**
 * The bytes of a PNG file.
 * @param {number} width
 * @param {number} height
 * @param {Uint8Array} rgb `height` rows of `width` pixels of 3 bytes
 * @returns {Buffer}
 */
export function encodePng(width, height, rgb) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8); // bit depth, colour type RGB, and the only methods there are
  const rows = Buffer.alloc(height * (1 + 3 * width)); // each row begins with its filter: 0, none
  for (let y = 0; y < height; y++) {
    rows.set(rgb.subarray(3 * width * y, 3 * width * (y + 1)), (1 + 3 * width) * y + 1);
  }
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/**
 * @param {string} type
 * @param {Buffer} data
 */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body) >>> 0);
  return Buffer.concat([length, body, check]);
}
