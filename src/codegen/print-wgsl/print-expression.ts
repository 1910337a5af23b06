/** WGSL text of kernel expressions. */
import { assertNever, defined } from "../../support/assert.ts";
import { listOf } from "../../support/list-of.ts";
import { isFloat } from "../../support/scalar-type.ts";
import { literalValue } from "../fold-literals.ts";
import type { BinaryOperator, Builtin, KernelArray, KernelExpression, Width } from "../kernel.ts";
import type { Polyfill } from "./polyfills.ts";
import { printCall } from "./print-call.ts";
import { printDivision, printDivisionByBits } from "./print-division.ts";
import { type OperandText, printNarrowed, printPack, printUnpack } from "./print-words.ts";
import { type KnownMultiples, splitIndex } from "./split-index.ts";
import { vectorLiteral, wgslType } from "./wgsl-literals.ts";
import type { WgslNames } from "./wgsl-names.ts";

/** What the printer of one kernel knows, and what it finds out that the text needs. */
export interface PrintContext {
  readonly names: WgslNames;
  readonly arrays: ReadonlyMap<string, KernelArray>;
  readonly stepIndices: "immediate" | "table";
  /** Grows as immutable variables are declared. */
  readonly multiples: KnownMultiples & Map<string, number>;
  /** Called for each polyfill that the text uses; gives its name. */
  readonly usePolyfill: (polyfill: Polyfill, width: 1 | 2 | 4) => string;
}

/** Text with WGSL's precedence: 1 comparison, `&`, `|`, shift; 2 sum; 3 product; 4 unary; 5 primary. */
interface Text {
  readonly text: string;
  readonly precedence: number;
}

const primary = 5;

const infix: Partial<Record<BinaryOperator, { symbol: string; precedence: number }>> = {
  "+": { symbol: "+", precedence: 2 },
  "-": { symbol: "-", precedence: 2 },
  "*": { symbol: "*", precedence: 3 },
  "/": { symbol: "/", precedence: 3 },
  "%": { symbol: "%", precedence: 3 },
  "<": { symbol: "<", precedence: 1 },
  "<=": { symbol: "<=", precedence: 1 },
  ">": { symbol: ">", precedence: 1 },
  ">=": { symbol: ">=", precedence: 1 },
  "==": { symbol: "==", precedence: 1 },
  "!=": { symbol: "!=", precedence: 1 },
};

/** The name of a builtin value. */
export function builtinName(builtin: Builtin): string {
  switch (builtin) {
    case "workgroup-x":
      return "workgroup_x";
    case "workgroup-y":
      return "workgroup_y";
    case "workgroup-z":
      return "workgroup_z";
    case "local-index":
      return "local_index";
    case "lane":
      return "subgroup_lane";
    case "subgroup":
      return "subgroup_number";
    default:
      return assertNever(builtin);
  }
}

/** The text of the step index in a slot. */
export function stepName(stepIndices: "immediate" | "table", slot: number): string {
  return stepIndices === "immediate" ? `tc_steps.s${slot}` : `tc_step_${slot}`;
}

function text(e: KernelExpression, context: PrintContext): string {
  return print(e, context).text;
}

/** The text, in parentheses unless it binds at least that strongly. */
function within(e: KernelExpression, precedence: number, context: PrintContext): string {
  const printed = print(e, context);
  return printed.precedence < precedence ? `(${printed.text})` : printed.text;
}

function of(textOfPrimary: string): Text {
  return { text: textOfPrimary, precedence: primary };
}

/** `index + n`, kept out of the text as far as possible. */
function shifted(index: KernelExpression, n: number): KernelExpression {
  if (n === 0) return index;
  const right: KernelExpression = { kind: "literal", value: n, type: index.type };
  return { kind: "binary", operator: "+", left: index, right, type: index.type };
}

/** The place of a scalar or a whole vector in memory, as something that can be assigned to. */
export function printElement(
  array: KernelArray,
  index: KernelExpression,
  width: 1 | 2 | 4,
  context: PrintContext,
): string {
  const name = context.names.of("array", array.id);
  if (array.width === 1) return `${name}[${text(index, context)}]`;
  const unsigned = index.type;
  const by: KernelExpression = { kind: "literal", value: array.width, type: unsigned };
  const split = splitIndex(index, array.width, context.multiples);
  const quotient = split?.quotient ?? {
    kind: "binary",
    operator: "/",
    left: index,
    right: by,
    type: unsigned,
  };
  const vector = `${name}[${text(quotient, context)}]`;
  if (width === array.width) return vector;
  if (split !== undefined) return `${vector}.${"xyzw"[split.remainder]}`;
  return `${vector}[${within(index, 3, context)} % ${array.width}u]`;
}

/** What is in memory, as a value of the array's type. */
function fromMemory(array: KernelArray, element: string, width: 1 | 2 | 4): Text {
  if (array.atomic) {
    const word = `atomicLoad(&${element})`;
    if (array.scalar === "bool") return { text: `${word} != 0u`, precedence: 1 };
    return of(array.scalar === "float32" ? `bitcast<f32>(${word})` : word);
  }
  if (array.scalar !== "bool") return of(element);
  const zero = width === 1 ? "0u" : `${wgslType("uint32", width)}(0u)`;
  return { text: `${element} != ${zero}`, precedence: 1 };
}

function printLoad(e: KernelExpression & { kind: "load" }, context: PrintContext): Text {
  const array = defined(context.arrays.get(e.array), "array", e.array);
  const { width } = e.type;
  if (width === 1 || width === array.width) {
    return fromMemory(array, printElement(array, e.index, width, context), width);
  }
  const parts = listOf(width, (n) => {
    const element = printElement(array, shifted(e.index, n), 1, context);
    return fromMemory(array, element, 1).text;
  });
  return of(`${wgslType(e.type.scalar, width)}(${parts.join(", ")})`);
}

function printUnary(e: KernelExpression & { kind: "unary" }, context: PrintContext): Text {
  if (e.operator === "not") {
    return { text: `!${within(e.operand, primary, context)}`, precedence: 4 };
  }
  if (e.type.scalar === "uint32") {
    const zero = vectorLiteral([0], e.type);
    return { text: `${zero} - ${within(e.operand, 3, context)}`, precedence: 2 };
  }
  return { text: `-${within(e.operand, primary, context)}`, precedence: 4 };
}

function printBinary(e: KernelExpression & { kind: "binary" }, context: PrintContext): Text {
  switch (e.operator) {
    case "min":
    case "max":
      return of(`${e.operator}(${text(e.left, context)}, ${text(e.right, context)})`);
    case "floorDiv":
    case "floorMod": {
      const bits = printDivisionByBits(e, operandText(context));
      return bits === undefined
        ? of(printDivision(e, operandText(context)))
        : { text: bits, precedence: 1 };
    }
    case "and":
    case "or": {
      const symbol = e.operator === "and" ? "&" : "|";
      const sides = [e.left, e.right].map((side) => within(side, 4, context));
      return { text: sides.join(` ${symbol} `), precedence: 1 };
    }
    default: {
      const { symbol, precedence } = defined(infix[e.operator], "operator", e.operator);
      const left = within(e.left, precedence === 1 ? 2 : precedence, context);
      return { text: `${left} ${symbol} ${within(e.right, precedence + 1, context)}`, precedence };
    }
  }
}

function printCast(e: KernelExpression & { kind: "cast" }, context: PrintContext): Text {
  const operand = text(e.operand, context);
  const { narrow, type } = e;
  if (narrow !== undefined) {
    const same = type.scalar === e.operand.type.scalar;
    const plain: KernelExpression = { kind: "cast", operand: e.operand, type };
    const value = same ? operand : text(plain, context);
    return of(printNarrowed(value, narrow, type.width, operandText(context)));
  }
  const { scalar, width } = type;
  const from = e.operand.type.scalar;
  if (isFloat(from) && (scalar === "int32" || scalar === "uint32")) {
    const polyfill = scalar === "int32" ? "toInt" : "toUint";
    const value = from === "float16" ? `${wgslType("float32", width)}(${operand})` : operand;
    return of(`${context.usePolyfill(polyfill, width)}(${value})`);
  }
  if (scalar === "float16" && isFloat(from)) return of(printHalf(operand, width, context));
  return of(`${wgslType(scalar, width)}(${operand})`);
}

/**
 * A float32 as float16. It is rounded beforehand, since WGSL does not say which way the conversion rounds,
 * and compilers leave the conversion there and back out (Mesa: `f2f32(f2f16(x))` is `x`).
 */
function printHalf(operand: string, width: Width, { usePolyfill }: PrintContext): string {
  const rounded = `${usePolyfill("roundToHalf", width)}(${operand})`;
  return `${wgslType("float16", width)}(${rounded})`;
}

function operandText(context: PrintContext): OperandText {
  const { usePolyfill } = context;
  return { any: (e) => text(e, context), unary: (e) => within(e, 4, context), usePolyfill };
}

function print(e: KernelExpression, context: PrintContext): Text {
  const constant = literalValue(e);
  if (constant !== undefined) {
    const literal = vectorLiteral(constant, e.type);
    return { text: literal, precedence: literal.startsWith("-") ? 4 : primary };
  }
  switch (e.kind) {
    case "literal":
      return of(vectorLiteral([e.value], e.type));
    case "variable":
      return of(context.names.of("variable", e.name));
    case "builtin":
      return of(builtinName(e.builtin));
    case "step":
      return of(stepName(context.stepIndices, e.slot));
    case "load":
      return printLoad(e, context);
    case "unary":
      return printUnary(e, context);
    case "binary":
      return printBinary(e, context);
    case "select": {
      const parts = [e.whenFalse, e.whenTrue, e.condition].map((part) => text(part, context));
      return of(`select(${parts.join(", ")})`);
    }
    case "call": {
      const parts = e.arguments.map((part) => text(part, context));
      const type = e.arguments[0]?.type ?? e.type;
      return of(printCall(e.function, parts, type, context.usePolyfill));
    }
    case "cast":
      return printCast(e, context);
    case "vector": {
      const parts = e.components.map((part) => text(part, context));
      return of(`${wgslType(e.type.scalar, e.type.width)}(${parts.join(", ")})`);
    }
    case "component":
      return of(`${within(e.vector, primary, context)}.${"xyzw"[e.index]}`);
    case "pack":
      return { text: printPack(e, operandText(context)), precedence: 1 };
    case "unpack":
      return of(printUnpack(e, operandText(context)));
    default:
      return assertNever(e);
  }
}

/**
 * The text of an expression; it holds no operator on constants alone, which WGSL would evaluate,
 * and refuse where it overflows, when it compiles.
 */
export function printWgslExpression(e: KernelExpression, context: PrintContext): string {
  return text(e, context);
}
