/** WGSL text of types and literals. */
import { type ScalarType, toElement } from "../../support/scalar-type.ts";
import type { KernelType, Width } from "../kernel.ts";

const scalarNames: Readonly<Record<ScalarType, string>> = {
  float32: "f32",
  float16: "f16",
  int32: "i32",
  uint32: "u32",
  bool: "bool",
};

/** For example `f32` or `vec4<f32>`. */
export function wgslType(scalar: ScalarType, width: Width): string {
  return width === 1 ? scalarNames[scalar] : `vec${width}<${scalarNames[scalar]}>`;
}

type FloatType = "float32" | "float16";

const suffixes: Readonly<Record<FloatType, string>> = { float32: "f", float16: "h" };

/** WGSL refuses a literal above these, also one that would be rounded to them. */
const greatest: Readonly<Record<FloatType, number>> = {
  float32: 3.4028234663852886e38,
  float16: 65504,
};

/** The shortest decimal that rounds to the same value of the type, which is finite. */
function shortestFloat(value: number, type: FloatType): string {
  const round = toElement(type);
  for (let digits = 1; digits < 17; digits++) {
    const text = value.toPrecision(digits);
    const read = Number(text);
    if (round(read) === value && Math.abs(read) <= greatest[type]) return text;
  }
  return value.toPrecision(17);
}

/** Makes `1e+21`, `12` and `0.1` literals of a floating type. */
function floatLiteral(value: number, type: FloatType): string {
  const suffix = suffixes[type];
  if (Object.is(value, -0)) return `-0.0${suffix}`;
  const shortest = String(Number(shortestFloat(value, type))).replace("e+", "e");
  return /[.e]/.test(shortest) ? shortest + suffix : `${shortest}.0${suffix}`;
}

/** Infinities and NaN, which WGSL has no constants for, by the names that the text must define. */
function specialLiteral(value: number, type: FloatType): string {
  const suffix = type === "float16" ? "_half" : "";
  if (Number.isNaN(value)) return `tc_nan${suffix}`;
  return value > 0 ? `tc_inf${suffix}` : `-tc_inf${suffix}`;
}

/**
 * A literal that is no operator expression except for a leading minus sign. Infinities and NaN,
 * which WGSL has no constants for, are the names `tc_inf` and `tc_nan` (`_half` for float16), which the
 * text must define.
 */
export function scalarLiteral(value: number, scalar: ScalarType): string {
  switch (scalar) {
    case "bool":
      return value !== 0 ? "true" : "false";
    case "uint32":
      return `${value >>> 0}u`;
    case "int32":
      return (value | 0) === -2147483648 ? "i32(-2147483648)" : `${value | 0}i`;
    case "float32":
    case "float16": {
      const rounded = toElement(scalar)(value);
      if (Number.isFinite(rounded)) return floatLiteral(rounded, scalar);
      return specialLiteral(rounded, scalar);
    }
  }
}

/** A literal with these components; one text when they are alike. */
export function vectorLiteral(values: readonly number[], type: KernelType): string {
  const texts = values.map((value) => scalarLiteral(value, type.scalar));
  const [first = ""] = texts;
  if (type.width === 1) return first;
  const alike = texts.every((text) => text === first);
  return `${wgslType(type.scalar, type.width)}(${alike ? first : texts.join(", ")})`;
}
