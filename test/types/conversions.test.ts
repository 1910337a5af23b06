import { afterAll, beforeAll, expect, test } from "vitest";
import { interpret } from "../../src/api/interpret.ts";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import { type Compiled, compile } from "../../src/compile.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { openValidator, type Validator } from "../../src/runtime/node/open-validator.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { baselineProfile, type DeviceProfile } from "../../src/support/device-profile.ts";
import { seededRandom } from "../../src/support/random.ts";
import type { TensorData } from "../../src/support/scalar-type.ts";
import { halfOf } from "../support/evaluate-source/scalars.ts";
import { anyType, floats } from "./programs.ts";

let runtime: Runtime;
let validator: Validator;

beforeAll(async () => {
  runtime = await openRuntime();
  validator = await openValidator();
});

afterAll(() => {
  runtime.dispose();
  validator.dispose();
});

const halfProfile: DeviceProfile = {
  ...baselineProfile,
  features: { ...baselineProfile.features, float16: true },
};

function compiled(
  source: string,
  sizes: Readonly<Record<string, number>>,
  profile: DeviceProfile = baselineProfile,
): Compiled {
  const result = compile(source, { sizes, profile });
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return result;
}

/** Executes on the device, with its float16 if it has that, and by the kernel interpreter, also with float16. */
async function everywhere(
  source: string,
  inputs: Readonly<Record<string, TensorData>>,
  sizes: Readonly<Record<string, number>>,
): Promise<readonly Readonly<Record<string, TensorData>>[]> {
  const { profile } = runtime;
  const onDevice: Record<string, TensorData>[] = [];
  for (const known of profile.features.float16 ? [baselineProfile, profile] : [baselineProfile]) {
    using loaded = await runtime.load(compiled(source, sizes, known).plan);
    const results = Object.entries(await loaded.run(inputs));
    const read = results.map(async ([name, tensor]) => [name, await tensor.read()] as const);
    onDevice.push(Object.fromEntries(await Promise.all(read)));
  }
  const interpreted = [baselineProfile, halfProfile].map((profile) => {
    const { outputs, faults } = interpretPlan(compiled(source, sizes, profile).plan, inputs);
    expect(faults).toEqual([]);
    return outputs;
  });
  return [...onDevice, ...interpreted];
}

test("all float16 are copied as they are, but for what a device flushes to 0", async () => {
  const bits = Uint16Array.from({ length: 65536 }, (_, n) => n);
  const source = "def f(half(N) x) -> (half(N) y) { y(i) = x(i) }";
  using loaded = await runtime.load(compiled(source, { N: 65536 }).plan);
  const { y } = await loaded.run({ x: bits });
  const values = await y?.read();
  for (const n of bits) {
    const [exponent, fraction] = [(n >> 10) & 31, n & 1023];
    const sign = n & 0x8000 ? -1 : 1;
    const value = values?.[n] ?? 0;
    if (exponent === 31 && fraction > 0) expect(value).toBeNaN();
    else if (exponent === 31) expect(value).toBe(sign * Infinity);
    else if (exponent > 0) expect(value).toBe(sign * 2 ** (exponent - 15) * (1 + fraction / 1024));
    else expect([0, fraction / 2 ** 24]).toContain(Math.abs(value));
  }
});

/** Values where conversions change: around powers of two, with both signs. */
function edges(random = seededRandom(8)): number[] {
  const around = Array.from({ length: 32 }, (_, n) => 2 ** n).flatMap((p) => [p - 1, p, p + 1]);
  const some = Array.from({ length: 200 }, () => random.integer(-(2 ** 31), 2 ** 31));
  return [0, ...around, ...around.map((x) => -x), ...some];
}

test("casts to narrow integers wrap over the whole range of int32", async () => {
  const x = Int32Array.from(edges().filter((v) => Math.abs(v) < 2 ** 31));
  const results = await everywhere(
    `def f(int(N) x) -> (int8(N) a, uint8(N) b, int16(N) c, uint16(N) d, e, g) {
       a(i) = x(i)
       b(i) = x(i)
       c(i) = x(i)
       d(i) = x(i)
       e(i) = int8(x(i)) * 2
       g(i) = uint16(x(i)) + 1
     }`,
    { x },
    { N: x.length },
  );
  const as = (v: number, bits: number, signed: boolean): number =>
    Number(signed ? BigInt.asIntN(bits, BigInt(v)) : BigInt.asUintN(bits, BigInt(v)));
  for (const { a, b, c, d, e, g } of results) {
    expect(a).toEqual(Int8Array.from(x, (v) => as(v, 8, true)));
    expect(b).toEqual(Uint8Array.from(x, (v) => as(v, 8, false)));
    expect(c).toEqual(Int16Array.from(x, (v) => as(v, 16, true)));
    expect(d).toEqual(Uint16Array.from(x, (v) => as(v, 16, false)));
    expect(e).toEqual(Int32Array.from(x, (v) => 2 * as(v, 8, true)));
    expect(g).toEqual(Uint32Array.from(x, (v) => as(v, 16, false) + 1));
  }
});

test("floats go toward zero, saturate at 32 bits, then wrap", async () => {
  const x = Float32Array.from([...edges(), 1e20, -1e20, 0.5, -0.5, 127.9, 128.9, -128.9, 255.9]);
  const results = await everywhere(
    `def f(float(N) x) -> (int8(N) a, uint16(N) b, k, u) {
       a(i) = int8(x(i))
       b(i) = uint16(x(i))
       k(i) = int32(x(i))
       u(i) = uint32(x(i))
     }`,
    { x },
    { N: x.length },
  );
  const within = (v: number, least: number, most: number): number =>
    Math.trunc(Math.min(most, Math.max(least, v))) + 0;
  const int = (v: number): number => within(v, -(2 ** 31), 2 ** 31 - 1);
  const uint = (v: number): number => within(v, 0, 2 ** 32 - 1);
  for (const { a, b, k, u } of results) {
    expect(k).toEqual(Int32Array.from(x, int));
    expect(u).toEqual(Uint32Array.from(x, uint));
    expect(a).toEqual(Int8Array.from(x, (v) => Number(BigInt.asIntN(8, BigInt(int(v))))));
    expect(b).toEqual(Uint16Array.from(x, (v) => Number(BigInt.asUintN(16, BigInt(uint(v))))));
  }
});

test("a cast to float16 gives the nearest, infinity beyond its range, also in the reference", async () => {
  const random = seededRandom(5);
  const drawn = Array.from({ length: 4000 }, () => {
    const sign = random.chance(0.5) ? 1 : -1;
    return sign * 2 ** random.integer(-27, 18) * (1 + random.next());
  });
  const ties = Array.from({ length: 500 }, () => {
    return 2 ** random.integer(-14, 16) * (1 + (2 * random.integer(0, 1024) + 1) / 2048);
  });
  const special = [0, 65504, 65519, 65520, 65536, 3e38, 2 ** -24, 2 ** -25, 1.5 * 2 ** -24];
  const all = [...drawn, ...ties, ...special, ...special.map((v) => -v), Infinity, -Infinity];
  const x = Float32Array.from([...all, Number.NaN]);
  const source =
    "def f(float(N) x) -> (half(N) y, z, w) { y(i) = half(x(i))\n  z(i) = float(half(x(i)))\n  w(i) = half(x(i)) + float(0) }";
  const devices = await everywhere(source, { x }, { N: x.length });
  const reference = Object.entries(interpret(source, { x }));
  const results = [
    ...devices,
    Object.fromEntries(reference.map(([name, { data }]) => [name, data])),
  ];
  const nearest = Array.from(x, (v) => halfOf(v) + 0);
  for (const { y = [], z = [], w = [] } of results) {
    for (const found of [y, z, w]) expect(Array.from(found, (v) => v + 0)).toEqual(nearest);
  }
});

test("what a minimum of nothing gives is infinite in float16 as well", async () => {
  const source = "def f(half(3) x) -> (half(2) y) { y(j) min=! x(i) where j in 0:2, i in 0:3*j }";
  for (const { y } of await everywhere(source, { x: Float32Array.of(3, 1, 2) }, {})) {
    expect([...(y ?? [])]).toEqual([Infinity, 1]);
  }
});

test("Tint takes every program in native float16", async () => {
  for (const { source, sizes } of [...anyType, ...floats]) {
    const text = source.replace(/\bT\b/g, "float16");
    const { plan } = compiled(text, sizes[1] ?? sizes[0] ?? {}, halfProfile);
    expect(plan.kernels.some((k) => k.wgsl.startsWith("enable f16;"))).toBe(true);
    expect(await validator.validate(plan), plan.kernels.map((k) => k.wgsl).join("\n")).toBeNull();
  }
});

test("terms of a sum of float16 do not overflow in float16", async () => {
  const source =
    "def f(half(3) x) -> (float y, half z) { y +=! x(i) * x(i)\n  z +=! x(i) * x(i) - x(i) * x(i) }";
  for (const { y, z } of await everywhere(source, { x: Float32Array.of(256, 0, 512) }, {})) {
    expect([...(y ?? []), ...(z ?? [])]).toEqual([327680, 0]);
  }
});
