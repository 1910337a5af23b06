/**
 * What a user may say that a tensor holds.
 *
 * ```
 * input     := number | generator [ "(" [ argument { "," argument } ] ")" ] | path to a .npy file
 * argument  := [ name "=" ] number
 * generator := zeros | ones | arange | full(value) | randn(seed) | uniform(seed, lo, hi)
 *            | integers(seed, lo, hi)
 * ```
 * The same words give the same elements on every machine.
 */
import { didYouMean } from "../support/edit-distance.ts";
import {
  type GeneratorName,
  generatorSignatures,
  isGenerator,
  readGeneratorArguments,
} from "../support/generators.ts";
import { seededRandom } from "../support/random.ts";
import {
  allocate,
  type ElementType,
  elementCount,
  integerRange,
  isFloat,
  type TensorData,
  toElement,
} from "../support/scalar-type.ts";
import { failed, type Outcome, success } from "./failure.ts";
import { plural } from "./reporter.ts";

/** An input as it was asked for. `text` is how the user wrote it. */
export type InputSpec =
  | { readonly kind: "number"; readonly text: string; readonly value: number }
  | { readonly kind: "file"; readonly text: string; readonly path: string }
  | {
      readonly kind: "generator";
      readonly text: string;
      readonly name: GeneratorName;
      /** A value for each of the generator's parameters. */
      readonly values: readonly number[];
    };

interface Generator {
  /** Only floats can hold what it makes. */
  readonly real: boolean;
  /** The function from the place in C order to the element. */
  readonly make: (...values: number[]) => (place: number) => number;
}

const generators: Readonly<Record<GeneratorName, Generator>> = {
  zeros: { real: false, make: () => () => 0 },
  ones: { real: false, make: () => () => 1 },
  arange: { real: false, make: () => (place) => place },
  full: {
    real: false,
    make:
      (value = 0) =>
      () =>
        value,
  },
  randn: { real: true, make: normal },
  uniform: { real: true, make: uniform },
  integers: { real: false, make: integers },
};

/** One line for each generator, for help. */
export const generatorNames: readonly string[] = Object.entries(generatorSignatures).map(
  ([name, { parameters }]) => (parameters.length === 0 ? name : `${name}(${parameters})`),
);

/** Independent numbers with mean 0 and variance 1 (Box and Muller 1958), two from each draw. */
function normal(seed = 0): (place: number) => number {
  const random = seededRandom(seed);
  let spare: number | null = null;
  return () => {
    if (spare !== null) {
      const value = spare;
      spare = null;
      return value;
    }
    const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
    const angle = 2 * Math.PI * random.next();
    spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
}

/** Reals in [lo, hi). */
function uniform(seed = 0, lo = 0, hi = 1): () => number {
  const random = seededRandom(seed);
  return () => lo + (hi - lo) * random.next();
}

/** Integers in [lo, hi). */
function integers(seed = 0, lo = 0, hi = 10): () => number {
  const random = seededRandom(seed);
  return () => random.integer(lo, hi);
}

/** Reads what a user wrote for the tensor `tensor`. */
export function parseInput(tensor: string, text: string): Outcome<InputSpec> {
  const word = text.trim();
  if (/^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(word)) {
    return success({ kind: "number", text: word, value: Number(word) });
  }
  if (word === "true" || word === "false") {
    return success({ kind: "number", text: word, value: word === "true" ? 1 : 0 });
  }
  const call = /^([A-Za-z_]\w*)\s*(?:\(([^()]*)\))?$/.exec(word);
  if (call === null || word.endsWith(".npy")) {
    return word.endsWith(".npy")
      ? success({ kind: "file", text: word, path: word })
      : notAnInput(tensor, word);
  }
  const name = call[1] ?? "";
  if (!isGenerator(name)) return notAnInput(tensor, word, name);
  const read = readGeneratorArguments(name, call[2] ?? "");
  if (typeof read === "string") {
    return failed(
      `${tensor}=${word}: ${read}`,
      `write ${tensor}=${name}(${generatorSignatures[name].parameters.join(", ")})`,
    );
  }
  return success({ kind: "generator", text: word, name, values: read.values });
}

function notAnInput(tensor: string, word: string, name = ""): ReturnType<typeof failed> {
  const meant = didYouMean(name, Object.keys(generators));
  const [, first, others] = /^(.*?\S)\s+([A-Za-z_]\w*\s*=.*)$/.exec(word) ?? [];
  if (first !== undefined) {
    const next = `write one input a flag: --in '${tensor}=${first}' --in '${others}'`;
    return failed(`${tensor}=${word} is more than one input`, next);
  }
  return failed(
    `${tensor}=${word} is neither a number, a generator nor a .npy file`,
    meant === undefined
      ? `write a path that ends in .npy, a number, or one of ${generatorNames.join(" ")}`
      : `did you mean ${meant}?`,
  );
}

/** The elements of a generated tensor; a number is the element of a tensor of rank 0. */
export function generate(
  spec: Exclude<InputSpec, { kind: "file" }>,
  tensor: string,
  type: ElementType,
  shape: readonly number[],
): Outcome<TensorData> {
  if (spec.kind === "number" && shape.length > 0) {
    return failed(
      `${tensor}=${spec.text}: ${tensor} has ${plural(shape.length, "dimension")}, a number has none`,
      `to fill the tensor with it write ${tensor}=full(${spec.text})`,
    );
  }
  if (spec.kind === "generator" && generators[spec.name].real && !isFloat(type)) {
    return failed(
      `${tensor}=${spec.text} makes real numbers, ${tensor} is ${type}`,
      `write ${tensor}=integers(seed, lo, hi)`,
    );
  }
  const element =
    spec.kind === "number" ? () => spec.value : generators[spec.name].make(...spec.values);
  const data = allocate(type, elementCount(shape));
  for (let place = 0; place < data.length; place++) {
    const value = element(place);
    if (!holds(type, value)) {
      return failed(
        `${tensor}=${spec.text} makes ${value}, which is not a value of type ${type}`,
        `choose values that fit ${type}, or declare ${tensor} with another type`,
      );
    }
    data[place] = isFloat(type) ? toElement(type)(value) : value;
  }
  return success(data);
}

/** True if a tensor of the type can hold the value (floats: after rounding). */
function holds(type: ElementType, value: number): boolean {
  if (isFloat(type)) return Number.isFinite(toElement(type)(value));
  const [least, greatest] = integerRange(type);
  return Number.isInteger(value) && value >= least && value <= greatest;
}
