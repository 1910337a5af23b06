/**
 * Purpose: names before a loop what the loop would compute anew in every iteration, and once what a
 * block computes several times: index arithmetic, loads of memory that nobody writes meanwhile, other
 * arithmetic.
 *
 * Requires: names of variables are unique in the kernel; arrays have the widths of their
 * declarations. Ensures: the kernel computes the same. No load moves out of a condition: what is
 * loaded before a loop is loaded in its first iteration too, so it is in bounds; before a loop that
 * may have none, only what is in bounds anyway, of memory that nobody writes. Memory that the kernel
 * writes elsewhere is read before a loop only if the loop neither writes it nor waits for other
 * invocations: a write of another invocation meanwhile would be a race.
 */
import { flatMap } from "../../support/flat-map.ts";
import { variableOf } from "../build.ts";
import type { Kernel, KernelExpression, KernelStatement } from "../kernel.ts";
import { type NameSource, nameSource } from "../lower/block.ts";
import { mapOperands, mapOwnExpressions, withOriginsOf } from "../rewrite-kernel.ts";
import {
  eachKernelStatement,
  expressionKey,
  type KernelLoad,
  someKernelExpression,
  statementsOf,
  visitKernelExpression,
} from "../walk-kernel.ts";
import { factsOf, type IndexFacts, indexRange } from "./index-range.ts";
import { type IndexSum, inVectors, isIndexSum, sumOf, termsOf, withBase } from "./index-sum.ts";
import { inlineSingleUses } from "./inline-single-uses.ts";
import { changedIn, namesIn } from "./kernel-names.ts";

type Body = readonly KernelStatement[];
type Loop = Extract<KernelStatement, { kind: "loop" }>;

/** Values beside indices that are named before one loop: more would not stay in registers. */
const mostValues = 16;

/** The kernel as a whole. */
interface Context {
  readonly names: NameSource;
  /** By array: the width of its vectors. */
  readonly widths: ReadonlyMap<string, number>;
  readonly arrays: ReadonlySet<string>;
  /** Arrays that the kernel only reads. */
  readonly settled: ReadonlySet<string>;
  /** By array: elements that are there for sure. */
  readonly lengths: ReadonlyMap<string, number>;
  /** Of all variables. */
  readonly facts: IndexFacts;
  /** Variables that can be assigned. */
  readonly mutable: ReadonlySet<string>;
  /** Names that were given here to what may be computed elsewhere as well. */
  readonly given: Set<string>;
}

/** A list of statements that is being made. */
interface Region {
  readonly context: Context;
  readonly statements: KernelStatement[];
  readonly known: Map<string, Known>;
  readonly outer: Region | null;
}

/** A value that has a name. */
interface Known {
  readonly named: KernelExpression;
  /** The number of its declaration in the list. */
  readonly place: number;
  /** Arrays that the value was loaded from and that the kernel writes. */
  readonly loads: ReadonlySet<string>;
}

/** Where names are put, and what may move there. */
interface Target {
  readonly region: Region;
  /** What the place does not see, or sees with another value. */
  readonly variant: Set<string>;
  /** Arrays whose memory is there the same as where the loads stand. */
  readonly settled: ReadonlySet<string>;
  /** False under a condition: what is loaded or dear stays there. */
  readonly always: boolean;
  /** False in a loop that may have no iteration. */
  readonly runs: boolean;
  /** Names of the values beside indices that have moved; grows. */
  readonly moved: Set<string>;
}

function openRegion(context: Context, outer: Region | null): Region {
  return { context, statements: [], known: new Map(), outer };
}

/** The name of a value that a list, or one around it, has; it serves what the value is for here, too. */
function findName(
  region: Region | null,
  key: string,
  value: KernelExpression,
): KernelExpression | undefined {
  if (region === null) return undefined;
  const known = region.known.get(key);
  if (known === undefined) return findName(region.outer, key, value);
  const declared = region.statements[known.place];
  if (declared?.kind === "declare") {
    region.statements[known.place] = { ...declared, value: withOriginsOf(declared.value, value) };
  }
  return known.named;
}

/** Forgets the names of values that were loaded from some arrays. */
function forgetLoads(region: Region | null, written: ReadonlySet<string>): void {
  if (region === null || written.size === 0) return;
  for (const [key, { loads }] of region.known) {
    if ([...loads].some((array) => written.has(array))) region.known.delete(key);
  }
  forgetLoads(region.outer, written);
}

/** The arrays that an expression loads from and that the kernel writes. */
function unsettledLoads(e: KernelExpression, { settled }: Context): ReadonlySet<string> {
  const loads = new Set<string>();
  visitKernelExpression(e, (node) => {
    if (node.kind === "load" && !settled.has(node.array)) loads.add(node.array);
  });
  return loads;
}

/** Arrays that may hold other values after some statements than before them. */
function writtenIn(body: Body, { arrays }: Context): ReadonlySet<string> {
  const written = new Set<string>();
  for (const s of eachKernelStatement(body)) {
    if (s.kind === "store" || s.kind === "atomic") written.add(s.array);
    // Others' writes become visible, and come after what was read before.
    if (s.kind === "barrier") return arrays;
  }
  return written;
}

function mentions(e: KernelExpression, names: ReadonlySet<string>): boolean {
  return someKernelExpression(e, (node) => node.kind === "variable" && names.has(node.name));
}

/** The variable that holds a value from here on. */
function nameIn(
  { region, moved }: Target,
  hint: string,
  value: KernelExpression,
): KernelExpression {
  const { context, known } = region;
  const key = expressionKey(value);
  const old = findName(region, key, value);
  if (old !== undefined) return old;
  const name = context.names.fresh(hint);
  const loads = unsettledLoads(value, context);
  if (loads.size === 0) context.given.add(name);
  if (!isIndexArithmetic(value)) moved.add(name);
  const place = region.statements.length;
  region.statements.push({ kind: "declare", name, type: value.type, value, mutable: false });
  const named = variableOf(name, value.type);
  if (!mentions(value, context.mutable)) known.set(key, { named, place, loads });
  return named;
}

const leaves: ReadonlySet<string> = new Set(["literal", "variable", "builtin", "step"]);

/** Scalar index arithmetic that cannot fail and costs next to nothing. */
function isIndexArithmetic(e: KernelExpression): boolean {
  if (e.type.scalar !== "uint32" || e.type.width !== 1) return false;
  return !someKernelExpression(e, (node) => {
    const plain = node.kind === "binary" && !node.operator.startsWith("floor");
    return !plain && !leaves.has(node.kind);
  });
}

/** Whether a load may move before the loop. */
function canLoad(load: KernelLoad, { region, settled, always, runs }: Target): boolean {
  if (!(always && settled.has(load.array))) return false;
  if (runs) return true;
  const { context } = region;
  const range = indexRange(load.index, context.facts);
  const length = context.lengths.get(load.array) ?? 0;
  const isInside = range !== undefined && range.hi + load.type.width <= length;
  return isInside && context.settled.has(load.array);
}

function isInvariant(e: KernelExpression, target: Target): boolean {
  return !someKernelExpression(e, (node) => {
    if (node.kind === "variable") return target.variant.has(node.name);
    return node.kind === "load" && !canLoad(node, target);
  });
}

/** Whether computing a value is worth a name. */
function isWorth(e: KernelExpression, { always, moved }: Target): boolean {
  if (leaves.has(e.kind) || e.kind === "vector" || e.kind === "component") return false;
  // The printer makes one literal of an operation on literals.
  if (!someKernelExpression(e, (n) => leaves.has(n.kind) && n.kind !== "literal")) {
    return e.kind === "load" && always && moved.size < mostValues;
  }
  if (isIndexArithmetic(e)) return true;
  return always && moved.size < mostValues;
}

/** Names the invariant terms of a sum together, and the invariant parts of the others. */
function hoistFromSum(e: KernelExpression, width: number, target: Target): KernelExpression {
  const sum = termsOf(e);
  const own = (term: KernelExpression): KernelExpression => hoistFrom(term, target);
  // Without the other terms the difference could be below 0, which hides its range.
  if (sum.minus.length > 0) {
    const whole = sumOf(sum);
    if (isInvariant(whole, target) && isWorth(whole, target)) return nameIn(target, "base", whole);
    return sumOf({ ...sum, plus: sum.plus.map(own), minus: sum.minus.map(own) });
  }
  const fixed = sum.plus.filter((term) => isInvariant(term, target));
  const others = sum.plus.filter((term) => !fixed.includes(term)).map(own);
  const rest: IndexSum = { ...sum, plus: others };
  if (fixed.length === 0) return sumOf(rest);
  const { value, factor } = inVectors(fixed, width);
  if (!isWorth(value, target)) return sumOf({ ...rest, plus: [...fixed, ...others] });
  return withBase(nameIn(target, "base", value), factor, rest);
}

/** Names the largest invariant parts of an expression; gives what is left. */
function hoistFrom(e: KernelExpression, target: Target): KernelExpression {
  const load = e.kind === "load" && target.settled.has(e.array);
  if (!isIndexSum(e) || load) {
    if (isWorth(e, target) && isInvariant(e, target)) return nameIn(target, "fixed", e);
  }
  if (isIndexSum(e)) return hoistFromSum(e, 1, target);
  if (e.kind === "load") return { ...e, index: hoistIndex(e.index, e.array, target) };
  return mapOperands(e, (part) => hoistFrom(part, target));
}

function hoistIndex(index: KernelExpression, array: string, target: Target): KernelExpression {
  const width = target.region.context.widths.get(array) ?? 1;
  return index.kind === "literal" ? index : hoistFromSum(index, width, target);
}

/** The same statement, alone, with its own expressions hoisted from. */
function hoistOwn(s: KernelStatement, target: Target): KernelStatement {
  switch (s.kind) {
    case "declare":
    case "assign":
    case "exchange":
      return mapOwnExpressions(s, (e) => hoistFrom(e, target));
    case "store":
    case "atomic": {
      const value = hoistFrom(s.value, target);
      return { ...s, value, index: hoistIndex(s.index, s.array, target) };
    }
    case "if":
      return { ...s, condition: hoistFrom(s.condition, target) };
    case "fragment": {
      const { from } = s;
      if (from.kind === "fill") return s;
      return { ...s, from: { ...from, index: hoistIndex(from.index, from.array, target) } };
    }
    case "store-fragment":
      return { ...s, index: hoistIndex(s.index, s.array, target) };
    case "loop":
      return s.end === undefined ? s : { ...s, end: hoistFrom(s.end, target) };
    case "barrier":
    case "multiply":
      return s;
  }
}

/** Whether a declaration in a loop can stand before it. */
function canMove(s: KernelStatement, target: Target): s is KernelStatement & { kind: "declare" } {
  if (s.kind !== "declare" || s.mutable || !isInvariant(s.value, target)) return false;
  return leaves.has(s.value.kind) || isWorth(s.value, target);
}

/** The statements of a loop without what moves before it. */
function hoistFromList(body: Body, target: Target): Body {
  return flatMap(body, (s): Body => {
    if (canMove(s, target)) {
      target.region.statements.push(hoistOwn(s, { ...target, always: false }));
      target.variant.delete(s.name);
      if (!isIndexArithmetic(s.value)) target.moved.add(s.name);
      return [];
    }
    const own = hoistOwn(s, target);
    if (own.kind === "loop") {
      const runs = target.runs && hasIteration(own, target.region.context);
      return [{ ...own, body: hoistFromList(own.body, { ...target, runs }) }];
    }
    if (own.kind !== "if") return [own];
    const inside = { ...target, always: false };
    const then = hoistFromList(own.then, inside);
    return [{ ...own, then, else: hoistFromList(own.else, inside) }];
  });
}

function hasIteration({ extent, end }: Loop, { facts }: Context): boolean {
  return extent > 0 && (end === undefined || (indexRange(end, facts)?.lo ?? 0) > 0);
}

/** Rewrites a list of statements into a region, outer loops before those in them. */
function hoistList(body: Body, region: Region): Body {
  const { context, statements } = region;
  const inside = (inner: Body): Body => hoistList(inner, openRegion(context, region));
  const here: Target = {
    region,
    variant: new Set(context.mutable),
    settled: context.settled,
    always: false,
    runs: true,
    moved: new Set(),
  };
  for (const s of body) {
    const written = writtenIn([s], context);
    const own = hoistOwn(s, here);
    if (own.kind === "loop" && own.extent > 0) {
      forgetLoads(region, written);
      const settled = new Set([...context.arrays].filter((a) => !written.has(a)));
      const variant = changedIn(own);
      const runs = hasIteration(own, context);
      const target: Target = { region, variant, settled, always: true, runs, moved: new Set() };
      const rest = hoistFromList(own.body, target);
      statements.push({ ...own, body: inside(rest) });
      continue;
    }
    statements.push(
      own.kind === "if" ? { ...own, then: inside(own.then), else: inside(own.else) } : own,
    );
    forgetLoads(region, written);
  }
  return statements;
}

/** Moves what does not change out of loops, and names what is computed several times. */
export function hoistInvariants(kernel: Kernel): Kernel {
  const written = new Set<string>();
  const mutable = new Set<string>();
  for (const s of statementsOf(kernel)) {
    if (s.kind === "store" || s.kind === "atomic" || s.kind === "store-fragment") {
      written.add(s.array);
    }
    if (s.kind === "declare" && s.mutable) mutable.add(s.name);
  }
  const settled = kernel.arrays.filter((a) => a.access === "read" && !written.has(a.id));
  const context: Context = {
    names: nameSource(namesIn(kernel)),
    widths: new Map(kernel.arrays.map((a) => [a.id, a.width])),
    arrays: new Set(kernel.arrays.map((a) => a.id)),
    settled: new Set(settled.map((a) => a.id)),
    lengths: new Map(kernel.arrays.map((a) => [a.id, a.view === true ? 0 : a.length])),
    facts: factsOf(kernel),
    mutable,
    given: new Set(),
  };
  const body = hoistList(kernel.body, openRegion(context, null));
  return { ...kernel, body: inlineSingleUses(body, context.given) };
}
