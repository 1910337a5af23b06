/**
 * Seeded compiler faults: each is a mistake that a compiler could make, made everywhere in what it
 * gives out. The random programs must notice every one of them.
 */
import type { Kernel, KernelExpression, KernelStatement } from "../../../src/codegen/kernel.ts";
import type { Plan } from "../../../src/codegen/plan.ts";
import {
  mapKernelExpression,
  mapKernelStatements,
  mapOwnExpressions,
} from "../../../src/codegen/rewrite-kernel.ts";
import type { Program } from "../../../src/ir/program.ts";
import type { Variant } from "../variants.ts";

/** What a fault is injected into: a program and one of its mappings. */
export interface FaultSubject {
  readonly program: Program;
  readonly variant: Variant;
}

export interface CompilerFault {
  readonly name: string;
  /** The plan of a compiler with that fault; null where it makes no difference. */
  readonly inject: (subject: FaultSubject) => Plan | null;
}

/** A plan with other kernels; null when `change` gives every one back as it is. */
export function changeKernels(plan: Plan, change: (kernel: Kernel) => Kernel): Plan | null {
  const kernels = plan.kernels.map((k) => {
    const kernel = change(k.kernel);
    return kernel === k.kernel ? k : { ...k, kernel };
  });
  return kernels.every((k, n) => k === plan.kernels[n]) ? null : { ...plan, kernels };
}

/** A fault of the kernels of a plan; `change` gives the very kernel back where it has nothing to do. */
export function kernelFault(name: string, change: (kernel: Kernel) => Kernel): CompilerFault {
  return { name, inject: ({ variant }) => changeKernels(variant.plan, change) };
}

/** A fault of single statements: what stands in their place, or undefined to keep one. */
export function statementFault(
  name: string,
  change: (s: KernelStatement) => readonly KernelStatement[] | undefined,
): CompilerFault {
  return kernelFault(name, (kernel) => {
    let changed = false;
    const body = mapKernelStatements(kernel.body, (s) => {
      const instead = change(s);
      changed ||= instead !== undefined;
      return instead ?? [s];
    });
    return changed ? { ...kernel, body } : kernel;
  });
}

/** Rewrites the expressions of a statement. */
export function changeExpressions(
  s: KernelStatement,
  change: (e: KernelExpression) => KernelExpression | undefined,
): KernelStatement | undefined {
  let changed = false;
  const after = mapOwnExpressions(s, (own) =>
    mapKernelExpression(own, (e) => {
      const instead = change(e);
      changed ||= instead !== undefined;
      return instead;
    }),
  );
  return changed ? after : undefined;
}

/** A fault of single expressions: what stands in their place, or undefined to keep one. */
export function expressionFault(
  name: string,
  change: (e: KernelExpression) => KernelExpression | undefined,
): CompilerFault {
  return statementFault(name, (s) => {
    const after = changeExpressions(s, change);
    return after === undefined ? undefined : [after];
  });
}

/** A fault of expressions that may look at the kernel around them. */
export function kernelExpressionFault(
  name: string,
  change: (kernel: Kernel) => (e: KernelExpression) => KernelExpression | undefined,
): CompilerFault {
  return kernelFault(name, (kernel) => {
    const here = change(kernel);
    let changed = false;
    const body = mapKernelStatements(kernel.body, (s) => {
      const after = changeExpressions(s, here);
      changed ||= after !== undefined;
      return [after ?? s];
    });
    return changed ? { ...kernel, body } : kernel;
  });
}
