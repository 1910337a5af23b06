/**
 * Wrong kernels, made from right ones: each mutation changes one place of kernel IR, or of the steps of a plan, so that
 * what is left still runs to its end. Places are numbered, and chosen by whoever asks: not by hand.
 */
import type {
  KernelExpression,
  KernelStatement,
  KernelType,
} from "../../../../src/codegen/kernel.ts";
import type { Plan, PlanKernel, Step } from "../../../../src/codegen/plan.ts";
import { printWgsl } from "../../../../src/codegen/print-wgsl/print-wgsl.ts";

type Node = KernelStatement | KernelExpression;

/** What stands for a node: several statements or none in the place of one. */
type Replacement = Node | readonly KernelStatement[] | null;

/** A kind of mistake: what it makes of a node; null for nodes that are no place for it. */
interface Mistake {
  readonly name: string;
  readonly at: (node: Node) => Replacement;
}

const index: KernelType = { scalar: "uint32", width: 1 };

function plus(e: KernelExpression, value: number): KernelExpression {
  const right: KernelExpression = { kind: "literal", value, type: index };
  return { kind: "binary", operator: "+", left: e, right, type: index };
}

function isIndex({ type }: KernelExpression): boolean {
  return type.scalar === "uint32" && type.width === 1;
}

/** An index calculation with a literal on its right, and what it is with another one. */
function otherLiteral(node: Node, operator: "*" | "+"): Replacement {
  if (node.kind !== "binary" || node.operator !== operator || !isIndex(node)) return null;
  const { right } = node;
  if (right.kind !== "literal" || right.value < 1) return null;
  return { ...node, right: { ...right, value: right.value + 1 } };
}

const mistakes: readonly Mistake[] = [
  { name: "a barrier left out", at: (n) => (n.kind === "barrier" ? [] : null) },
  {
    name: "the last step of a loop left out",
    at: (n) => (n.kind === "loop" && n.extent > 1 ? { ...n, extent: n.extent - 1 } : null),
  },
  {
    name: "a loop that ends where it has to be told",
    at: (n) => {
      if (n.kind !== "loop" || n.end === undefined) return null;
      const { end: _, ...endless } = n;
      return endless;
    },
  },
  {
    name: "an edge unguarded",
    at: (n) => (n.kind === "if" && n.else.length === 0 ? n.then : null),
  },
  {
    name: "a bound off by one",
    at: (n) =>
      n.kind === "binary" && n.operator === "<" && isIndex(n.left)
        ? { ...n, operator: "<=" }
        : null,
  },
  { name: "a wrong stride", at: (n) => otherLiteral(n, "*") },
  { name: "a wrong offset", at: (n) => otherLiteral(n, "+") },
  {
    name: "a load of the neighbour",
    at: (n) => (n.kind === "load" ? { ...n, index: plus(n.index, n.type.width) } : null),
  },
  {
    name: "a store to the neighbour",
    at: (n) => (n.kind === "store" ? { ...n, index: plus(n.index, n.value.type.width) } : null),
  },
  { name: "a store left out", at: (n) => (n.kind === "store" ? [] : null) },
  { name: "an atomic left out", at: (n) => (n.kind === "atomic" ? [] : null) },
  {
    name: "a sum that begins anew",
    at: (n) => {
      if (n.kind !== "assign" || n.value.kind !== "binary") return null;
      const { left, right } = n.value;
      return left.kind === "variable" && left.name === n.name ? { ...n, value: right } : null;
    },
  },
  {
    name: "a selection the other way round",
    at: (n) =>
      n.kind === "select" ? { ...n, whenTrue: n.whenFalse, whenFalse: n.whenTrue } : null,
  },
  {
    name: "lanes that do not exchange",
    at: (n) =>
      n.kind === "exchange"
        ? [{ kind: "declare", name: n.name, type: n.type, value: n.value, mutable: false }]
        : null,
  },
];

/** How far the walk is from the place that it looks for. */
interface Search {
  readonly mistake: Mistake;
  left: number;
}

/** A tree with the mistake at its place; `search.left` is below 0 if there was one. */
function walk(tree: unknown, search: Search): unknown {
  if (Array.isArray(tree)) {
    return tree.flatMap((part: unknown) => {
      const made = walk(part, search);
      return Array.isArray(made) && !Array.isArray(part) ? made : [made];
    });
  }
  if (typeof tree !== "object" || tree === null || search.left < 0) return tree;
  if ("kind" in tree) {
    const made = search.mistake.at(tree as Node);
    if (made !== null && search.left-- === 0) return made;
  }
  return Object.fromEntries(
    Object.entries(tree).map(([key, part]) => [key, key === "origin" ? part : walk(part, search)]),
  );
}

/** A mistake at one of its places: the `place`-th of the plan's `kernel`-th kernel. */
export interface Mutation {
  readonly mistake: string;
  readonly kernel: number;
  readonly place: number;
}

/** Mistakes in the steps of plans. */
const stepMistakes: Readonly<
  Record<string, (steps: readonly Step[], n: number) => readonly Step[] | null>
> = {
  "a dispatch left out": (steps, n) =>
    steps.length > 1 && n < steps.length ? steps.toSpliced(n, 1) : null,
  "workgroups left out": () => null,
};

/** Names of all mistakes. */
export const mistakeNames: readonly string[] = [
  ...mistakes.map(({ name }) => name),
  ...Object.keys(stepMistakes),
];

function printed(plan: Plan, old: PlanKernel, kernel: PlanKernel["kernel"]): PlanKernel {
  return { ...old, kernel, ...printWgsl(kernel, plan.stepIndices) };
}

function withFewerWorkgroups(plan: Plan, { kernel, place }: Mutation): Plan | null {
  const old = plan.kernels[kernel];
  const groups = old?.kernel.grid[place];
  if (old === undefined || groups === undefined || groups < 2) return null;
  const grid = old.kernel.grid.with(place, groups - 1) as [number, number, number];
  return {
    ...plan,
    kernels: plan.kernels.with(kernel, printed(plan, old, { ...old.kernel, grid })),
  };
}

/** The plan with a mistake; null if it has no such place. */
export function mutatePlan(plan: Plan, mutation: Mutation): Plan | null {
  if (mutation.mistake === "workgroups left out") return withFewerWorkgroups(plan, mutation);
  const inSteps = stepMistakes[mutation.mistake];
  if (inSteps !== undefined) {
    const steps = mutation.kernel === 0 ? inSteps(plan.steps, mutation.place) : null;
    return steps === null ? null : { ...plan, steps };
  }
  const mistake = mistakes.find(({ name }) => name === mutation.mistake);
  const old = plan.kernels[mutation.kernel];
  if (mistake === undefined || old === undefined) return null;
  const search: Search = { mistake, left: mutation.place };
  const body = walk(old.kernel.body, search) as readonly KernelStatement[];
  if (search.left >= 0) return null;
  return {
    ...plan,
    kernels: plan.kernels.with(mutation.kernel, printed(plan, old, { ...old.kernel, body })),
  };
}

/** All mutations of a plan. */
export function mutationsOf(plan: Plan): readonly Mutation[] {
  const found: Mutation[] = [];
  for (const mistake of mistakeNames) {
    for (let kernel = 0; kernel < plan.kernels.length; kernel++) {
      for (let place = 0; mutatePlan(plan, { mistake, kernel, place }) !== null; place++) {
        found.push({ mistake, kernel, place });
      }
    }
  }
  return found;
}
