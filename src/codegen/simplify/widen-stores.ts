/**
 * Purpose: neighbouring elements that a block stores one by one become one aligned vector store.
 *
 * ```
 * y[4i] = a; ... y[4i + 1] = b; ...   -->   ... y[4i : 4] = vector(a, b, ...)
 * ```
 * Requires: the widths of arrays are settled, names of variables are unique in the kernel. Ensures:
 * the kernel computes the same. Only storage is touched that the kernel never loads and of which all
 * stores are in such groups, because a store of a component may rewrite its neighbours. The elements
 * are stored where the last of them was: between the stores of a group stand no barrier and
 * nothing that may store one of its elements or changes the index.
 */
import { flatMap } from "../../support/flat-map.ts";
import { kernelType, scaleIndex, variableOf } from "../build.ts";
import {
  type Kernel,
  type KernelArray,
  type KernelExpression,
  type KernelStatement,
  roomOf,
  type Width,
  withWidth,
} from "../kernel.ts";
import { type NameSource, nameSource } from "../lower/block.ts";
import { originOf, originOfAll } from "../origin.ts";
import { type KnownMultiples, splitIndex } from "../print-wgsl/split-index.ts";
import { statementsOf } from "../walk-kernel.ts";
import { factsOf, type IndexFacts } from "./index-range.ts";
import { namesIn } from "./kernel-names.ts";
import {
  changesWith,
  type Elements,
  effectsOf,
  elementsOf,
  mayOverlap,
  noteLoads,
  ownArrays,
} from "./stored-elements.ts";
import { multiplesOf, wholeVector } from "./vectors.ts";

type Body = readonly KernelStatement[];
type Store = Extract<KernelStatement, { kind: "store" }>;

/** The vectors that one array is stored in, and what is known of the kernel. */
interface Context {
  readonly array: KernelArray;
  readonly width: Width;
  readonly facts: IndexFacts;
  readonly multiples: KnownMultiples;
  /** Variables that can be assigned. */
  readonly mutable: ReadonlySet<string>;
  readonly names: NameSource;
}

/** A vector, and where in a block its components are stored. */
interface Group {
  readonly elements: Elements;
  /** In scalar elements. */
  readonly index: KernelExpression;
  /** Positions in the block, by component. */
  readonly places: ReadonlyMap<number, number>;
}

/** The group of one store; undefined if the place in the vector is unknown, or may change. */
function groupOf(s: Store, place: number, context: Context): Group | undefined {
  const { array, width, facts, multiples } = context;
  const split = s.value.type.width === 1 ? splitIndex(s.index, width, multiples) : undefined;
  if (split === undefined) return undefined;
  const index = scaleIndex(split.quotient, width);
  const elements = elementsOf(array.id, index, width, facts);
  if (elements.uses.hasLoad) return undefined;
  return { elements, index, places: new Map([[split.remainder, place]]) };
}

/** One group of two parts of a vector; undefined if one component is in both. */
function joined(a: Group, b: Group): Group | undefined {
  const places = new Map([...a.places, ...b.places]);
  return places.size < a.places.size + b.places.size ? undefined : { ...a, places };
}

/** The groups that stay open beside a store; undefined if the store is in their way. */
function withStore(open: readonly Group[], added: Group): readonly Group[] | undefined {
  const others = open.filter((g) => g.elements.key !== added.elements.key);
  if (others.some((g) => mayOverlap(g.elements, added.elements))) return undefined;
  const same = open.find((g) => g.elements.key === added.elements.key);
  const group = same === undefined ? added : joined(same, added);
  return group === undefined ? undefined : [...others, group];
}

/** Whether groups can be stored after a statement instead of before it. */
function mayWait(open: readonly Group[], s: KernelStatement): boolean {
  if (open.length === 0) return true;
  const effects = effectsOf(s);
  return open.every(({ elements }) => {
    const touches = effects.hasBarrier || effects.stores.has(elements.array);
    return !(touches || changesWith(elements.uses, effects));
  });
}

/** The groups that the stores of a block are in; undefined if one of them is in none. */
function groupsIn(body: Body, context: Context): readonly Group[] | undefined {
  const whole: Group[] = [];
  let open: readonly Group[] = [];
  for (const [place, s] of body.entries()) {
    if (s.kind !== "store" || s.array !== context.array.id) {
      if (!mayWait(open, s)) return undefined;
      continue;
    }
    const added = groupOf(s, place, context);
    const now = added === undefined ? undefined : withStore(open, added);
    if (now === undefined) return undefined;
    whole.push(...now.filter((g) => g.places.size === context.width));
    open = now.filter((g) => g.places.size < context.width);
  }
  return open.length === 0 ? whole : undefined;
}

/** A value that is the same later on, and what declares it. */
function kept(s: Store, { array, mutable, names }: Context): readonly [Body, KernelExpression] {
  const { value } = s;
  const whole = value.kind === "component" ? value.vector : value;
  const stays = whole.kind === "variable" && !mutable.has(whole.name);
  if (stays || value.kind === "literal") return [[], value];
  const name = names.fresh(`${array.id}_value`);
  const declared = { kind: "declare", name, type: value.type, value, mutable: false } as const;
  return [[{ ...declared, ...originOf(s) }], variableOf(name, value.type)];
}

/** The vector of some values, in the order of its components. */
function vectorOf(
  components: readonly KernelExpression[],
  { array, width }: Context,
): KernelExpression {
  const type = kernelType(array.scalar, width);
  const vector: KernelExpression = { kind: "vector", components, type };
  return wholeVector(vector) ?? vector;
}

/** What stands in place of each statement of a group, by position. */
function widenGroup(
  body: Body,
  { index, places }: Group,
  context: Context,
): ReadonlyMap<number, Body> {
  const result = new Map<number, Body>();
  const values = new Map<number, KernelExpression>();
  const stores: Store[] = [];
  const last = Math.max(...places.values());
  for (const [component, place] of places) {
    const s = body[place];
    if (s?.kind !== "store") continue;
    stores.push(s);
    const [before, value] = place === last ? [[], s.value] : kept(s, context);
    result.set(place, before);
    values.set(component, value);
  }
  const components = [...values].sort(([a], [b]) => a - b).map(([, value]) => value);
  const value = vectorOf(components, context);
  const store = { kind: "store", array: context.array.id, index, value } as const;
  return result.set(last, [{ ...store, ...originOfAll(stores) }]);
}

/** The statements with wide stores to the array only; undefined if it has others. */
function widenIn(body: Body, context: Context): Body | undefined {
  const groups = groupsIn(body, context);
  if (groups === undefined) return undefined;
  const replaced = new Map(flatMap(groups, (g) => [...widenGroup(body, g, context)]));
  const result: KernelStatement[] = [];
  for (const [place, s] of body.entries()) {
    const now = replaced.get(place) ?? widenInside(s, context);
    if (now === undefined) return undefined;
    result.push(...now);
  }
  return result;
}

function widenInside(s: KernelStatement, context: Context): Body | undefined {
  if (s.kind === "loop") {
    const body = widenIn(s.body, context);
    return body === undefined ? undefined : [{ ...s, body }];
  }
  if (s.kind !== "if") return [s];
  const [yes, no] = [widenIn(s.then, context), widenIn(s.else, context)];
  return yes === undefined || no === undefined ? undefined : [{ ...s, then: yes, else: no }];
}

/** The arrays that can be declared wide if all their stores are. */
function candidates(kernel: Kernel): readonly KernelArray[] {
  const own = ownArrays(kernel);
  const isFree = ({ id, space, width, view, scalar }: KernelArray): boolean =>
    space === "storage" && width === 1 && view !== true && scalar !== "bool" && own.has(id);
  const free = kernel.arrays.filter(isFree);
  if (free.length === 0) return free;
  const loads = new Set<string>();
  for (const s of statementsOf(kernel)) noteLoads(s, loads);
  return free.filter((a) => !loads.has(a.id));
}

/** The kernel with wide stores to one more array, if all its stores are in groups. */
function widenArray(kernel: Kernel, array: KernelArray): Kernel {
  const facts = factsOf(kernel);
  const multiples = multiplesOf(kernel);
  const all = statementsOf(kernel);
  const isMutable = (s: KernelStatement): boolean => s.kind === "declare" && s.mutable;
  const mutable = new Set(flatMap(all, (s) => ("name" in s && isMutable(s) ? [s.name] : [])));
  for (const width of [4, 2] as const) {
    if (roomOf(array) % width !== 0) continue;
    const names = nameSource(namesIn(kernel));
    const body = widenIn(kernel.body, { array, width, facts, multiples, mutable, names });
    const arrays = kernel.arrays.map((a) => (a.id === array.id ? withWidth(a, width) : a));
    if (body !== undefined) return { ...kernel, arrays, body };
  }
  return kernel;
}

/** Stores neighbours together where that is possible. */
export function widenStores(kernel: Kernel): Kernel {
  return candidates(kernel).reduce(widenArray, kernel);
}
