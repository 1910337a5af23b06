/**
 * Purpose: neighbouring elements that a block loads one by one become one aligned vector load.
 *
 * Requires: the widths of arrays are not settled. Ensures: the kernel computes the same. Only storage
 * that the kernel does not write is touched, and only where the block loads all elements of the
 * vector anyway; a load of the same vector further on takes it, too. An array is left alone if it has wide loads of another width, or if other loads
 * would lose more than is won.
 */
import { flatMap } from "../../support/flat-map.ts";
import { componentOf, kernelType, scaleIndex, variableOf } from "../build.ts";
import type { Kernel, KernelArray, KernelExpression, KernelStatement, Width } from "../kernel.ts";
import { type KnownMultiples, type SplitIndex, splitIndex } from "../print-wgsl/split-index.ts";
import { mapKernelExpression, mapOwnExpressions } from "../rewrite-kernel.ts";
import { expressionKey, visitOwnExpressions } from "../walk-kernel.ts";
import { multiplesOf, wholeVector } from "./vectors.ts";

type Load = Extract<KernelExpression, { kind: "load" }>;

/** What is known of a kernel, and the vectors that its arrays are to be loaded in. */
interface Context {
  readonly multiples: KnownMultiples;
  /** By array. */
  readonly widths: ReadonlyMap<string, Width>;
  /** What stands for a variable that was the name of one element, or of a vector. */
  readonly renamed: Map<string, KernelExpression>;
  fresh(array: string): string;
}

/** The vectors that are loaded where a statement stands, by {@link groupKey}. */
type Open = ReadonlyMap<string, KernelExpression>;

function loadsIn(statements: readonly KernelStatement[]): readonly Load[] {
  const loads: Load[] = [];
  for (const s of statements) {
    visitOwnExpressions(s, (e) => {
      if (e.kind === "load") loads.push(e);
    });
  }
  return loads;
}

function groupKey(load: Load, { quotient }: SplitIndex): string {
  return `${load.array} ${expressionKey(quotient)}`;
}

/** The groups whose elements are all among some loads. */
function wholeGroups(
  loads: readonly Load[],
  width: Width,
  multiples: KnownMultiples,
): ReadonlySet<string> {
  const found = new Map<string, Set<number>>();
  for (const load of loads) {
    const split = splitIndex(load.index, width, multiples);
    if (split === undefined) continue;
    const key = groupKey(load, split);
    const parts = found.get(key) ?? new Set<number>();
    found.set(key, parts.add(split.remainder));
  }
  return new Set([...found].filter(([, parts]) => parts.size === width).map(([key]) => key));
}

/** Each list of statements that run one after the other, without what is inside them. */
function eachBlock(body: readonly KernelStatement[]): readonly (readonly KernelStatement[])[] {
  const inside = flatMap(body, (s): readonly (readonly KernelStatement[])[] => {
    if (s.kind === "loop") return eachBlock(s.body);
    return s.kind === "if" ? [...eachBlock(s.then), ...eachBlock(s.else)] : [];
  });
  return [body, ...inside];
}

/** Whether a load is of an element of one of the groups. */
function isGrouped(
  load: Load,
  groups: ReadonlySet<string>,
  width: Width,
  multiples: KnownMultiples,
): boolean {
  const split = splitIndex(load.index, width, multiples);
  return split !== undefined && groups.has(groupKey(load, split));
}

/**
 * Whether loads of vectors save more than the others lose, which find their component at run time:
 * by fours if half of the loads are in groups, by pairs if all are. A view may end within a vector, so
 * nothing else may be left there either.
 */
function pays(
  { view }: KernelArray,
  blocks: readonly (readonly Load[])[],
  width: Width,
  multiples: KnownMultiples,
): boolean {
  let [grouped, others] = [0, 0];
  for (const loads of blocks) {
    const groups = wholeGroups(loads, width, multiples);
    const inside = loads.filter((load) => isGrouped(load, groups, width, multiples)).length;
    grouped += inside;
    others += loads.length - inside;
  }
  const alone = width === 2 || view === true;
  return grouped > 0 && (alone ? others === 0 : grouped >= others);
}

/** The width in which an array's elements are best loaded; 1 to leave it alone. */
function widthOf(
  array: KernelArray,
  blocks: readonly (readonly Load[])[],
  multiples: KnownMultiples,
): Width {
  const { space, access, atomic, scalar, length } = array;
  if (space !== "storage" || access !== "read" || atomic || scalar === "bool") return 1;
  const mine = blocks.map((loads) => loads.filter((l) => l.array === array.id));
  const wide = new Set(flatMap(mine, (loads) => loads.map((l) => l.type.width)));
  wide.delete(1);
  const singles = mine.map((loads) => loads.filter((l) => l.type.width === 1));
  const fits = (width: Width): boolean =>
    length % width === 0 &&
    [...wide].every((w) => w === width) &&
    pays(array, singles, width, multiples);
  return ([4, 2] as const).find(fits) ?? 1;
}

/** Loads neighbours together where that is possible. */
export function widenLoads(kernel: Kernel): Kernel {
  const multiples = multiplesOf(kernel.body);
  const blocks = [...eachBlock(kernel.body)].map(loadsIn);
  const widths = new Map<string, Width>();
  for (const array of kernel.arrays) {
    const width = widthOf(array, blocks, multiples);
    if (width > 1) widths.set(array.id, width);
  }
  if (widths.size === 0) return kernel;
  let names = 0;
  const fresh = (array: string): string => {
    names += 1;
    return `${array}.wide.${names}`;
  };
  const context: Context = { multiples, widths, renamed: new Map(), fresh };
  return { ...kernel, body: widenBlock(kernel.body, new Map(), context) };
}

/** The group that a load of a widened array, of one element or of the vector, belongs to. */
function groupOf(
  load: Load,
  { widths, multiples }: Context,
): { readonly key: string; readonly split: SplitIndex; readonly width: Width } | undefined {
  const width = widths.get(load.array);
  if (width === undefined) return undefined;
  const split = splitIndex(load.index, width, multiples);
  return split === undefined ? undefined : { key: groupKey(load, split), split, width };
}

function wholeGroupsOf(body: readonly KernelStatement[], context: Context): ReadonlySet<string> {
  const loads = loadsIn(body).filter((l) => l.type.width === 1);
  const keys = flatMap([...context.widths], ([array, width]) => [
    ...wholeGroups(
      loads.filter((l) => l.array === array),
      width,
      context.multiples,
    ),
  ]);
  return new Set(keys);
}

function widenBlock(
  body: readonly KernelStatement[],
  outer: Open,
  context: Context,
): readonly KernelStatement[] {
  const whole = wholeGroupsOf(body, context);
  const open = new Map(outer);
  return flatMap(body, (s): readonly KernelStatement[] => {
    const before: KernelStatement[] = [];
    for (const load of loadsIn([s])) {
      const group = groupOf(load, context);
      if (group === undefined || !whole.has(group.key) || open.has(group.key)) continue;
      const declared = declareGroup(load, group, context);
      before.push(declared);
      open.set(group.key, variableOf(declared.name, declared.type));
    }
    return [...before, ...widenStatement(s, open, context)];
  });
}

/** The statement that loads the vector of which `load` loads one element. */
function declareGroup(
  load: Load,
  { split, width }: { readonly split: SplitIndex; readonly width: Width },
  context: Context,
): Extract<KernelStatement, { kind: "declare" }> {
  const type = kernelType(load.type.scalar, width);
  const index = scaleIndex(split.quotient, width);
  const value: KernelExpression = { kind: "load", array: load.array, index, type };
  return { kind: "declare", name: context.fresh(load.array), type, value, mutable: false };
}

function widenExpression(e: KernelExpression, open: Open, context: Context): KernelExpression {
  return mapKernelExpression(e, (node) => {
    if (node.kind === "variable") return context.renamed.get(node.name);
    if (node.kind !== "load") return wholeVector(node);
    const group = groupOf(node, context);
    const vector = group === undefined ? undefined : open.get(group.key);
    if (group === undefined || vector === undefined) return undefined;
    return node.type.width === 1 ? componentOf(vector, group.split.remainder) : vector;
  });
}

function isLoad(s: KernelStatement): boolean {
  return s.kind === "declare" && s.value.kind === "load";
}

function widenStatement(
  s: KernelStatement,
  open: Open,
  context: Context,
): readonly KernelStatement[] {
  const own = mapOwnExpressions(s, (e) => widenExpression(e, open, context));
  if (own.kind === "loop") return [{ ...own, body: widenBlock(own.body, open, context) }];
  if (own.kind === "if") {
    const then = widenBlock(own.then, open, context);
    return [{ ...own, then, else: widenBlock(own.else, open, context) }];
  }
  if (own.kind === "declare" && !own.mutable && isLoad(s) && own.value.kind !== "load") {
    context.renamed.set(own.name, own.value);
    return [];
  }
  return [own];
}
