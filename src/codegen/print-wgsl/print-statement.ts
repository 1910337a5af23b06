/** WGSL text of kernel statements. */
import { assertNever, defined } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import { listOf } from "../../support/list-of.ts";
import type { KernelArray, KernelExpression, KernelStatement } from "../kernel.ts";
import { printAtomic } from "./print-atomic.ts";
import { printExchange } from "./print-exchange.ts";
import { type PrintContext, printElement, printWgslExpression } from "./print-expression.ts";
import { printFragmentStatement } from "./print-fragment.ts";
import { divideIndex } from "./split-index.ts";
import { wgslType } from "./wgsl-literals.ts";

type Store = KernelStatement & { kind: "store" };

/** A line of text, and the statement that it is of. */
export interface PrintedLine {
  readonly text: string;
  readonly of: KernelStatement;
}

/** A value as the words that memory holds. */
function toMemory(array: KernelArray, value: string, width: 1 | 2 | 4): string {
  if (array.scalar === "bool") return `${wgslType("uint32", width)}(${value})`;
  return array.atomic && array.scalar === "float32" ? `bitcast<u32>(${value})` : value;
}

/** One by one, for an array of scalars; the value and the index are computed before any store. */
function printSplitStore(
  s: Store,
  array: KernelArray,
  indent: string,
  context: PrintContext,
): readonly string[] {
  const { scalar, width } = s.value.type;
  const name = context.names.of("array", array.id);
  const stores = listOf(width, (n) => {
    const value = toMemory(array, `tc_value.${"xyzw"[n]}`, 1);
    return `${indent}  ${name}[tc_at + ${n}u] = ${value};`;
  });
  return [
    `${indent}{`,
    `${indent}  let tc_at = ${printWgslExpression(s.index, context)};`,
    `${indent}  let tc_value: ${wgslType(scalar, width)} = ${printWgslExpression(s.value, context)};`,
    ...stores,
    `${indent}}`,
  ];
}

function printStore(s: Store, indent: string, context: PrintContext): readonly string[] {
  const array = defined(context.arrays.get(s.array), "array", s.array);
  const { width } = s.value.type;
  if (width !== 1 && width !== array.width) return printSplitStore(s, array, indent, context);
  const element = printElement(array, s.index, width, context);
  const value = toMemory(array, printWgslExpression(s.value, context), width);
  if (array.atomic) return [`${indent}atomicStore(&${element}, ${value});`];
  return [`${indent}${element} = ${value};`];
}

/** Remembers that an immutable index is a multiple of a vector width. */
function noteMultiple(name: string, value: KernelExpression, context: PrintContext): void {
  if (value.type.scalar !== "uint32" || value.type.width !== 1) return;
  const multiple = [4, 2].find((w) => divideIndex(value, w, context.multiples) !== undefined);
  if (multiple !== undefined) context.multiples.set(name, multiple);
}

function printDeclare(
  s: KernelStatement & { kind: "declare" },
  indent: string,
  context: PrintContext,
): readonly string[] {
  const value = printWgslExpression(s.value, context);
  const name = context.names.of("variable", s.name);
  if (s.mutable) context.multiples.delete(s.name);
  else noteMultiple(s.name, s.value, context);
  if (!s.mutable) return [`${indent}let ${name} = ${value};`];
  return [`${indent}var ${name}: ${wgslType(s.type.scalar, s.type.width)} = ${value};`];
}

function printLoop(
  s: KernelStatement & { kind: "loop" },
  indent: string,
  context: PrintContext,
): readonly PrintedLine[] {
  const k = context.names.of("variable", s.variable);
  context.multiples.delete(s.variable);
  // Tint knows how far a loop with a literal end goes; leaving it earlier costs no clamp and no guard.
  const end =
    s.end === undefined
      ? []
      : [`${indent}  if (${k} >= ${printWgslExpression(s.end, context)}) { break; }`];
  return [
    ...linesOf(s, [`${indent}for (var ${k} = 0u; ${k} < ${s.extent}u; ${k}++) {`, ...end]),
    ...printWgslStatements(s.body, `${indent}  `, context),
    ...linesOf(s, [`${indent}}`]),
  ];
}

function printIf(
  s: KernelStatement & { kind: "if" },
  indent: string,
  context: PrintContext,
): readonly PrintedLine[] {
  const first = linesOf(s, [`${indent}if (${printWgslExpression(s.condition, context)}) {`]);
  const then = printWgslStatements(s.then, `${indent}  `, context);
  const last = linesOf(s, [`${indent}}`]);
  if (s.else.length === 0) return [...first, ...then, ...last];
  const otherwise = printWgslStatements(s.else, `${indent}  `, context);
  return [...first, ...then, ...linesOf(s, [`${indent}} else {`]), ...otherwise, ...last];
}

/** The lines of a statement that has no others in it. */
function printPlain(
  s: Exclude<KernelStatement, { kind: "loop" | "if" }>,
  indent: string,
  context: PrintContext,
): readonly string[] {
  switch (s.kind) {
    case "declare":
      return printDeclare(s, indent, context);
    case "assign": {
      const name = context.names.of("variable", s.name);
      return [`${indent}${name} = ${printWgslExpression(s.value, context)};`];
    }
    case "store":
      return printStore(s, indent, context);
    case "atomic":
      return printAtomic(s, indent, context);
    case "barrier": {
      const kinds = s.memory === "both" ? ["workgroup", "storage"] : [s.memory];
      return kinds.map((kind) => `${indent}${kind}Barrier();`);
    }
    case "exchange":
      return printExchange(s, indent, context);
    case "fragment":
    case "multiply":
    case "store-fragment":
      return [`${indent}${printFragmentStatement(s, context)}`];
    default:
      return assertNever(s);
  }
}

function linesOf(of: KernelStatement, texts: readonly string[]): readonly PrintedLine[] {
  return texts.map((text) => ({ text, of }));
}

/** The lines of statements; `indent` stands before each. */
export function printWgslStatements(
  body: readonly KernelStatement[],
  indent: string,
  context: PrintContext,
): readonly PrintedLine[] {
  return flatMap(body, (s) => {
    if (s.kind === "loop") return printLoop(s, indent, context);
    return s.kind === "if"
      ? printIf(s, indent, context)
      : linesOf(s, printPlain(s, indent, context));
  });
}
