/**
 * Loops that prefetch: a software pipeline of two stages.
 *
 * ```
 * copy(0)
 * barrier
 * loop t in 0..n-1
 *   registers = loads of copy(t + 1)
 *   rest(t)
 *   barrier                          where the copies take the place of those before
 *   stores of copy(t + 1)
 *   barrier
 * rest(n-1)
 * ```
 * Requires: what `prefetchedCopies` finds, and the barriers that the loop needs without prefetching.
 * Ensures: the barriers that it needs with it. Wherever invocations had to wait for each other between
 * copies and the rest, they do so after each stage. Nothing is copied that no iteration uses.
 */
import { type Affine, addConstant, constant, variable } from "../../ir/affine.ts";
import type { BarrierSite } from "../../ir/legality/synchronise.ts";
import type { PrefetchedCopies } from "../../ir/prefetched-copies.ts";
import type { Loop } from "../../ir/schedule.ts";
import { indexType, literalOf, variableOf } from "../build.ts";
import type { KernelStatement, KernelType } from "../kernel.ts";
import { originOf, type WithOrigin } from "../origin.ts";
import { eachKernelStatement, someKernelExpression, visitOwnExpressions } from "../walk-kernel.ts";
import type { Block, NameSource } from "./block.ts";
import type { IndexVariable } from "./variables.ts";

type Body = readonly KernelStatement[];
type Memory = BarrierSite["memory"];

/** Copies as two stages: the loads, which name what they load, and the stores of it. */
interface Stages {
  readonly loads: Body;
  readonly stores: Body;
}

/** The names that statements, with those inside them, use. */
function usedIn(body: Body): ReadonlySet<string> {
  const names = new Set<string>();
  for (const s of eachKernelStatement(body)) {
    visitOwnExpressions(s, (e) => {
      if (e.kind === "variable") names.add(e.name);
    });
  }
  return names;
}

/** A condition around copies, as two: what its stores use is declared before the first. */
function splitBranch(s: Extract<KernelStatement, { kind: "if" }>, names: NameSource): Stages {
  const [then, otherwise] = [splitCopies(s.then, names), splitCopies(s.else, names)];
  const stores = [...then.stores, ...otherwise.stores];
  if (stores.length === 0) return { loads: [s], stores };
  const used = usedIn(stores);
  const outlives: { readonly name: string; readonly type: KernelType }[] = [];
  const assigned = (body: Body): Body =>
    body.map((inner) => {
      if (inner.kind !== "declare" || !used.has(inner.name)) return inner;
      outlives.push(inner);
      return { kind: "assign", name: inner.name, value: inner.value, ...originOf(inner) };
    });
  const loads: KernelStatement = {
    ...s,
    then: assigned(then.loads),
    else: assigned(otherwise.loads),
  };
  const declared = outlives.map(
    ({ name, type }): KernelStatement => ({
      kind: "declare",
      name,
      type,
      value: literalOf(0, type),
      mutable: true,
    }),
  );
  return {
    loads: [...declared, loads],
    stores: [{ ...s, then: then.stores, else: otherwise.stores }],
  };
}

/**
 * Takes the stores of copies apart from what they store. Requires: straight text with conditions, whose
 * stores nobody loads. Ensures: the loads and then the stores do what the copies do.
 */
export function splitCopies(body: Body, names: NameSource): Stages {
  const loads: KernelStatement[] = [];
  const stores: KernelStatement[] = [];
  for (const s of body) {
    if (s.kind === "store") {
      const loaded = someKernelExpression(s.value, (e) => e.kind === "load");
      if (!loaded) {
        stores.push(s);
        continue;
      }
      const name = names.fresh(`${s.array}_next`);
      const { type } = s.value;
      loads.push({ kind: "declare", name, type, value: s.value, mutable: false, ...originOf(s) });
      stores.push({ ...s, value: variableOf(name, type) });
    } else if (s.kind === "if") {
      const parts = splitBranch(s, names);
      loads.push(...parts.loads);
      stores.push(...parts.stores);
    } else loads.push(s);
  }
  return { loads, stores };
}

/** A prefetching loop with what is known where it stands. */
export interface PrefetchingLoop {
  readonly loop: Loop;
  readonly parts: PrefetchedCopies;
  /** Of the whole kernel, without prefetching. */
  readonly barriers: readonly BarrierSite[];
  readonly block: Block;
  /** Grows by the loop's variable. */
  readonly variables: Map<string, IndexVariable>;
  readonly from: WithOrigin;
  /** Lowers the copies of an iteration, or else the rest; `waits`: with the barriers before its parts. */
  copy(index: Affine, block: Block, waits: boolean): void;
  compute(index: Affine, block: Block): void;
}

function memoryOfAll(sites: readonly BarrierSite[]): Memory | null {
  const [first = null, ...others] = new Set(sites.map((site) => site.memory));
  return others.length === 0 ? first : "both";
}

function emitAll(block: Block, body: Body): void {
  for (const s of body) block.emit(s);
}

function wait(block: Block, memory: Memory | null): void {
  if (memory !== null) block.emit({ kind: "barrier", memory });
}

/** Emits into a block of its own, in which nothing is shared with what stands around. */
function apart(block: Block, fill: (inner: Block) => void): void {
  const inner = block.inner("branch");
  fill(inner);
  emitAll(block, inner.statements);
}

/** Lowers a loop of at least two iterations. */
export function lowerPrefetching(source: PrefetchingLoop): void {
  const { loop, parts, barriers, block, variables, from, copy, compute } = source;
  const { sequence, copies, replaces } = parts;
  const inside = barriers.filter((b) => b.kind === "before-child" && b.sequence === sequence);
  const first = inside.find((b) => b.kind === "before-child" && b.child === copies);
  const last = barriers.find((b) => b.kind === "loop-end" && b.loop === loop.id);
  const any = memoryOfAll([...inside, ...(last === undefined ? [] : [last])]);
  const iteration = (index: Affine, each: Block): void => {
    const next = each.inner("branch");
    copy(addConstant(index, 1), next, false);
    const { loads, stores } = splitCopies(next.statements, each.names);
    emitAll(each, loads);
    apart(each, (inner) => compute(index, inner));
    if (replaces) wait(each, any);
    emitAll(each, stores);
    wait(each, any);
  };
  apart(block, (inner) => copy(constant(0), inner, true));
  wait(block, first?.memory ?? null);
  const trips = loop.extent - 1;
  if (trips === 1) apart(block, (each) => iteration(constant(0), each));
  else {
    const each = block.inner("loop");
    const name = each.names.fresh(loop.id);
    const expression = variableOf(name, indexType);
    variables.set(name, { range: { lo: 0, hi: trips - 1 }, expression });
    iteration(variable(name), each);
    block.emit({ kind: "loop", variable: name, extent: trips, body: each.statements, ...from });
  }
  apart(block, (inner) => compute(constant(trips), inner));
  wait(block, last?.memory ?? null);
}
