/** Mistakes in barriers, guards and loops. */
import { indexLiteral, indexType, literalOf, variableOf } from "../../../src/codegen/build.ts";
import type { Kernel, KernelExpression, KernelStatement } from "../../../src/codegen/kernel.ts";
import {
  mapKernelExpression,
  mapKernelStatements,
  mapOwnExpressions,
} from "../../../src/codegen/rewrite-kernel.ts";
import { eachKernelExpression, eachKernelStatement } from "../../../src/codegen/walk-kernel.ts";
import { type CompilerFault, changeExpressions, kernelFault, statementFault } from "./inject.ts";

const boolType = { scalar: "bool", width: 1 } as const;

function countBarriers(kernel: Kernel): number {
  return [...eachKernelStatement(kernel.body)].filter((s) => s.kind === "barrier").length;
}

/** Without the barriers of which `drops` says so, by their number in the order of the text. */
function dropBarriers(
  name: string,
  drops: (n: number, count: number, memory: string) => boolean,
): CompilerFault {
  return kernelFault(name, (kernel) => {
    const count = countBarriers(kernel);
    let n = 0;
    let dropped = false;
    const body = mapKernelStatements(kernel.body, (s) => {
      if (s.kind !== "barrier" || !drops(n++, count, s.memory)) return [s];
      dropped = true;
      return [];
    });
    return dropped ? { ...kernel, body } : kernel;
  });
}

/** The statements of a body without barriers, those inside of loops left. */
function withoutBarriers(body: readonly KernelStatement[]): readonly KernelStatement[] {
  return body.filter((s) => s.kind !== "barrier");
}

const barrierFaults: readonly CompilerFault[] = [
  dropBarriers("no barriers", () => true),
  dropBarriers("first barrier missing", (n) => n === 0),
  dropBarriers("last barrier missing", (n, count) => n === count - 1),
  dropBarriers("barriers of workgroup memory missing", (_n, _count, m) => m === "workgroup"),
  dropBarriers("barriers of storage missing", (_n, _count, m) => m !== "workgroup"),
  statementFault("barriers in loops missing", (s) => {
    if (s.kind !== "loop") return undefined;
    const body = withoutBarriers(s.body);
    return body.length === s.body.length ? undefined : [{ ...s, body }];
  }),
  statementFault("barriers at the end of loops missing", (s) => {
    if (s.kind !== "loop" || s.body.at(-1)?.kind !== "barrier") return undefined;
    return [{ ...s, body: s.body.slice(0, -1) }];
  }),
  kernelFault("barriers outside of loops missing", (kernel) => {
    const body = withoutBarriers(kernel.body);
    return body.length === kernel.body.length ? kernel : { ...kernel, body };
  }),
  statementFault("barriers for the other memory", (s) => {
    if (s.kind !== "barrier" || s.memory === "both") return undefined;
    return [{ ...s, memory: s.memory === "storage" ? "workgroup" : "storage" }];
  }),
];

type If = Extract<KernelStatement, { kind: "if" }>;

function guardFault(
  name: string,
  change: (s: If) => readonly KernelStatement[] | undefined,
): CompilerFault {
  return statementFault(name, (s) => (s.kind === "if" ? change(s) : undefined));
}

/** Another comparison in the guards. */
function comparisonFault(from: string, to: "<" | "<=" | ">" | ">="): CompilerFault {
  return guardFault(`guards with ${from} as ${to}`, (s) => {
    const after = changeExpressions(s, (e) => {
      return e.kind === "binary" && e.operator === from ? { ...e, operator: to } : undefined;
    });
    return after === undefined ? undefined : [after];
  });
}

/** The limits in the guards moved. */
function limitFault(name: string, by: number): CompilerFault {
  return guardFault(name, (s) => {
    const after = changeExpressions(s, (e) => {
      if (e.kind !== "binary" || !["<", "<=", ">", ">="].includes(e.operator)) return undefined;
      if (e.right.kind !== "literal") return undefined;
      return { ...e, right: { ...e.right, value: Math.max(0, e.right.value + by) } };
    });
    return after === undefined ? undefined : [after];
  });
}

function mentions(e: KernelExpression, test: (node: KernelExpression) => boolean): boolean {
  return [...eachKernelExpression(e)].some(test);
}

const guardFaults: readonly CompilerFault[] = [
  guardFault("guards missing", (s) => s.then),
  guardFault("guards negated", (s) => {
    const { condition } = s;
    return [
      { ...s, condition: { kind: "unary", operator: "not", operand: condition, type: boolType } },
    ];
  }),
  guardFault("guards never let through", (s) => [{ ...s, condition: literalOf(0, boolType) }]),
  comparisonFault("<", "<="),
  comparisonFault(">=", ">"),
  limitFault("guards one too far", 1),
  limitFault("guards one too near", -1),
  guardFault("only one condition of guards", (s) => {
    const { condition } = s;
    if (condition.kind !== "binary" || condition.operator !== "and") return undefined;
    return [{ ...s, condition: condition.left }];
  }),
  guardFault("conditions of guards joined by or", (s) => {
    const after = changeExpressions(s, (e) => {
      return e.kind === "binary" && e.operator === "and" ? { ...e, operator: "or" } : undefined;
    });
    return after === undefined ? undefined : [after];
  }),
  guardFault("guards of teams missing", (s) => {
    const local = mentions(s.condition, (e) => e.kind === "builtin" && e.builtin === "local-index");
    return local ? s.then : undefined;
  }),
];

type Loop = Extract<KernelStatement, { kind: "loop" }>;

function loopFault(
  name: string,
  change: (s: Loop) => readonly KernelStatement[] | undefined,
): CompilerFault {
  return statementFault(name, (s) => (s.kind === "loop" ? change(s) : undefined));
}

/** The loop with its variable replaced in the body. */
function withVariable(s: Loop, value: KernelExpression): Loop {
  const body = mapKernelStatements(s.body, (inner) => [
    mapOwnExpressions(inner, (own) =>
      mapKernelExpression(own, (e) => {
        return e.kind === "variable" && e.name === s.variable ? value : undefined;
      }),
    ),
  ]);
  return { ...s, body };
}

function shifted(s: Loop, by: number): KernelExpression {
  const left = variableOf(s.variable, indexType);
  const operator = by < 0 ? "-" : "+";
  return { kind: "binary", operator, left, right: indexLiteral(Math.abs(by)), type: indexType };
}

const loopFaults: readonly CompilerFault[] = [
  loopFault("last iteration missing", (s) => [{ ...s, extent: s.extent - 1 }]),
  loopFault("one iteration too many", (s) => [{ ...s, extent: s.extent + 1 }]),
  loopFault("only the first iteration", (s) => {
    return s.extent > 1 ? [{ ...s, extent: 1 }] : undefined;
  }),
  loopFault("loops from 1", (s) => [withVariable(s, shifted(s, 1))]),
  loopFault("loops from -1", (s) => [withVariable(s, shifted(s, -1))]),
  loopFault("loop variables that stay 0", (s) => [withVariable(s, indexLiteral(0))]),
  loopFault("loops backwards", (s) => {
    const last = indexLiteral(s.extent - 1);
    const right = variableOf(s.variable, indexType);
    return [withVariable(s, { kind: "binary", operator: "-", left: last, right, type: indexType })];
  }),
  loopFault("extents of nested loops swapped", (s) => {
    const [inner] = s.body;
    if (inner?.kind !== "loop" || inner.extent === s.extent) return undefined;
    return [
      { ...s, extent: inner.extent, body: [{ ...inner, extent: s.extent }, ...s.body.slice(1)] },
    ];
  }),
];

/** Mistakes in barriers, guards and loops. */
export const controlFaults: readonly CompilerFault[] = [
  ...barrierFaults,
  ...guardFaults,
  ...loopFaults,
];
