/** Mistakes in values: operators, casts, selects, vectors, step indices. */
import { literalOf } from "../../../src/codegen/build.ts";
import type { BinaryOperator, KernelExpression } from "../../../src/codegen/kernel.ts";
import { type CompilerFault, expressionFault, kernelFault } from "./inject.ts";

/** One operator for another. Index arithmetic is left alone. */
function operatorFault(name: string, from: BinaryOperator, to: BinaryOperator): CompilerFault {
  return expressionFault(name, (e) => {
    const data = e.kind === "binary" && (e.type.scalar !== "uint32" || from.startsWith("floor"));
    return data && e.operator === from ? { ...e, operator: to } : undefined;
  });
}

type Binary = Extract<KernelExpression, { kind: "binary" }>;

/** The quotient rounded toward 0. */
function truncated({ left, right, type }: Binary): KernelExpression {
  const float = { scalar: "float32", width: type.width } as const;
  const operand = (e: KernelExpression): KernelExpression => ({
    kind: "cast",
    operand: e,
    type: float,
  });
  const quotient = {
    kind: "binary",
    operator: "/",
    left: operand(left),
    right: operand(right),
    type: float,
  } as const;
  return { kind: "cast", operand: quotient, type };
}

function signed(e: KernelExpression, operator: BinaryOperator): e is Binary {
  return e.kind === "binary" && e.operator === operator && e.type.scalar === "int32";
}

const operatorFaults: readonly CompilerFault[] = [
  operatorFault("minimum for maximum", "max", "min"),
  operatorFault("maximum for minimum", "min", "max"),
  operatorFault("sum for difference", "-", "+"),
  operatorFault("sum for product", "*", "+"),
  expressionFault("differences the wrong way round", (e) => {
    const data = e.kind === "binary" && e.operator === "-" && e.type.scalar !== "uint32";
    return data ? { ...e, left: e.right, right: e.left } : undefined;
  }),
  expressionFault("quotients rounded toward 0", (e) =>
    signed(e, "floorDiv") ? truncated(e) : undefined,
  ),
  expressionFault("remainders of quotients rounded toward 0", (e) => {
    if (!signed(e, "floorMod")) return undefined;
    const { right, type } = e;
    const whole = { kind: "binary", operator: "*", left: truncated(e), right, type } as const;
    return { kind: "binary", operator: "-", left: e.left, right: whole, type };
  }),
  expressionFault("negations missing", (e) =>
    e.kind === "unary" && e.operator === "negate" ? e.operand : undefined,
  ),
  expressionFault("logical negations missing", (e) =>
    e.kind === "unary" && e.operator === "not" ? e.operand : undefined,
  ),
  operatorFault("disjunctions as conjunctions", "or", "and"),
  operatorFault("equal for unequal", "!=", "=="),
];

const conversionFaults: readonly CompilerFault[] = [
  expressionFault("floats to integers rounded up", (e) => {
    if (e.kind !== "cast" || e.operand.type.scalar !== "float32") return undefined;
    if (e.type.scalar !== "int32") return undefined;
    const { operand } = e;
    const up = {
      kind: "call",
      function: "ceil",
      arguments: [operand],
      type: operand.type,
    } as const;
    return { ...e, operand: up };
  }),
  expressionFault("saturation of floats to integers missing", (e) => {
    if (e.kind !== "cast" || e.operand.type.scalar !== "float32") return undefined;
    if (e.type.scalar === "bool" || e.type.scalar === "float32") return undefined;
    const { operand } = e;
    const modulus = literalOf(65536, operand.type);
    const type = operand.type;
    return {
      ...e,
      operand: { kind: "binary", operator: "floorMod", left: operand, right: modulus, type },
    };
  }),
  expressionFault("conversions to bool by sign", (e) => {
    if (e.kind !== "cast" || e.type.scalar !== "bool") return undefined;
    if (e.operand.type.scalar !== "int32") return undefined;
    const zero = literalOf(0, e.operand.type);
    return { kind: "binary", operator: ">", left: e.operand, right: zero, type: e.type };
  }),
  expressionFault("floors missing", (e) => {
    const [argument] = e.kind === "call" && e.function === "floor" ? e.arguments : [];
    return argument;
  }),
  expressionFault("clamps without an upper end", (e) => {
    const [value, low] = e.kind === "call" && e.function === "clamp" ? e.arguments : [];
    if (value === undefined || low === undefined) return undefined;
    return { kind: "binary", operator: "max", left: value, right: low, type: e.type };
  }),
];

const choiceFaults: readonly CompilerFault[] = [
  expressionFault("sides of selects swapped", (e) => {
    return e.kind === "select" ? { ...e, whenTrue: e.whenFalse, whenFalse: e.whenTrue } : undefined;
  }),
  expressionFault("selects that always take", (e) =>
    e.kind === "select" ? e.whenTrue : undefined,
  ),
  expressionFault("of equal floats the second one chosen", (e) => {
    if (e.kind !== "binary" || e.left.type.scalar !== "float32") return undefined;
    if (e.operator === "<") return { ...e, operator: "<=" };
    return e.operator === ">" ? { ...e, operator: ">=" } : undefined;
  }),
  expressionFault("ties to the greatest index", (e) => {
    if (e.kind !== "binary" || e.operator !== "and" || e.right.kind !== "binary") return undefined;
    const { right } = e;
    const isTie = right.operator === "<" && right.left.type.scalar === "int32";
    return isTie ? { ...e, right: { ...right, operator: ">" } } : undefined;
  }),
  expressionFault("fills one too high", (e) => {
    if (e.kind !== "select" || e.whenFalse.kind !== "literal") return undefined;
    if (e.type.scalar === "bool") return undefined;
    return { ...e, whenFalse: { ...e.whenFalse, value: e.whenFalse.value + 1 } };
  }),
];

const vectorFaults: readonly CompilerFault[] = [
  expressionFault("first component for all", (e) => {
    return e.kind === "component" && e.index > 0 ? { ...e, index: 0 } : undefined;
  }),
  expressionFault("components backwards", (e) => {
    if (e.kind !== "vector" || e.components.length < 2) return undefined;
    return { ...e, components: e.components.toReversed() };
  }),
  expressionFault("one component in a whole vector", (e) => {
    const [first] = e.kind === "vector" && e.components.length > 1 ? e.components : [];
    return e.kind === "vector" && first !== undefined ? { ...e, components: [first] } : undefined;
  }),
];

const placeInGridFaults: readonly CompilerFault[] = [
  expressionFault("step indices one too high", (e) => {
    if (e.kind !== "step") return undefined;
    const one = literalOf(1, e.type);
    return { kind: "binary", operator: "+", left: e, right: one, type: e.type };
  }),
  expressionFault("step indices that stay 0", (e) =>
    e.kind === "step" ? literalOf(0, e.type) : undefined,
  ),
  kernelFault("step indices exchanged", (kernel) => {
    if (kernel.steps.length < 2) return kernel;
    return { ...kernel, steps: kernel.steps.toReversed() };
  }),
  expressionFault("workgroup indices that stay 0", (e) =>
    e.kind === "builtin" && e.builtin !== "local-index" ? literalOf(0, e.type) : undefined,
  ),
  expressionFault("workgroup indices exchanged", (e) => {
    if (e.kind !== "builtin" || e.builtin === "local-index") return undefined;
    if (e.builtin === "workgroup-z") return undefined;
    return { ...e, builtin: e.builtin === "workgroup-x" ? "workgroup-y" : "workgroup-x" };
  }),
  expressionFault("local indices that stay 0", (e) =>
    e.kind === "builtin" && e.builtin === "local-index" ? literalOf(0, e.type) : undefined,
  ),
  kernelFault("last workgroups missing", (kernel) => {
    const [x, y, z] = kernel.grid;
    return x > 1 ? { ...kernel, grid: [x - 1, y, z] } : kernel;
  }),
  kernelFault("one workgroup too many", (kernel) => {
    const [x, y, z] = kernel.grid;
    return { ...kernel, grid: [x + 1, y, z] };
  }),
  kernelFault("half of each workgroup missing", (kernel) => {
    const workgroupSize = Math.ceil(kernel.workgroupSize / 2);
    return workgroupSize === kernel.workgroupSize ? kernel : { ...kernel, workgroupSize };
  }),
];

/** Mistakes in values: operators, casts, selects, vectors, step indices. */
export const valueFaults: readonly CompilerFault[] = [
  ...operatorFaults,
  ...conversionFaults,
  ...choiceFaults,
  ...vectorFaults,
  ...placeInGridFaults,
];
