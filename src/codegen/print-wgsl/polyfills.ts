/**
 * WGSL functions for what WGSL lacks, or leaves to the device where the language does not.
 *
 * The texts work on scalars and vectors: `T` stands for the type of the value, `I`, `U` and `B` for
 * int32, uint32 and bool of its width, `@name` for a function of this file at that width. All are
 * free of branches, finite where the true value is, and right at infinity.
 *
 * Sources: tanh and erf below 1 are the single precision approximations of Cephes (S. Moshier,
 * tanhf.c and ndtrf.c), relative error below 2⁻²³; erfc from 1 on is `erfcc` of Numerical Recipes,
 * 6.2, relative error below 1.2e-7; each before the rounding of `exp`.
 */
import type { ScalarType } from "../../support/scalar-type.ts";
import type { Width } from "../kernel.ts";
import { wgslType } from "./wgsl-literals.ts";

const texts = {
  toInt: `fn @toInt(x: T) -> I {
  return select(I(x), I(2147483647), x >= T(2147483648.0));
}`,
  toUint: `fn @toUint(x: T) -> U {
  return select(U(max(x, T(0.0))), U(4294967295u), x >= T(4294967296.0));
}`,
  floorDiv: `fn @floorDiv(x: I, y: I) -> I {
  let d = select(y, I(1), y == I(0));
  let q = x / d;
  let r = x - q * d;
  let below = (r != I(0)) & ((r < I(0)) != (d < I(0)));
  return select(select(q, q - I(1), below), I(0), y == I(0));
}`,
  floorMod: `fn @floorMod(x: I, y: I) -> I {
  let d = select(y, I(1), y == I(0));
  let r = x - (x / d) * d;
  let below = (r != I(0)) & ((r < I(0)) != (d < I(0)));
  return select(select(r, r + d, below), I(0), y == I(0));
}`,
  unsignedDiv: `fn @unsignedDiv(x: U, y: U) -> U {
  return select(x / max(y, U(1u)), U(0u), y == U(0u));
}`,
  unsignedMod: `fn @unsignedMod(x: U, y: U) -> U {
  return select(x % max(y, U(1u)), U(0u), y == U(0u));
}`,
  floatMod: `fn @floatMod(x: T, y: T) -> T {
  return x - y * floor(x / y);
}`,
  tanh: `fn @tanh(x: T) -> T {
  let a = min(abs(x), T(10.0));
  let z = a * a;
  let p = (((T(-5.70498872745e-3) * z + 2.06390887954e-2) * z - 5.37397155531e-2) * z
      + 1.33314422036e-1) * z - 3.33332819422e-1;
  let large = 1.0 - 2.0 / (exp(a + a) + 1.0);
  return select(sign(x) * large, x + x * (z * p), a < T(0.625));
}`,
  sigmoid: `fn @sigmoid(x: T) -> T {
  let s = 1.0 / (1.0 + exp(-clamp(x, T(-88.0), T(88.0))));
  return select(s, T(0.0), x < T(-88.0));
}`,
  silu: `fn @silu(x: T) -> T {
  return select(x * @sigmoid(x), T(0.0), x < T(-88.0));
}`,
  erfSmall: `fn @erfSmall(x: T) -> T {
  let z = x * x;
  return x * ((((((T(7.853861353153693e-5) * z - 8.010193625184903e-4) * z
      + 5.188327685732524e-3) * z - 2.685381193529856e-2) * z + 1.128358514861418e-1) * z
      - 3.761262582423300e-1) * z + 1.128379165726710);
}`,
  erfcLarge: `fn @erfcLarge(a: T) -> T {
  let t = 1.0 / (1.0 + 0.5 * a);
  let p = ((((((((T(0.17087277) * t - 0.82215223) * t + 1.48851587) * t - 1.13520398) * t
      + 0.27886807) * t - 0.18628806) * t + 0.09678418) * t + 0.37409196) * t + 1.00002368) * t;
  return t * exp(p - a * a - 1.26551223);
}`,
  erf: `fn @erf(x: T) -> T {
  let a = min(abs(x), T(10.0));
  let large = sign(x) * (1.0 - @erfcLarge(a));
  return select(large, @erfSmall(x), a < T(1.0));
}`,
  erfc: `fn @erfc(x: T) -> T {
  let a = min(abs(x), T(10.0));
  let tail = @erfcLarge(a);
  return select(select(tail, 2.0 - tail, x < T(0.0)), 1.0 - @erfSmall(x), a < T(1.0));
}`,
  gelu: `fn @gelu(x: T) -> T {
  return select(0.5 * x * @erfc(x * -0.70710678), T(0.0), x < T(-14.0));
}`,
  pow: `fn @pow(x: T, y: T) -> T {
  var special = vec2<u32>(0x7f800000u, 0x7fc00000u);
  let size = abs(y);
  let whole = floor(y) == y;
  let n = U(min(size, T(15.0)));
  let x2 = x * x;
  let x4 = x2 * x2;
  let p = select(T(1.0), x, (n & U(1u)) != U(0u)) * select(T(1.0), x2, (n & U(2u)) != U(0u))
      * select(T(1.0), x4, (n & U(4u)) != U(0u)) * select(T(1.0), x4 * x4, (n & U(8u)) != U(0u));
  let few = select(p, 1.0 / p, y < T(0.0));
  let odd = whole & (floor(size * 0.5) * 2.0 != size);
  let zero = select(T(0.0), T(bitcast<f32>(special.x)), y < T(0.0));
  let magnitude = select(select(pow(abs(x), y), T(1.0), abs(x) == T(1.0)), zero, x == T(0.0));
  let signed = select(magnitude, -magnitude, odd & (x < T(0.0)));
  let any_power = select(signed, T(bitcast<f32>(special.y)), (x < T(0.0)) & !whole);
  return select(any_power, few, whole & (size <= T(15.0)));
}`,
} as const;

/** The names of the functions. */
export type Polyfill = keyof typeof texts;

/** The name of a function at a width, in the text. */
export function polyfillName(polyfill: string, width: Width): string {
  return width === 1 ? `tc_${polyfill}` : `tc_${polyfill}_${width}`;
}

function instantiate(polyfill: Polyfill, width: Width): string {
  const types: Readonly<Record<string, ScalarType>> = {
    T: "float32",
    I: "int32",
    U: "uint32",
    B: "bool",
  };
  return texts[polyfill]
    .replace(/\b[TIUB]\b/g, (letter) => wgslType(types[letter] ?? "float32", width))
    .replace(/@(\w+)/g, (_, name: string) => polyfillName(name, width));
}

function dependencies(polyfill: Polyfill): readonly Polyfill[] {
  const names = [...texts[polyfill].matchAll(/@(\w+)/g)].map(([, name]) => name as Polyfill);
  return [...new Set(names)].filter((name) => name !== polyfill);
}

/** The text of the used functions and those that they call, each once. */
export function polyfillTexts(
  used: readonly { readonly polyfill: Polyfill; readonly width: Width }[],
): readonly string[] {
  const done = new Set<string>();
  const out: string[] = [];
  const visit = (polyfill: Polyfill, width: Width): void => {
    const name = polyfillName(polyfill, width);
    if (done.has(name)) return;
    done.add(name);
    for (const other of dependencies(polyfill)) visit(other, width);
    out.push(instantiate(polyfill, width));
  };
  for (const { polyfill, width } of used) visit(polyfill, width);
  return out;
}
