// Files of landscapes: lines while they are recorded (record.js), packed for tests (pack.js).
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";

/** @typedef {import("../../dist/tune.js").Landscape} Landscape */

/** The lines of a file; the last one may be torn. @param {string} file @returns {readonly import("./record-points.js").Line[]} */
export function linesOf(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return line === "" ? [] : [JSON.parse(line)];
      } catch {
        return [];
      }
    });
}

/** @param {string} file @returns {readonly Landscape[]} */
export function packedLandscapes(file) {
  return JSON.parse(gunzipSync(readFileSync(file)).toString("utf8"));
}

/** @param {string} file @param {readonly Landscape[]} landscapes */
export function packLandscapes(file, landscapes) {
  writeFileSync(file, gzipSync(JSON.stringify(landscapes), { level: 9 }));
}
