/** WGSL text of the builtin functions: WGSL's own where it promises what the language does. */

import { invariant } from "../../support/assert.ts";
import { own } from "../../support/own.ts";
import type { KernelType } from "../kernel.ts";
import type { Polyfill } from "./polyfills.ts";
import { scalarLiteral, wgslType } from "./wgsl-literals.ts";

/** Notes that the text uses a polyfill and gives its name at that width. */
export type UsePolyfill = (polyfill: Polyfill, width: KernelType["width"]) => string;

/** What WGSL promises exactly, or with an error that every use can live with. */
const native: Readonly<Record<string, string>> = {
  abs: "abs",
  ceil: "ceil",
  floor: "floor",
  trunc: "trunc",
  round: "round",
  sqrt: "sqrt",
  rsqrt: "inverseSqrt",
  fma: "fma",
  min: "min",
  max: "max",
  select: "select",
};

const polyfilled: ReadonlySet<Polyfill> = new Set([
  ...(["exp", "exp2", "exp10", "expm1", "log", "log2", "log10", "log1p", "logb"] as const),
  ...(["pow", "cbrt", "hypot", "fdim", "fmod", "remainder", "copysign"] as const),
  ...(["sin", "cos", "tan", "asin", "acos", "atan", "atan2"] as const),
  ...(["sinh", "cosh", "tanh", "asinh", "acosh", "atanh"] as const),
  ...(["sigmoid", "silu", "gelu", "erf", "erfc", "normcdf", "tgamma", "lgamma"] as const),
]);

function polyfillOf(name: string): Polyfill | undefined {
  const found = name as Polyfill;
  return polyfilled.has(found) ? found : undefined;
}

/** The exponent is all ones; `relation` tells what the fraction is. */
function bitTest(argument: string, width: KernelType["width"], relation: string): string {
  const words = wgslType("uint32", width);
  return `((bitcast<${words}>(${argument}) & ${words}(0x7fffffffu)) ${relation} ${words}(0x7f800000u))`;
}

/** A call on arguments of the type, given as texts of any precedence; the text is primary. */
export function printCall(
  name: string,
  parameters: readonly string[],
  type: KernelType,
  usePolyfill: UsePolyfill,
): string {
  const [a = "", b = "", c = ""] = parameters;
  const all = parameters.join(", ");
  const splat = (literal: string): string =>
    type.width === 1 ? literal : `${wgslType(type.scalar, type.width)}(${literal})`;
  switch (name) {
    case "isnan":
      return bitTest(a, type.width, ">");
    case "isinf":
      return bitTest(a, type.width, "==");
    case "sign":
      return type.scalar === "uint32" ? `min(${a}, ${splat("1u")})` : `sign(${a})`;
    case "clamp":
      return `min(max(${a}, ${b}), ${c})`;
    case "relu": {
      const zero = scalarLiteral(0, type.scalar);
      return `max(${a}, ${splat(zero)})`;
    }
    default: {
      const polyfill = polyfillOf(name);
      if (polyfill !== undefined) return `${usePolyfill(polyfill, type.width)}(${all})`;
      const builtin = own(native, name);
      invariant(builtin !== undefined, `no WGSL for function ${name}`);
      return `${builtin}(${all})`;
    }
  }
}
