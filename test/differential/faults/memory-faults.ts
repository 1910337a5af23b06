/** Mistakes in addresses, footprints, accumulators and atomics. */
import { addIndex, indexLiteral } from "../../../src/codegen/build.ts";
import type {
  KernelArray,
  KernelExpression,
  KernelStatement,
} from "../../../src/codegen/kernel.ts";
import { mapKernelStatements } from "../../../src/codegen/rewrite-kernel.ts";
import {
  type CompilerFault,
  expressionFault,
  kernelExpressionFault,
  kernelFault,
  statementFault,
} from "./inject.ts";

type Space = KernelArray["space"];

/** Loads from the arrays of one space at another index. */
function loadFault(
  name: string,
  space: Space,
  index: (e: Extract<KernelExpression, { kind: "load" }>) => KernelExpression,
): CompilerFault {
  return kernelExpressionFault(name, (kernel) => {
    const ids = new Set(kernel.arrays.filter((a) => a.space === space).map((a) => a.id));
    return (e) => {
      return e.kind === "load" && ids.has(e.array) ? { ...e, index: index(e) } : undefined;
    };
  });
}

function next(index: KernelExpression): KernelExpression {
  return addIndex(index, indexLiteral(1));
}

/** Arrays of one space that are too small. */
function footprintFault(space: Space): CompilerFault {
  return kernelFault(`footprints in ${space} memory one too small`, (kernel) => {
    const fits = (a: KernelArray): boolean => a.space === space && a.length > 1;
    if (!kernel.arrays.some(fits)) return kernel;
    const arrays = kernel.arrays.map((a) => (fits(a) ? { ...a, length: a.length - 1 } : a));
    return { ...kernel, arrays };
  });
}

const addressFaults: readonly CompilerFault[] = [
  loadFault("loads from storage one too far", "storage", (e) => next(e.index)),
  loadFault("loads from workgroup memory one too far", "workgroup", (e) => next(e.index)),
  loadFault("loads from private memory one too far", "private", (e) => next(e.index)),
  loadFault("loads from workgroup memory at 0", "workgroup", () => indexLiteral(0)),
  statementFault("stores one too far", (s) => {
    return s.kind === "store" ? [{ ...s, index: next(s.index) }] : undefined;
  }),
  statementFault("stores missing", (s) => (s.kind === "store" ? [] : undefined)),
  footprintFault("storage"),
  footprintFault("workgroup"),
  footprintFault("private"),
  expressionFault("strides one too large", (e) => {
    const scaled = e.kind === "binary" && e.operator === "*" && e.type.scalar === "uint32";
    if (!scaled || e.right.kind !== "literal") return undefined;
    return { ...e, right: { ...e.right, value: e.right.value + 1 } };
  }),
  expressionFault("strides missing", (e) => {
    const scaled = e.kind === "binary" && e.operator === "*" && e.type.scalar === "uint32";
    return scaled && e.right.kind === "literal" ? e.left : undefined;
  }),
  expressionFault("remainders of indices missing", (e) => {
    return e.kind === "binary" && e.operator === "%" ? e.left : undefined;
  }),
  expressionFault("quotients of indices missing", (e) => {
    const whole = e.kind === "binary" && e.operator === "/" && e.type.scalar === "uint32";
    return whole ? e.left : undefined;
  }),
  expressionFault("clamps of indices one too far", (e) => {
    const clamp = e.kind === "binary" && e.operator === "min" && e.type.scalar === "uint32";
    if (!clamp || e.right.kind !== "literal") return undefined;
    return { ...e, right: { ...e.right, value: e.right.value + 1 } };
  }),
  expressionFault("clamps of indices missing", (e) => {
    const clamp = e.kind === "binary" && e.operator === "min" && e.type.scalar === "uint32";
    return clamp && e.right.kind === "literal" ? e.left : undefined;
  }),
  kernelFault("buffers swapped", (kernel) => {
    const stored = kernel.arrays.filter((a) => a.buffer !== undefined);
    const [a, b] = stored;
    if (a === undefined || b === undefined || a.scalar !== b.scalar) return kernel;
    const swapped = new Map([
      [a.id, b.buffer],
      [b.id, a.buffer],
    ]);
    const arrays = kernel.arrays.map((array) => {
      const buffer = swapped.get(array.id);
      return buffer === undefined ? array : { ...array, buffer };
    });
    return { ...kernel, arrays };
  }),
];

/** True for what starts an accumulator. */
function isStart(s: KernelStatement): s is Extract<KernelStatement, { kind: "declare" }> {
  return s.kind === "declare" && s.mutable && s.value.kind === "literal";
}

const accumulatorFaults: readonly CompilerFault[] = [
  statementFault("accumulators that start one too high", (s) => {
    if (!isStart(s) || s.value.kind !== "literal") return undefined;
    return [{ ...s, value: { ...s.value, value: s.value.value === 0 ? 1 : 0 } }];
  }),
  statementFault("accumulators that do not start anew", (s) => {
    const literal = s.kind === "store" || s.kind === "assign" ? s.value.kind === "literal" : false;
    return literal ? [] : undefined;
  }),
  statementFault("updates missing", (s) => (s.kind === "assign" ? [] : undefined)),
  statementFault("updates that forget what was", (s) => {
    if (s.kind !== "assign" || s.value.kind !== "binary") return undefined;
    const { left, right } = s.value;
    const own = left.kind === "variable" && left.name === s.name;
    return own ? [{ ...s, value: right }] : undefined;
  }),
];

/** A load, an operation and a store. */
function plain(s: Extract<KernelStatement, { kind: "atomic" }>): readonly KernelStatement[] {
  const { array, index, value, operator } = s;
  const left: KernelExpression = { kind: "load", array, index, type: value.type };
  const after = { kind: "binary", operator, left, right: value, type: value.type } as const;
  return [{ kind: "store", array, index, value: after }];
}

const atomicFaults: readonly CompilerFault[] = [
  kernelFault("atomic updates as plain ones", (kernel) => {
    if (!kernel.arrays.some((a) => a.atomic)) return kernel;
    const arrays = kernel.arrays.map((a) => ({ ...a, atomic: false }));
    const body = mapKernelStatements(kernel.body, (s) => (s.kind === "atomic" ? plain(s) : [s]));
    return { ...kernel, arrays, body };
  }),
  statementFault("atomic updates missing", (s) => (s.kind === "atomic" ? [] : undefined)),
  statementFault("atomic maximum as minimum", (s) => {
    if (s.kind !== "atomic" || (s.operator !== "max" && s.operator !== "min")) return undefined;
    return [{ ...s, operator: s.operator === "max" ? "min" : "max" }];
  }),
  statementFault("atomic updates twice", (s) => (s.kind === "atomic" ? [s, s] : undefined)),
];

/** Mistakes in addresses, footprints, accumulators and atomics. */
export const memoryFaults: readonly CompilerFault[] = [
  ...addressFaults,
  ...accumulatorFaults,
  ...atomicFaults,
];
