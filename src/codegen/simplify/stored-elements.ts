/** Elements that an invocation stored or will store, and which accesses may touch them. */
import { remember } from "../../support/remember.ts";
import type { Kernel, KernelExpression, KernelStatement } from "../kernel.ts";
import {
  expressionKey,
  fragmentMemory,
  innerStatements,
  isFragmentStatement,
  statementsOf,
  visitKernelExpression,
  visitOwnExpressions,
} from "../walk-kernel.ts";
import { type IndexFacts, indexRange } from "./index-range.ts";
import { distance, type LinearIndex, linearIndex } from "./linear-index.ts";

/** Neighbouring elements of an array. */
export interface Elements {
  readonly array: string;
  /** What equal places have in common. */
  readonly key: string;
  /** What the index is computed from. */
  readonly uses: Uses;
  /** The index as a linear function; undefined where it may wrap. */
  readonly linear: LinearIndex | undefined;
  readonly width: number;
}

/** The elements of a load or of a store. */
export function elementsOf(
  array: string,
  index: KernelExpression,
  width: number,
  facts: IndexFacts,
): Elements {
  const key = `${array} ${width} ${expressionKey(index)}`;
  const linear = indexRange(index, facts) === undefined ? undefined : linearIndex(index, facts);
  return { array, key, uses: usesOf(index), linear, width };
}

/** Whether two accesses may have an element in common. */
export function mayOverlap(a: Elements, b: Elements): boolean {
  if (a.array !== b.array) return false;
  if (a.linear === undefined || b.linear === undefined) return true;
  const apart = distance(b.linear, a.linear);
  return apart === undefined || (apart < a.width && -apart < b.width);
}

/** What the value of an expression depends on. */
export interface Uses {
  readonly variables: ReadonlySet<string>;
  readonly hasLoad: boolean;
}

/** The variables in an expression, and whether it loads. */
export const usesOf: (e: KernelExpression) => Uses = remember((e) => {
  const variables = new Set<string>();
  let hasLoad = false;
  visitKernelExpression(e, (node) => {
    if (node.kind === "variable") variables.add(node.name);
    if (node.kind === "load") hasLoad = true;
  });
  return { variables, hasLoad };
});

/** Whether one of the variables has another value after some effects. */
export function changesWith({ variables }: Uses, { names }: Effects): boolean {
  for (const name of variables) if (names.has(name)) return true;
  return false;
}

/**
 * The arrays whose elements no other invocation stores, or loads after a store, until the next barrier:
 * those that are stored, but not atomic, nor bound twice.
 */
export const ownArrays: (kernel: Kernel) => ReadonlySet<string> = remember((kernel) => {
  const { arrays } = kernel;
  const stored = new Set<string>();
  for (const s of statementsOf(kernel)) {
    if (s.kind === "store") stored.add(s.array);
  }
  const isTwice = (buffer: string | undefined): boolean =>
    buffer !== undefined && arrays.filter((a) => a.buffer === buffer).length > 1;
  const own = arrays.filter((a) => stored.has(a.id));
  return new Set(own.filter((a) => !(a.atomic || isTwice(a.buffer))).map((a) => a.id));
});

/** What a statement does to memory and variables, with those inside it. */
export interface Effects {
  readonly stores: ReadonlySet<string>;
  readonly loads: ReadonlySet<string>;
  /** Variables that get a value. */
  readonly names: ReadonlySet<string>;
  readonly hasBarrier: boolean;
}

/** Adds what a statement itself changes. */
function noteChanges(s: KernelStatement, stores: Set<string>, names: Set<string>): void {
  switch (s.kind) {
    case "store":
    case "atomic":
    case "store-fragment":
      stores.add(s.array);
      return;
    case "declare":
    case "assign":
    case "exchange":
      names.add(s.name);
      return;
    case "loop":
      names.add(s.variable);
      return;
    case "if":
    case "barrier":
    case "fragment":
    case "multiply":
  }
}

/** Adds the arrays that a statement itself loads from. A fragment's memory counts, even if it is stored. */
export function noteLoads(s: KernelStatement, loads: Set<string>): void {
  visitOwnExpressions(s, (e) => {
    if (e.kind === "load") loads.add(e.array);
  });
  if (s.kind === "atomic") loads.add(s.array);
  const memory = isFragmentStatement(s) ? fragmentMemory(s) : null;
  if (memory !== null) loads.add(memory.array);
}

/** The effects of a statement. Those of what is inside it are found once, however often it is asked about. */
export const effectsOf: (statement: KernelStatement) => Effects = remember((statement) => {
  const [stores, loads, names] = [new Set<string>(), new Set<string>(), new Set<string>()];
  noteChanges(statement, stores, names);
  noteLoads(statement, loads);
  let hasBarrier = statement.kind === "barrier";
  for (const inner of innerStatements(statement)) {
    const effects = effectsOf(inner);
    for (const array of effects.stores) stores.add(array);
    for (const array of effects.loads) loads.add(array);
    for (const name of effects.names) names.add(name);
    hasBarrier ||= effects.hasBarrier;
  }
  return { stores, loads, names, hasBarrier };
});

/** A condition that holds, or does not, around a statement. */
export interface Guard {
  readonly key: string;
  readonly uses: Uses;
}

/** The guards of the two branches of a condition. */
export function guardsOf(condition: KernelExpression): readonly [Guard, Guard] {
  const [key, uses] = [expressionKey(condition), usesOf(condition)];
  return [
    { key, uses },
    { key: `not ${key}`, uses },
  ];
}

/** Whether the first guards hold wherever the others do. */
export function holds(guards: readonly Guard[], where: readonly Guard[]): boolean {
  return guards.length <= where.length && guards.every((g, n) => g.key === where[n]?.key);
}

/** Elements of which something is known under some conditions. */
export interface Guarded extends Elements {
  readonly guards: readonly Guard[];
}

/** Whether other elements, or other conditions, are meant after some effects. */
export function movesWith({ uses, guards }: Guarded, effects: Effects): boolean {
  return [uses, ...guards.map((g) => g.uses)].some((u) => changesWith(u, effects));
}
