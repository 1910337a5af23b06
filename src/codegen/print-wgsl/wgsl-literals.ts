/** WGSL text of types and literals. */
import type { ScalarType } from "../../support/scalar-type.ts";
import type { KernelType, Width } from "../kernel.ts";

const scalarNames: Readonly<Record<ScalarType, string>> = {
  float32: "f32",
  int32: "i32",
  uint32: "u32",
  bool: "bool",
};

/** For example `f32` or `vec4<f32>`. */
export function wgslType(scalar: ScalarType, width: Width): string {
  return width === 1 ? scalarNames[scalar] : `vec${width}<${scalarNames[scalar]}>`;
}

/** The shortest decimal that rounds to the same float32; the value is finite. */
function shortestFloat(value: number): string {
  for (let digits = 1; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return text;
  }
  return value.toPrecision(9);
}

/** Makes `1e+21`, `12` and `0.1` literals of floating type. */
function floatLiteral(value: number): string {
  if (Object.is(value, -0)) return "-0.0f";
  const shortest = String(Number(shortestFloat(value))).replace("e+", "e");
  return /[.e]/.test(shortest) ? `${shortest}f` : `${shortest}.0f`;
}

/**
 * A literal that is no operator expression except for a leading minus sign. Infinities and NaN,
 * which WGSL has no constants for, are the names `tc_inf` and `tc_nan`, which the text must define.
 */
export function scalarLiteral(value: number, scalar: ScalarType): string {
  switch (scalar) {
    case "bool":
      return value !== 0 ? "true" : "false";
    case "uint32":
      return `${value >>> 0}u`;
    case "int32":
      return (value | 0) === -2147483648 ? "i32(-2147483648)" : `${value | 0}i`;
    case "float32": {
      const rounded = Math.fround(value);
      if (Number.isNaN(rounded)) return "tc_nan";
      if (Math.abs(rounded) === Number.POSITIVE_INFINITY) return rounded > 0 ? "tc_inf" : "-tc_inf";
      return floatLiteral(rounded);
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
