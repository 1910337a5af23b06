// Seeded inputs and the check of results.

/** Numbers in [0, 1), the same for the same seed (mulberry32, public domain). @param {number} seed */
function uniform(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** @param {import("../cases/case.js").Case} benchCase @returns {import("../peers/peer.js").Inputs} */
export function makeInputs(benchCase) {
  const { inputs, integers = {} } = benchCase;
  return Object.fromEntries(
    Object.entries(inputs).map(([name, shape], at) => {
      const next = uniform(at + 1);
      const length = shape.reduce((a, b) => a * b, 1);
      const below = integers[name];
      if (below === undefined) return [name, Float32Array.from({ length }, () => 2 * next() - 1)];
      return [name, Int32Array.from({ length }, () => Math.floor(below * next()))];
    }),
  );
}

/** Position in a channels-first result of the element that stands at `at` when channels are last. */
function fromChannelsLast(at, [C, H, W]) {
  const [pixel, c] = [Math.floor(at / C), at % C];
  return (c * H + Math.floor(pixel / W)) * W + (pixel % W);
}

/**
 * The largest error of sampled elements, as a part of what float32 sums of this length may be off by.
 * @param {import("../cases/case.js").Case} benchCase
 * @param {import("../peers/peer.js").Inputs} inputs
 * @param {ArrayLike<number>} result
 * @param {boolean} channelsLast
 * @returns {{ error: number, tolerance: number }} of the worst element
 */
export function check(benchCase, inputs, result, channelsLast) {
  const { shape } = benchCase.output;
  const length = shape.reduce((a, b) => a * b, 1);
  if (result.length !== length) throw new Error(`${result.length} elements instead of ${length}`);
  const next = uniform(99);
  const samples = Math.max(
    4,
    Math.min(64, Math.floor(2e7 / Math.max(1, benchCase.operations / length))),
  );
  let worst = { error: 0, tolerance: 1 };
  for (let n = 0; n < Math.min(samples, length); n++) {
    const at = Math.floor(next() * length);
    const wanted = benchCase.element(inputs, channelsLast ? fromChannelsLast(at, shape) : at);
    const error = Math.abs(result[at] - wanted);
    // Terms of size 1 and reassociated sums: the error grows like the sum's length, at most.
    const tolerance = 2 ** -22 * (16 + benchCase.terms) * Math.max(1, Math.abs(wanted)) + 1e-6;
    if (!(error / tolerance <= worst.error / worst.tolerance)) worst = { error, tolerance };
  }
  return worst;
}
