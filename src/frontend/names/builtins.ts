import { scalarFunction, scalarFunctions } from "../../support/scalar-functions.ts";

/** What a function name in the source stands for. */
export type Builtin =
  | { readonly kind: "function"; readonly name: string }
  /** In TC, but not in this language. */
  | { readonly kind: "refused" };

/** Other spellings, from C. */
const aliases: Readonly<Record<string, string>> = { fabs: "abs", fmin: "min", fmax: "max" };

/** CUDA functions that TC passed on. */
const refused: ReadonlySet<string> = new Set(
  `cospi cyl_bessel_i0 cyl_bessel_i1 erfcinv erfcx erfinv ilogb j0 j1 jn ldexp llrint llround lrint
  lround modf nan nearbyint nextafter norm norm3d norm4d normcdfinv rcbrt remquo rhypot rint rnorm
  rnorm3d rnorm4d scalbln scalbn sincos sincospi sinpi y0 y1 yn`.split(/\s+/),
);

/** The builtin function of that name; undefined when there is none. */
export function builtin(name: string): Builtin | undefined {
  const target = Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name;
  if (scalarFunction(target) !== undefined) return { kind: "function", name: target };
  return refused.has(name) ? { kind: "refused" } : undefined;
}

/** All names that may be called, for suggestions. */
export function builtinNames(): readonly string[] {
  return [...Object.keys(scalarFunctions), ...Object.keys(aliases)];
}
