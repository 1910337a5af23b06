/** Arguments all over float32 for tests of functions. */
import { type Random, seededRandom } from "../../../src/support/random.ts";

/** Tuples of arguments, one array for each. */
export type Arguments = readonly Float32Array[];

const words = new Uint32Array(1);
const floats = new Float32Array(words.buffer);

/** The float32 with these bits. */
function fromBits(bits: number): number {
  words[0] = bits;
  return floats[0] ?? 0;
}

/** The float32 values around x: itself rounded, and its two neighbours. */
function around(x: number): readonly number[] {
  floats[0] = x;
  const bits = words[0] ?? 0;
  const magnitude = bits & 0x7fffffff;
  const near = magnitude === 0 || magnitude >= 0x7f800000 ? [bits] : [bits - 1, bits, bits + 1];
  return near.map((b) => fromBits(b >>> 0));
}

/** Where functions change their formula, their sign or their kind of value. */
function specialPoints(): readonly number[] {
  const sizes: number[] = [0, Infinity, 3.4028234663852886e38, 1.1754943508222875e-38, 1e-45];
  for (let n = 1; n <= 60; n++) sizes.push(n, n - 0.5, n * (Math.PI / 2), 10 ** (n - 40));
  for (let n = 1; n <= 64; n++) sizes.push(2 ** n, 2 ** -n, 1 + 2 ** -(n % 23), 1 - 2 ** -(n % 23));
  sizes.push(...[Math.SQRT2, Math.SQRT1_2, Math.LN2, Math.E, Math.PI / 4, 0.625, 0.29, 0.41, 0.7]);
  sizes.push(...[88.722839, 89.415987, 103.97208, 87.33654, 128, 126, 149, 150, 38.53184, 45.1544]);
  sizes.push(...[35.0401, 34.5, 41.999996, 2.4570247, 2.7476826, 9.194549, 10.054, 13.1, 14.1712]);
  sizes.push(...[8388608, 16777216, 4194303.5, 8388607.5, 2147483648, 1e9, 1e18, 1e30, 1e37]);
  return sizes.flatMap(around).flatMap((x) => [x, -x]);
}

/** No fraction, the largest one, and random ones. */
function fractionOf(n: number, random: Random): number {
  if (n < 2) return n === 0 ? 0 : 0x7fffff;
  return random.integer(0, 0x800000);
}

/** Every exponent with both signs and random significands, special points, and much of [-100, 100]. */
export function unaryPoints(seed: number, perExponent: number): Arguments {
  const random = seededRandom(seed);
  const points = [...specialPoints()];
  for (let exponent = 0; exponent < 255; exponent++) {
    for (let n = 0; n < perExponent; n++) {
      const sign = random.chance(0.5) ? 0x80000000 : 0;
      points.push(fromBits((sign | (exponent << 23) | fractionOf(n, random)) >>> 0));
    }
  }
  for (const reach of [1, 2, 5, 10, 40, 100]) {
    for (let n = 0; n < 60 * perExponent; n++) points.push(reach * (2 * random.next() - 1));
  }
  return [Float32Array.from(points)];
}

const corners: readonly number[] = [
  ...[0, 2 ** -149, 2 ** -126, 2 ** -125, 1e-30, 1e-19, 0.1, 0.5, 1 - 2 ** -24, 1, 1 + 2 ** -23],
  ...[1.5, 2, 2.5, 3, 4, 5, 7, 10, 16, 17, 31.5, 100, 127, 128, 150, 1000, 8388608, 8388609],
  ...[16777215, 16777216, 1e9, 1e19, 1e30, 2 ** 126, 2 ** 127, 3.4028234663852886e38, Infinity],
].flatMap((x) => [x, -x]);

/** A float32 of any exponent and sign. */
function anyFloat(random: Random): number {
  return fromBits(random.integer(0, 2 ** 32));
}

/**
 * Pairs: all pairs of special points, pairs of any floats, pairs of similar size, and pairs whose
 * power is in range.
 */
export function binaryPoints(seed: number, count: number): Arguments {
  const random = seededRandom(seed);
  const x: number[] = [];
  const y: number[] = [];
  const add = (a: number, b: number): void => {
    if (Number.isNaN(a) || Number.isNaN(b)) return;
    x.push(a);
    y.push(b);
  };
  for (const a of corners) for (const b of corners) add(a, b);
  for (let n = 0; n < count; n++) {
    const a = anyFloat(random);
    add(a, anyFloat(random));
    add(a, a * 2 ** random.integer(-30, 31) * (0.5 + random.next()));
    add(20 * (random.next() - 0.5), 20 * (random.next() - 0.5));
    const base = Math.fround(2 ** ((random.next() - 0.5) * 2 ** random.integer(-20, 8)));
    add(base, ((random.next() - 0.5) * 300) / Math.log2(base));
    add(random.integer(-20, 21), random.integer(-40, 41));
  }
  return [Float32Array.from(x), Float32Array.from(y)];
}

/** Triples of special points and of any floats. */
export function ternaryPoints(seed: number, count: number): Arguments {
  const [x = new Float32Array(), y = new Float32Array()] = binaryPoints(seed, count);
  const random = seededRandom(seed + 1);
  const z = x.map((a, n) => random.pick([a, y[n] ?? 0, 1, -a, anyFloat(random) || 0]) || 0);
  return [x, y, z];
}
