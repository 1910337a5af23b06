/** What values of the scalar types do, in float64: written from the language document alone. */
import type {
  AssignOperator,
  BinaryOperator,
  ScalarName,
} from "../../../src/frontend/syntax/ast.ts";
import { functionReferences } from "../functions/references.ts";

/** The types of values. */
export type Type = "float32" | "float16" | "int32" | "uint32" | "bool";

/** The types of elements: some are only stored, and computed as int32 or uint32. */
export type Element = Type | "int8" | "uint8" | "int16" | "uint16";

/** The type of values that elements are read as. */
export function valueType(element: Element): Type {
  if (element === "int8" || element === "int16") return "int32";
  return element === "uint8" || element === "uint16" ? "uint32" : element;
}

/** A function of two numbers. */
export type Two = (a: number, b: number) => number;

/** The type that a written type name stands for. */
export function typeNamed(name: ScalarName): Element {
  if (name === "bool" || name === "uint32") return name;
  if (name === "half" || name === "float16") return "float16";
  if (name === "int8" || name === "uint8" || name === "int16" || name === "uint16") return name;
  if (name === "int" || name === "int32") return "int32";
  if (name === "float" || name === "float32") return "float32";
  throw new Error(`the evaluator does not know the type ${name}`);
}

/** Float beats int, the wider float the other, signed beats unsigned, everything beats bool. */
export function wider(a: Type, b: Type): Type {
  const order: readonly Type[] = ["bool", "uint32", "int32", "float16", "float32"];
  return order[Math.max(order.indexOf(a), order.indexOf(b))] ?? "float32";
}

/** A value as one of the type: integers modulo a power of two. */
export function wrapped(x: number, type: Element): number {
  const [, unsigned, bits] = /^(u?)int(\d+)$/.exec(type) ?? [];
  if (bits === undefined) return x;
  const wrap = unsigned === "u" ? BigInt.asUintN : BigInt.asIntN;
  return Number(wrap(Number(bits), BigInt(x)));
}

/** To the nearest float16, ties to the even one, by trying exponents. */
export function halfOf(x: number): number {
  if (!Number.isFinite(x) || x === 0) return x;
  let exponent = -14;
  while (2 ** (exponent + 1) <= Math.abs(x)) exponent++;
  const steps = x / 2 ** (exponent - 10);
  const below = Math.floor(steps);
  const rest = steps - below;
  const up = rest > 0.5 || (rest === 0.5 && below % 2 !== 0);
  const value = (up ? below + 1 : below) * 2 ** (exponent - 10);
  return Math.abs(value) < 2 ** 16 ? value : Math.sign(value) * Infinity;
}

/**
 * A conversion: toward zero and saturating from floats, modulo a power of two between integers; to
 * float16 the nearest. Narrow integers are int32 or uint32 first.
 */
export function converted(x: number, from: Type, element: Element): number {
  const to = valueType(element);
  if (to === "float16") return halfOf(x);
  return wrapped(convertedValue(x, from, to), element);
}

function convertedValue(x: number, from: Type, to: Type): number {
  if (from === to || to === "float32") return x;
  if (to === "bool") return x === 0 ? 0 : 1;
  if (from !== "float32" && from !== "float16") return wrapped(x, to);
  if (Number.isNaN(x)) return 0;
  const low = to === "int32" ? -(2 ** 31) : 0;
  const high = to === "int32" ? 2 ** 31 - 1 : 2 ** 32 - 1;
  if (x <= low) return low;
  if (x >= high) return high;
  return x < 0 ? -Math.floor(-x) + 0 : Math.floor(x);
}

function exact(f: (a: bigint, b: bigint) => bigint, type: Type): Two {
  return (a, b) => {
    const result = f(BigInt(a), BigInt(b));
    return Number(type === "int32" ? BigInt.asIntN(32, result) : BigInt.asUintN(32, result));
  };
}

/** The quotient toward minus infinity; 0 for a division by 0. */
function quotient(a: bigint, b: bigint): bigint {
  if (b === 0n) return 0n;
  const toZero = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? toZero - 1n : toZero;
}

function remainder(a: bigint, b: bigint): bigint {
  return b === 0n ? 0n : a - b * quotient(a, b);
}

const floats: Readonly<Record<string, Two>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => a / b,
  "%": (a, b) => a - b * Math.floor(a / b),
};

const integers: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": quotient,
  "%": remainder,
};

/** `+ - * / %` on a type that is not bool. */
export function arithmetic(operator: BinaryOperator, type: Type): Two {
  const known = type === "float32" || type === "float16" ? floats[operator] : undefined;
  const whole = integers[operator];
  if (known !== undefined) return known;
  if (whole === undefined || type === "bool") throw new Error(`no ${operator} on ${type}`);
  return exact(whole, type);
}

const comparisons: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "<": (a, b) => a < b,
  "<=": (a, b) => a <= b,
  ">": (a, b) => a > b,
  ">=": (a, b) => a >= b,
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
};

/** A comparison; undefined for other operators. */
export function comparison(operator: string): ((a: number, b: number) => boolean) | undefined {
  return comparisons[operator];
}

/** The operator of an assignment without its `=` and `!`. */
export function reductionName(operator: AssignOperator): string {
  return operator.replace("!", "").replace("=", "");
}

/** The least and the greatest value of a type. */
function extremes(type: Element): readonly [number, number] {
  if (type === "bool") return [0, 1];
  const [, unsigned, bits] = /^(u?)int(\d+)$/.exec(type) ?? [];
  if (bits === undefined) return [-Infinity, Infinity];
  const range = 2 ** Number(bits);
  return unsigned === "u" ? [0, range - 1] : [-range / 2, range / 2 - 1];
}

/** What `op=!` starts from. */
export function identity(name: string, type: Element): number {
  const [least, greatest] = extremes(type);
  if (name === "min") return greatest;
  if (name === "max") return least;
  return name === "*" || name === "&&" ? 1 : 0;
}

/** How `op=` combines what is there with a value. */
export function combiner(name: string, type: Type): Two {
  switch (name) {
    case "min":
      return Math.min;
    case "max":
      return Math.max;
    case "&&":
      return (a, b) => (a !== 0 && b !== 0 ? 1 : 0);
    case "||":
      return (a, b) => (a !== 0 || b !== 0 ? 1 : 0);
    case "+":
    case "-":
      return arithmetic("+", type);
    default:
      return arithmetic("*", type);
  }
}

/** The error function by Simpson's rule: about 12 digits. */
function erf(x: number): number {
  const end = Math.min(Math.abs(x), 7);
  const steps = 2000;
  let sum = 0;
  for (let n = 0; n <= steps; n++) {
    const t = (end * n) / steps;
    const weight = n === 0 || n === steps ? 1 : 2 + 2 * (n % 2);
    sum += weight * Math.exp(-t * t);
  }
  return Math.sign(x) * (2 / Math.sqrt(Math.PI)) * ((sum * end) / steps / 3);
}

function rounded(x: number): number {
  const below = Math.floor(x);
  if (x - below !== 0.5) return Math.round(x);
  return below % 2 === 0 ? below : below + 1;
}

type NumberFunction = (...x: readonly number[]) => number;

const referenced: readonly string[] = `exp10 expm1 log10 log1p logb cbrt hypot asin acos atan atan2
  sinh cosh asinh acosh atanh erfc normcdf tgamma lgamma fdim fmod remainder copysign`.split(/\s+/);

function reference(name: string): NumberFunction {
  return (x = 0, y = 0, z = 0) => functionReferences[name]?.(x, y, z) ?? Number.NaN;
}

/** Functions of floats that give floats. */
export const floatFunctions: Readonly<Record<string, NumberFunction>> = {
  ...Object.fromEntries(referenced.map((name) => [name, reference(name)])),
  ceil: (x = 0) => Math.ceil(x),
  floor: (x = 0) => Math.floor(x),
  trunc: (x = 0) => Math.trunc(x),
  round: (x = 0) => rounded(x),
  sqrt: (x = 0) => Math.sqrt(x),
  rsqrt: (x = 0) => 1 / Math.sqrt(x),
  exp: (x = 0) => Math.exp(x),
  exp2: (x = 0) => Math.exp(x * Math.LN2),
  log: (x = 0) => Math.log(x),
  log2: (x = 0) => Math.log2(x),
  sin: (x = 0) => Math.sin(x),
  cos: (x = 0) => Math.cos(x),
  tan: (x = 0) => Math.tan(x),
  tanh: (x = 0) => Math.tanh(x),
  pow: (x = 0, y = 0) => (Math.abs(x) === 1 && Math.abs(y) === Infinity ? 1 : x ** y),
  sigmoid: (x = 0) => 1 / (1 + Math.exp(-x)),
  silu: (x = 0) => (x === -Infinity ? 0 : x / (1 + Math.exp(-x))),
  gelu: (x = 0) => (x === -Infinity ? 0 : (x * (1 + erf(x * Math.SQRT1_2))) / 2),
  erf: (x = 0) => erf(x),
  fma: (x = 0, y = 0, z = 0) => x * y + z,
  fabs: (x = 0) => Math.abs(x),
  fmin: (x = 0, y = 0) => Math.min(x, y),
  fmax: (x = 0, y = 0) => Math.max(x, y),
};

/** Functions of numbers that give their type. */
export const numberFunctions: Readonly<Record<string, NumberFunction>> = {
  abs: (x = 0) => Math.abs(x),
  sign: (x = 0) => (x > 0 ? 1 : x < 0 ? -1 : 0),
  relu: (x = 0) => Math.max(x, 0),
  min: (x = 0, y = 0) => Math.min(x, y),
  max: (x = 0, y = 0) => Math.max(x, y),
  clamp: (x = 0, low = 0, high = 0) => Math.min(Math.max(x, low), high),
};

/** Tests of floats. */
export const floatTests: Readonly<Record<string, (x: number) => boolean>> = {
  isnan: (x) => Number.isNaN(x),
  isinf: (x) => x === Infinity || x === -Infinity,
};
