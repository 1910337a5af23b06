/** Elements that an invocation stored or will store, and which accesses may touch them. */
import { flatMap } from "../../support/flat-map.ts";
import type { Kernel, KernelExpression, KernelStatement } from "../kernel.ts";
import {
  eachKernelExpression,
  eachKernelStatement,
  expressionKey,
  fragmentMemory,
  isFragmentStatement,
  statementExpressions,
  visitKernelExpression,
} from "../walk-kernel.ts";
import { type IndexFacts, indexRange } from "./index-range.ts";
import { addLinear, type LinearIndex, linearIndex } from "./linear-index.ts";

export type Load = Extract<KernelExpression, { kind: "load" }>;
type Statement = KernelStatement;

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
  const { terms, constant } = addLinear(b.linear, a.linear, -1);
  return terms.size > 0 || (constant < a.width && -constant < b.width);
}

/** What the value of an expression depends on. */
export interface Uses {
  readonly variables: ReadonlySet<string>;
  readonly hasLoad: boolean;
}

/** The variables in an expression, and whether it loads. */
export function usesOf(e: KernelExpression): Uses {
  const variables = new Set<string>();
  let hasLoad = false;
  visitKernelExpression(e, (node) => {
    if (node.kind === "variable") variables.add(node.name);
    if (node.kind === "load") hasLoad = true;
  });
  return { variables, hasLoad };
}

/** Whether one of the variables has another value after some effects. */
export function changesWith({ variables }: Uses, { names }: Effects): boolean {
  for (const name of variables) if (names.has(name)) return true;
  return false;
}

/** The loads in the expressions of a statement, without those of statements inside it. */
export function ownLoads(s: Statement): readonly Load[] {
  return flatMap(statementExpressions(s), (e) =>
    eachKernelExpression(e).filter((node): node is Load => node.kind === "load"),
  );
}

/**
 * The arrays whose elements no other invocation stores, or loads after a store, until the next barrier:
 * those that are stored, but not atomic, nor bound twice.
 */
export function ownArrays({ arrays, body }: Kernel): ReadonlySet<string> {
  const stored = new Set<string>();
  for (const s of eachKernelStatement(body)) {
    if (s.kind === "store") stored.add(s.array);
  }
  const isTwice = (buffer: string | undefined): boolean =>
    buffer !== undefined && arrays.filter((a) => a.buffer === buffer).length > 1;
  const own = arrays.filter((a) => stored.has(a.id));
  return new Set(own.filter((a) => !(a.atomic || isTwice(a.buffer))).map((a) => a.id));
}

/** What a statement does to memory and variables, with those inside it. */
export interface Effects {
  readonly stores: ReadonlySet<string>;
  readonly loads: ReadonlySet<string>;
  /** Variables that get a value. */
  readonly names: ReadonlySet<string>;
  readonly hasBarrier: boolean;
}

/** The array that a statement stores to. */
function storedArray(s: Statement): readonly string[] {
  return s.kind === "store" || s.kind === "atomic" || s.kind === "store-fragment" ? [s.array] : [];
}

/** The arrays that a statement itself loads from. A fragment's memory counts, even if it is stored. */
function loadedArrays(s: Statement): readonly string[] {
  const memory = isFragmentStatement(s) ? fragmentMemory(s) : null;
  const others = memory !== null ? [memory.array] : s.kind === "atomic" ? [s.array] : [];
  return [...ownLoads(s).map((l) => l.array), ...others];
}

/** The variables that a statement itself gives a value. */
function namesOf(s: Statement): readonly string[] {
  if (s.kind === "loop") return [s.variable];
  return s.kind === "declare" || s.kind === "assign" || s.kind === "exchange" ? [s.name] : [];
}

/** The effects of a statement. */
export function effectsOf(statement: Statement): Effects {
  const all = eachKernelStatement([statement]);
  return {
    stores: new Set(flatMap(all, storedArray)),
    loads: new Set(flatMap(all, loadedArrays)),
    names: new Set(flatMap(all, namesOf)),
    hasBarrier: all.some((s) => s.kind === "barrier"),
  };
}

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
