/**
 * Readable text of kernel IR, for `--emit kernel` and goldens. It is not parsed again, but equal
 * texts mean equal kernels: literals carry a suffix (`u` uint32, `i` int32, `h` float16, none float32), widths
 * stand after a colon.
 *
 * ```
 * kernel mm: 64 x [4, 4, 1] steps t
 *   read storage A: float32[4096]x4 = buffer A
 *   let row: uint32 = workgroup-x * 8u + local-index / 8u
 *   loop k in 0..64
 *     acc = acc + A[row * 64u + k] * B[k * 64u + column]
 * ```
 */
import { flatMap } from "../support/flat-map.ts";
import type {
  Exchange,
  FragmentMemory,
  FragmentStatement,
  Kernel,
  KernelArray,
  KernelExpression,
  KernelStatement,
} from "./kernel.ts";
import { printKernelType } from "./walk-kernel.ts";

const precedences: Readonly<Record<string, number>> = {
  or: 1,
  and: 2,
  "<": 3,
  "<=": 3,
  ">": 3,
  ">=": 3,
  "==": 3,
  "!=": 3,
  "+": 4,
  "-": 4,
  "*": 5,
  "/": 5,
  "%": 5,
};
const atomPrecedence = 9;

interface Printed {
  readonly text: string;
  readonly precedence: number;
}

function printLiteral(e: KernelExpression & { kind: "literal" }): string {
  const { scalar, width } = e.type;
  const repeated = width === 1 ? "" : `:${width}`;
  if (scalar === "bool") return `${e.value !== 0}${repeated}`;
  const digits = Object.is(e.value, -0) ? "-0" : String(e.value);
  const suffix = { float32: "", float16: "h", int32: "i", uint32: "u" }[scalar];
  return `${digits}${suffix}${repeated}`;
}

/** `int8` for int32 that wraps to it, `float32~float16` for float32 that is rounded to it. */
function printCastType({ type, narrow }: KernelExpression & { kind: "cast" }): string {
  const scalar = narrow === "float16" ? `${type.scalar}~float16` : (narrow ?? type.scalar);
  return type.width === 1 ? scalar : `${scalar}x${type.width}`;
}

function atom(text: string): Printed {
  return { text, precedence: atomPrecedence };
}

/** The text of an operand in a place that needs at least that precedence. */
function within(e: KernelExpression, precedence: number): string {
  const printed = print(e);
  return printed.precedence < precedence ? `(${printed.text})` : printed.text;
}

function printBinary(e: KernelExpression & { kind: "binary" }): Printed {
  const precedence = precedences[e.operator];
  if (precedence === undefined) {
    return atom(
      `${e.operator}(${printKernelExpression(e.left)}, ${printKernelExpression(e.right)})`,
    );
  }
  const left = within(e.left, precedence === 3 ? 4 : precedence);
  return { text: `${left} ${e.operator} ${within(e.right, precedence + 1)}`, precedence };
}

function print(e: KernelExpression): Printed {
  switch (e.kind) {
    case "literal":
      return atom(printLiteral(e));
    case "variable":
      return atom(e.name);
    case "builtin":
      return atom(e.builtin);
    case "step":
      return atom(`step.${e.slot}`);
    case "load": {
      const wide = e.type.width === 1 ? "" : `:${e.type.width}`;
      return atom(`${e.array}[${printKernelExpression(e.index)}]${wide}`);
    }
    case "unary": {
      const operator = e.operator === "not" ? "!" : "-";
      return { text: `${operator}${within(e.operand, atomPrecedence)}`, precedence: 6 };
    }
    case "binary":
      return printBinary(e);
    case "select":
      return atom(
        `select(${[e.condition, e.whenTrue, e.whenFalse].map(printKernelExpression).join(", ")})`,
      );
    case "call":
      return atom(`${e.function}(${e.arguments.map(printKernelExpression).join(", ")})`);
    case "cast":
      return atom(`${printCastType(e)}(${printKernelExpression(e.operand)})`);
    case "vector":
      return atom(`vector${e.type.width}(${e.components.map(printKernelExpression).join(", ")})`);
    case "component":
      return atom(`${within(e.vector, atomPrecedence)}.${e.index}`);
    case "pack":
      return atom(`pack.${e.element}(${e.parts.map(printKernelExpression).join(", ")})`);
    case "unpack": {
      const parts = [e.word, e.position].map(printKernelExpression);
      return atom(`unpack.${e.element}(${parts.join(", ")})`);
    }
  }
}

/** The text of an expression; only the parentheses that it needs. */
export function printKernelExpression(e: KernelExpression): string {
  return print(e).text;
}

function printArray(array: KernelArray): string {
  const words = [array.access === "read" ? "read" : "read_write", array.space];
  const atomic = array.atomic ? "atomic " : "";
  const width = array.width === 1 ? "" : `x${array.width}`;
  const buffer = array.buffer === undefined ? "" : ` = buffer ${array.buffer}`;
  const head = array.space === "storage" ? words.join(" ") : array.space;
  return `${head} ${array.id}: ${atomic}${array.scalar}[${array.length}]${width}${buffer}`;
}

function printHow(how: Exchange): string {
  switch (how.kind) {
    case "broadcast":
      return `broadcast lane ${printKernelExpression(how.lane)}`;
    case "shuffle":
      return `shuffle ${how.mask}`;
    case "reduce":
      return `reduce ${how.operator}`;
  }
}

function printMemory({ array, index, pitch, byRows }: FragmentMemory): string {
  return `${array}[${printKernelExpression(index)}] by ${byRows ? "rows" : "columns"} of ${pitch}`;
}

function printFragment(s: FragmentStatement): string {
  switch (s.kind) {
    case "fragment": {
      const { side, scalar, rows, columns } = s.type;
      const from = s.from.kind === "fill" ? String(s.from.value) : printMemory(s.from);
      return `fragment ${s.name}: ${side} ${scalar} ${rows}x${columns} = ${from}`;
    }
    case "multiply":
      return `multiply ${s.name} += ${s.left} * ${s.right}`;
    case "store-fragment":
      return `${printMemory(s)} = fragment ${s.name}`;
  }
}

/** A line of a kernel's text, and the statement that it is of; null for the lines before. */
export interface KernelLine {
  readonly text: string;
  readonly of: KernelStatement | null;
}

function printStatement(of: KernelStatement, indent: string): readonly KernelLine[] {
  const line = (text: string): KernelLine => ({ text: `${indent}${text}`, of });
  const block = (body: readonly KernelStatement[]): readonly KernelLine[] =>
    flatMap(body, (inner) => printStatement(inner, `${indent}  `));
  switch (of.kind) {
    case "loop": {
      const end = of.end === undefined ? "" : ` to ${printKernelExpression(of.end)}`;
      return [line(`loop ${of.variable} in 0..${of.extent}${end}`), ...block(of.body)];
    }
    case "if": {
      const otherwise = of.else.length === 0 ? [] : [line("else"), ...block(of.else)];
      const condition = line(`if ${printKernelExpression(of.condition)}`);
      return [condition, ...block(of.then), ...otherwise];
    }
    default:
      return [line(printPlain(of))];
  }
}

/** The line of a statement that has no others in it. */
function printPlain(s: Exclude<KernelStatement, { kind: "loop" | "if" }>): string {
  const e = printKernelExpression;
  switch (s.kind) {
    case "declare": {
      const keyword = s.mutable ? "var" : "let";
      return `${keyword} ${s.name}: ${printKernelType(s.type)} = ${e(s.value)}`;
    }
    case "assign":
      return `${s.name} = ${e(s.value)}`;
    case "store": {
      const width = s.value.type.width === 1 ? "" : `:${s.value.type.width}`;
      return `${s.array}[${e(s.index)}]${width} = ${e(s.value)}`;
    }
    case "atomic":
      return `atomic ${s.array}[${e(s.index)}] ${s.operator}= ${e(s.value)}`;
    case "barrier":
      return `barrier ${s.memory}`;
    case "exchange": {
      const value = `${printHow(s.how)} of ${e(s.value)}`;
      return `let ${s.name}: ${printKernelType(s.type)} = ${value}`;
    }
    case "fragment":
    case "multiply":
    case "store-fragment":
      return printFragment(s);
  }
}

/** The text of a kernel, one statement a line, with a line break at the end. */
export function printKernel(kernel: Kernel): string {
  const texts = kernelLines(kernel).map((line) => line.text);
  return `${texts.join("\n")}\n`;
}

/** The lines of {@link printKernel}. */
export function kernelLines(kernel: Kernel): readonly KernelLine[] {
  const steps = kernel.steps.length === 0 ? "" : ` steps ${kernel.steps.join(", ")}`;
  const asked = kernel.asksForSize === true ? " asked for" : "";
  const lanes =
    kernel.subgroupSize === undefined ? "" : ` subgroups ${kernel.subgroupSize}${asked}`;
  const size = `${kernel.workgroupSize} x [${kernel.grid.join(", ")}]`;
  const head = [
    `kernel ${kernel.name}: ${size}${lanes}${steps}`,
    ...kernel.arrays.map((array) => `  ${printArray(array)}`),
  ];
  return [
    ...head.map((text) => ({ text, of: null })),
    ...flatMap(kernel.body, (s) => printStatement(s, "  ")),
  ];
}
