// Seeded inputs and the check of results.

/** Numbers in [0, 1), the same for the same seed (mulberry32, public domain). @param {number} seed */
export function uniform(seed) {
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

/**
 * Where the element at `at` of a channels-first result stands when channels are last.
 * @param {number} at
 * @param {readonly number[]} shape
 */
export function toChannelsLast(at, shape) {
  const [C, H, W] = shape;
  const [c, pixel] = [Math.floor(at / (H * W)), at % (H * W)];
  return pixel * C + c;
}

/**
 * The largest error of sampled elements, beside what float32 sums of this length may be off by.
 * @param {import("../cases/case.js").Case} benchCase
 * @param {import("../peers/peer.js").Inputs} inputs
 * @param {ArrayLike<number>} result
 * @param {boolean} channelsLast
 * @returns {{ error: number, tolerance: number }} of the worst element
 * @throws Error when the result has another length
 */
export function check(benchCase, inputs, result, channelsLast) {
  const { shape } = benchCase.output;
  const length = shape.reduce((a, b) => a * b, 1);
  if (result.length !== length) throw new Error(`${result.length} elements instead of ${length}`);
  let worst = { error: 0, tolerance: 1 };
  for (const { at, wanted } of samples(benchCase, inputs, length)) {
    const found = result[channelsLast ? toChannelsLast(at, shape) : at];
    const error = Math.abs(found - wanted);
    const allowed = toleranceOf(benchCase, wanted);
    if (!(error / allowed <= worst.error / worst.tolerance)) worst = { error, tolerance: allowed };
  }
  return worst;
}

/** Terms of size 1 and reassociated sums: the error grows like the sum's length, at most. */
export function toleranceOf({ terms }, wanted) {
  return 2 ** -22 * (16 + terms) * Math.max(1, Math.abs(wanted)) + 1e-6;
}

/** By inputs: every contestant is asked for the same elements. */
const sampled = new WeakMap();

function samples(benchCase, inputs, length) {
  const known = sampled.get(inputs);
  if (known !== undefined) return known;
  const next = uniform(99);
  const affordable = Math.floor(2e7 / Math.max(1, benchCase.operations / length));
  const count = Math.min(length, Math.max(4, Math.min(64, affordable)));
  const made = Array.from({ length: count }, (_, n) => {
    // The ends are where the edges of tiles are.
    const at = n === 0 ? 0 : n === 1 ? length - 1 : Math.floor(next() * length);
    return { at, wanted: benchCase.element(inputs, at) };
  });
  sampled.set(inputs, made);
  return made;
}
