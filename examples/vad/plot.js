// A recording and what the model says of it, as SVG.
import { frameSize, threshold } from "./frames.js";
import { rate } from "./wav.js";

const [width, waveHeight, likelyHeight] = [960, 110, 130];
const margin = { left: 44, right: 12, top: 14, between: 16, bottom: 34 };
const height = margin.top + waveHeight + margin.between + likelyHeight + margin.bottom;
const likelyTop = margin.top + waveHeight + margin.between;

const style = `
text { font: 12px sans-serif; fill: #57606a }
.wave { stroke: #57606a; fill: none }
.likely { stroke: #0969da; stroke-width: 1.5; fill: none }
.found { fill: #0969da; fill-opacity: 0.12 }
.axis { stroke: #8c959f; fill: none }
.threshold { stroke: #8c959f; stroke-dasharray: 4 4; fill: none }`;

/** @param {number} x */
const short = (x) => String(Math.round(100 * x) / 100);

/**
 * The samples above, how likely each frame is speech below, and behind both where speech was found.
 * @param {object} result
 * @param {Float32Array} result.samples
 * @param {ArrayLike<number>} result.probabilities
 * @param {readonly { from: number, to: number }[]} result.found in seconds
 * @returns {string}
 */
export function plotSpeech({ samples, probabilities, found }) {
  const seconds = samples.length / rate;
  const across = (/** @type {number} */ second) =>
    margin.left + (second / seconds) * (width - margin.left - margin.right);
  const up = (/** @type {number} */ likely) => likelyTop + (1 - likely) * likelyHeight;
  const rows = [
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...found.map(({ from, to }) => {
      const [left, right] = [across(from), across(to)];
      return `<rect class="found" x="${short(left)}" y="${margin.top}" width="${short(right - left)}" height="${likelyTop + likelyHeight - margin.top}"/>`;
    }),
    `<path class="wave" d="${wavePath(samples)}"/>`,
    `<path class="threshold" d="M${margin.left} ${short(up(threshold))}H${width - margin.right}"/>`,
    `<path class="axis" d="M${margin.left} ${likelyTop}V${likelyTop + likelyHeight}H${width - margin.right}"/>`,
    `<path class="likely" d="${likelyPath(probabilities, across, up)}"/>`,
    ...[0, 0.5, 1].map(
      (likely) =>
        `<text x="${margin.left - 6}" y="${short(up(likely) + 4)}" text-anchor="end">${likely}</text>`,
    ),
    ...secondsOf(seconds).map(
      (second) =>
        `<text x="${short(across(second))}" y="${height - 14}" text-anchor="middle">${second} s</text>`,
    ),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A recording, and how likely it is speech over time">
<style>${style}
</style>
${rows.join("\n")}
</svg>
`;
}

/** @param {number} seconds */
function secondsOf(seconds) {
  const step = Math.max(1, Math.ceil(seconds / 12));
  return Array.from({ length: Math.floor(seconds / step) + 1 }, (_, n) => n * step);
}

/**
 * A line from the least to the greatest sample for each pixel.
 * @param {Float32Array} samples
 */
function wavePath(samples) {
  const columns = width - margin.left - margin.right;
  const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0.01);
  const middle = margin.top + waveHeight / 2;
  return Array.from({ length: columns }, (_, x) => {
    const own = samples.subarray(
      Math.floor((x * samples.length) / columns),
      Math.floor(((x + 1) * samples.length) / columns),
    );
    const [least, most] = [Math.min(0, ...own), Math.max(0, ...own)];
    const at = (/** @type {number} */ sample) =>
      short(middle - (sample / loudest) * (waveHeight / 2));
    return `M${margin.left + x + 0.5} ${at(most)}V${at(least)}`;
  }).join("");
}

/**
 * The answers as a line through the middles of the frames.
 * @param {ArrayLike<number>} probabilities
 * @param {(second: number) => number} across
 * @param {(likely: number) => number} up
 */
function likelyPath(probabilities, across, up) {
  const points = Array.from(probabilities, (likely, n) => {
    return `${short(across(((n + 0.5) * frameSize) / rate))} ${short(up(likely))}`;
  });
  return `M${points.join("L")}`;
}
