/** Random well-typed kernel expressions over two arrays, a variable of each type, and the ids. */
import type {
  BinaryOperator,
  KernelExpression as E,
  Kernel,
  KernelStatement,
  KernelType,
  Width,
} from "../../../src/codegen/kernel.ts";
import type { Random } from "../../../src/support/random.ts";
import { scalarFunctions } from "../../../src/support/scalar-functions.ts";
import { computedAs, type NarrowType, type ScalarType } from "../../../src/support/scalar-type.ts";
import { elementsPerWord } from "../../../src/support/words.ts";
import { declare, kernelOf, local, memory, op, storage, store, u } from "./kernels.ts";

const wordScalars: readonly ScalarType[] = ["float32", "int32", "uint32", "bool"];
const narrowTypes: readonly NarrowType[] = ["int8", "uint8", "int16", "uint16", "float16"];
const widths: readonly Width[] = [1, 2, 4];

const literals: Readonly<Record<ScalarType, readonly number[]>> = {
  float32: [0, -0, 1, -1.5, 0.1, 3e38, 1e-45, Infinity, -Infinity, Number.NaN, 16777217, 1e21],
  float16: [0, -0, 1, -1.5, 65504, 2 ** -24, 0.0999755859375, Infinity, -Infinity, Number.NaN],
  int32: [0, 1, -1, 7, 8, -2147483648, 2147483647],
  uint32: [0, 1, 3, 4294967295, 2147483648],
  bool: [0, 1],
};

const operators: Readonly<Record<ScalarType, readonly BinaryOperator[]>> = {
  float32: ["+", "-", "*", "/", "floorMod", "min", "max"],
  float16: ["+", "-", "*", "/", "min", "max"],
  int32: ["+", "-", "*", "floorDiv", "floorMod", "min", "max"],
  uint32: ["+", "-", "*", "floorDiv", "floorMod", "min", "max"],
  bool: ["and", "or"],
};
const ordered: readonly BinaryOperator[] = ["<", "<=", ">", ">=", "==", "!="];

export interface RandomOptions {
  /** Leaves out what devices round differently. */
  readonly exact: boolean;
  /** Has values of float16 too, which not all devices have. */
  readonly halves?: boolean;
}

function scalarsOf({ halves }: RandomOptions): readonly ScalarType[] {
  return halves === true ? [...wordScalars, "float16"] : wordScalars;
}

/** The narrow types of which values have the type. */
function narrowTypesOf(type: ScalarType, { exact }: RandomOptions): readonly NarrowType[] {
  return narrowTypes.filter((narrow) => {
    if (narrow === "float16") return type === "float32" && !exact;
    return computedAs(narrow) === type;
  });
}

function randomLiteral(random: Random, type: KernelType, options: RandomOptions): E {
  const all = literals[type.scalar];
  const exact = all.filter((x) => Number.isInteger(x) && Math.abs(x) < 10);
  const value = random.pick(options.exact && type.scalar === "float32" ? exact : all);
  return { kind: "literal", value, type };
}

function randomLeaf(random: Random, type: KernelType, options: RandomOptions): E {
  const { scalar, width } = type;
  if (random.chance(0.4)) return randomLiteral(random, type, options);
  if (random.chance(0.3)) return { kind: "variable", name: `v_${scalar}_${width}`, type };
  if (width !== 1) {
    return { kind: "load", array: `${scalar}_${width}`, index: op(local, "*", u(width)), type };
  }
  const array = `${scalar}_${random.pick(widths)}`;
  return { kind: "load", array, index: random.chance(0.5) ? local : u(random.integer(0, 4)), type };
}

function randomCall(random: Random, type: KernelType, depth: number, options: RandomOptions): E {
  const fits = Object.entries(scalarFunctions).filter(([name, f]) => {
    const rounds = f.domain === "float" && !["floor", "ceil", "trunc", "round"].includes(name);
    if (options.exact && rounds) return false;
    if (f.result === "bool") return type.scalar === "bool";
    if (f.domain === "any") return true;
    if (type.scalar === "bool" || type.scalar === "float16") return false;
    return type.scalar === "float32" || f.domain === "number";
  });
  const [name, f] = random.pick(fits);
  const scalar = f.result === "bool" ? "float32" : type.scalar;
  const parts = Array.from({ length: f.arity }, (_, n) =>
    randomExpression(
      random,
      { scalar: name === "select" && n === 2 ? "bool" : scalar, width: type.width },
      depth - 1,
      options,
    ),
  );
  return { kind: "call", function: name, arguments: parts, type };
}

function randomBinary(random: Random, type: KernelType, depth: number, options: RandomOptions): E {
  const compare = type.scalar === "bool" && random.chance(0.6);
  const scalar = compare ? random.pick(["float32", "int32", "uint32"] as const) : type.scalar;
  const inexact: readonly BinaryOperator[] =
    options.exact && scalar === "float32" ? ["/", "floorMod"] : [];
  const choices = (compare ? ordered : operators[scalar]).filter((o) => !inexact.includes(o));
  const operand = (): E =>
    randomExpression(random, { scalar, width: type.width }, depth - 1, options);
  const operator = random.pick(choices);
  return { kind: "binary", operator, left: operand(), right: operand(), type };
}

function randomVector(random: Random, type: KernelType, depth: number, options: RandomOptions): E {
  const part = (): E =>
    randomExpression(random, { scalar: type.scalar, width: 1 }, depth - 1, options);
  if (type.width === 1) {
    const width = random.pick([2, 4] as const);
    const vector = randomExpression(random, { ...type, width }, depth - 1, options);
    return { kind: "component", vector, index: random.integer(0, width), type };
  }
  const components = Array.from({ length: random.chance(0.5) ? 1 : type.width }, part);
  return { kind: "vector", components, type };
}

function randomCast(random: Random, type: KernelType, depth: number, options: RandomOptions): E {
  const narrow = narrowTypesOf(type.scalar, options);
  if (narrow.length > 0 && random.chance(0.5)) {
    const operand = randomExpression(random, type, depth - 1, options);
    return { kind: "cast", operand, narrow: random.pick(narrow), type };
  }
  const scalar = random.pick(scalarsOf(options).filter((s) => s !== type.scalar));
  const operand = randomExpression(random, { ...type, scalar }, depth - 1, options);
  return { kind: "cast", operand, type };
}

/** A word of narrow values, or one of the values of a word; undefined for types that are neither. */
function randomWord(
  random: Random,
  type: KernelType,
  depth: number,
  options: RandomOptions,
): E | undefined {
  const below = (scalar: ScalarType): E =>
    randomExpression(random, { scalar, width: 1 }, depth - 1, options);
  const narrow = narrowTypesOf(type.scalar, options);
  if (type.width !== 1) return undefined;
  if (type.scalar === "uint32" && random.chance(0.5)) {
    const element = random.pick(narrowTypes.filter((t) => t !== "float16" || !options.exact));
    const count = elementsPerWord(element);
    const part = element === "float16" ? "float32" : computedAs(element);
    const parts = Array.from({ length: count }, () => below(part));
    return { kind: "pack", element, parts, type };
  }
  if (narrow.length === 0) return undefined;
  const element = random.pick(narrow);
  const count = elementsPerWord(element);
  const position = random.chance(0.5) ? u(random.integer(0, count)) : op(local, "%", u(count));
  return { kind: "unpack", element, word: below("uint32"), position, type };
}

/** An expression of the type, at most `depth` operators deep. */
export function randomExpression(
  random: Random,
  type: KernelType,
  depth: number,
  options: RandomOptions,
): E {
  if (depth === 0) return randomLeaf(random, type, options);
  const below = (scalar: ScalarType): E =>
    randomExpression(random, { ...type, scalar }, depth - 1, options);
  switch (random.integer(0, 9)) {
    case 0:
      return randomLeaf(random, type, options);
    case 1: {
      const operator = type.scalar === "bool" ? "not" : "negate";
      return { kind: "unary", operator, operand: below(type.scalar), type };
    }
    case 2: {
      const [whenTrue, whenFalse] = [below(type.scalar), below(type.scalar)];
      return { kind: "select", condition: below("bool"), whenTrue, whenFalse, type };
    }
    case 3:
      return randomCall(random, type, depth, options);
    case 4:
      return randomCast(random, type, depth, options);
    case 5:
      return randomVector(random, type, depth, options);
    case 6:
      return randomWord(random, type, depth, options) ?? randomBinary(random, type, depth, options);
    default:
      return randomBinary(random, type, depth, options);
  }
}

/** Four invocations that each store `count` random values, in arrays of every type and width. */
export function randomExpressionKernel(
  random: Random,
  depth: number,
  options: RandomOptions,
): Kernel {
  const types = scalarsOf(options).flatMap((scalar) => widths.map((width) => ({ scalar, width })));
  // Eight storage buffers are guaranteed; the others are private arrays that are filled first.
  const inStorage = types.filter(({ scalar }) => scalar === "float32" || scalar === "int32");
  const own = types.filter((type) => !inStorage.includes(type));
  const out = random.pick(types);
  const fill = (type: KernelType): KernelStatement[] =>
    Array.from({ length: 4 }, (_, n) =>
      store(
        `${type.scalar}_${type.width}`,
        u(n * type.width),
        randomLiteral(random, type, options),
      ),
    );
  return kernelOf(
    [
      ...inStorage.map((type) =>
        storage(`${type.scalar}_${type.width}`, 4 * type.width, "read", type),
      ),
      ...own.map((type) => memory(`${type.scalar}_${type.width}`, "private", 4 * type.width, type)),
      storage("out", 4 * out.width, "read_write", out),
    ],
    [
      ...own.flatMap(fill),
      ...types.map((type) =>
        declare(`v_${type.scalar}_${type.width}`, randomLiteral(random, type, options), true),
      ),
      store("out", op(local, "*", u(out.width)), randomExpression(random, out, depth, options)),
    ],
    { workgroupSize: 4 },
  );
}
