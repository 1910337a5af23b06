/**
 * The generators of tensor elements, as they are written: `randn(1)`, `uniform(seed=3, hi=2)`.
 */

/** The parameters of a generator. */
export interface GeneratorSignature {
  readonly parameters: readonly string[];
  /** The parameters that may be left out, from the last one back, have a value here. */
  readonly defaults: readonly number[];
}

export type GeneratorName = "zeros" | "ones" | "arange" | "full" | "randn" | "uniform" | "integers";

/** All generators by name. Ranges are half-open: [lo, hi). */
export const generatorSignatures: Readonly<Record<GeneratorName, GeneratorSignature>> = {
  zeros: { parameters: [], defaults: [] },
  ones: { parameters: [], defaults: [] },
  arange: { parameters: [], defaults: [] },
  full: { parameters: ["value"], defaults: [] },
  randn: { parameters: ["seed"], defaults: [0] },
  uniform: { parameters: ["seed", "lo", "hi"], defaults: [0, 0, 1] },
  integers: { parameters: ["seed", "lo", "hi"], defaults: [0, 10] },
};

/** True for the name of a generator. */
export function isGenerator(name: string): name is GeneratorName {
  return Object.hasOwn(generatorSignatures, name);
}

/** The values of a generator's parameters; the first `given` of them are as written. */
export interface GeneratorArguments {
  readonly values: readonly number[];
  readonly given: number;
}

/**
 * Reads what stands between the parentheses: numbers in order, or named as in `hi=2`. What is wrong
 * comes back as text.
 */
export function readGeneratorArguments(
  name: GeneratorName,
  text: string,
): GeneratorArguments | string {
  const { parameters, defaults } = generatorSignatures[name];
  const values: (number | undefined)[] = parameters.map(
    (_, i) => defaults[i - (parameters.length - defaults.length)],
  );
  let given = 0;
  for (const [i, written] of (text.trim() === "" ? [] : text.split(",")).entries()) {
    const argument = readArgument(parameters, i, written);
    if (typeof argument === "string") return argument;
    values[argument.at] = argument.value;
    given = Math.max(given, argument.at + 1);
  }
  const missing = values.indexOf(undefined);
  if (missing >= 0) return `${parameters[missing]} is missing`;
  const complete = values.map((value) => value ?? 0);
  const [lo, hi] = [complete[parameters.indexOf("lo")], complete[parameters.indexOf("hi")]];
  if (lo !== undefined && hi !== undefined && lo >= hi) return "lo must be below hi";
  return { values: complete, given };
}

function readArgument(
  parameters: readonly string[],
  position: number,
  text: string,
): { readonly at: number; readonly value: number } | string {
  const [, label, number] = /^\s*(?:([a-z]+)\s*=)?\s*(\S+)\s*$/.exec(text) ?? [];
  const at = label === undefined ? position : parameters.indexOf(label);
  if (at < 0) return `there is no parameter ${label}`;
  if (at >= parameters.length) return "too many arguments";
  const value = Number(number);
  if (number === undefined || !Number.isFinite(value)) return `${text.trim()} is no number`;
  return { at, value };
}
