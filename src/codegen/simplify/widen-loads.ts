/**
 * Purpose: neighbouring elements that a block loads one by one become one aligned vector load.
 *
 * Requires: the widths of arrays are not settled. Ensures: the kernel computes the same. Only storage
 * that the kernel does not write is touched, and workgroup memory that is written in such vectors
 * only; and only where the block loads all elements of the vector anyway, from workgroup memory
 * between two changes of it. A load of the same vector further on takes it, too. An array is left
 * alone if it has wide loads of another width, or if other loads would lose more than is won.
 */
import { flatMap } from "../../support/flat-map.ts";
import { componentOf, kernelType, scaleIndex, variableOf } from "../build.ts";
import {
  type Kernel,
  type KernelArray,
  type KernelExpression,
  type KernelStatement,
  roomOf,
  type Width,
} from "../kernel.ts";
import { nameSource } from "../lower/block.ts";
import { type KnownMultiples, type SplitIndex, splitIndex } from "../print-wgsl/split-index.ts";
import { mapKernelExpression, mapOwnExpressions } from "../rewrite-kernel.ts";
import { eachKernelStatement, expressionKey, visitOwnExpressions } from "../walk-kernel.ts";
import { namesIn } from "./kernel-names.ts";
import { effectsOf } from "./stored-elements.ts";
import { multiplesOf, wholeVector } from "./vectors.ts";

type Load = Extract<KernelExpression, { kind: "load" }>;

/** What is known of a kernel, and the vectors that its arrays are to be loaded in. */
interface Context {
  readonly multiples: KnownMultiples;
  /** By array. */
  readonly widths: ReadonlyMap<string, Width>;
  /** Those of the arrays that change while the kernel runs. */
  readonly shared: ReadonlySet<string>;
  /** What stands for a variable that was the name of one element, or of a vector. */
  readonly renamed: Map<string, KernelExpression>;
  fresh(array: string): string;
}

/** A vector that is loaded where a statement stands. */
interface Loaded {
  readonly array: string;
  readonly vector: KernelExpression;
}

/** By {@link groupKey}. */
type Open = ReadonlyMap<string, Loaded>;

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

/** Whether one of some arrays in workgroup memory may have other elements after a statement. */
function mayChange(s: KernelStatement, shared: ReadonlySet<string>): boolean {
  if (shared.size === 0) return false;
  const { hasBarrier, stores } = effectsOf(s);
  return hasBarrier || [...stores].some((array) => shared.has(array));
}

/** A block in pieces: within each, shared arrays do not change but by what is inside its end. */
function piecesOf(
  body: readonly KernelStatement[],
  shared: ReadonlySet<string>,
): readonly (readonly KernelStatement[])[] {
  const pieces: KernelStatement[][] = [[]];
  for (const s of body) {
    pieces.at(-1)?.push(s);
    if (mayChange(s, shared)) pieces.push([]);
  }
  return pieces;
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
 * nothing else may be left there either; nor in workgroup memory, but elements whose component is known
 * (see settle-widths.ts).
 */
function pays(
  { view, space }: KernelArray,
  blocks: readonly (readonly Load[])[],
  width: Width,
  multiples: KnownMultiples,
): boolean {
  let [grouped, others] = [0, 0];
  for (const loads of blocks) {
    const groups = wholeGroups(loads, width, multiples);
    const rest = loads.filter((load) => !isGrouped(load, groups, width, multiples));
    grouped += loads.length - rest.length;
    const counts = ({ index }: Load): boolean =>
      space !== "workgroup" || splitIndex(index, width, multiples) === undefined;
    others += rest.filter(counts).length;
  }
  const alone = width === 2 || view === true || space === "workgroup";
  return grouped > 0 && (alone ? others === 0 : grouped >= others);
}

/** Whether loads of an array may become wider, with the stores that it has. */
function mayWiden(array: KernelArray, width: Width, stores: ReadonlySet<Width>): boolean {
  const { space, access, atomic, scalar } = array;
  if (atomic || scalar === "bool" || roomOf(array) % width !== 0) return false;
  if (space === "storage") return access === "read";
  return space === "workgroup" && stores.size > 0 && [...stores].every((w) => w === width);
}

/** The widths of what is stored to each array. */
function storedWidths({ body }: Kernel): ReadonlyMap<string, ReadonlySet<Width>> {
  const widths = new Map<string, Set<Width>>();
  for (const s of eachKernelStatement(body)) {
    if (s.kind !== "store") continue;
    const known = widths.get(s.array) ?? new Set<Width>();
    widths.set(s.array, known.add(s.value.type.width));
  }
  return widths;
}

/** The width in which an array's elements are best loaded; 1 to leave it alone. */
function widthOf(
  array: KernelArray,
  blocks: readonly (readonly Load[])[],
  stores: ReadonlySet<Width>,
  multiples: KnownMultiples,
): Width {
  const mine = blocks.map((loads) => loads.filter((l) => l.array === array.id));
  const wide = new Set(flatMap(mine, (loads) => loads.map((l) => l.type.width)));
  wide.delete(1);
  const singles = mine.map((loads) => loads.filter((l) => l.type.width === 1));
  const fits = (width: Width): boolean =>
    mayWiden(array, width, stores) &&
    [...wide].every((w) => w === width) &&
    pays(array, singles, width, multiples);
  return ([4, 2] as const).find(fits) ?? 1;
}

/** Loads neighbours together where that is possible. */
export function widenLoads(kernel: Kernel): Kernel {
  const multiples = multiplesOf(kernel.body);
  const blocks = eachBlock(kernel.body);
  const stores = storedWidths(kernel);
  const inVectors = kernel.arrays.filter(
    ({ id, space }) => space === "workgroup" && stores.get(id)?.has(1) === false,
  );
  const changing = new Set(inVectors.map((a) => a.id));
  const pieces = flatMap(blocks, (block) => piecesOf(block, changing)).map(loadsIn);
  const whole = blocks.map(loadsIn);
  const widths = new Map<string, Width>();
  for (const array of kernel.arrays) {
    const lists = changing.has(array.id) ? pieces : whole;
    const width = widthOf(array, lists, stores.get(array.id) ?? new Set(), multiples);
    if (width > 1) widths.set(array.id, width);
  }
  if (widths.size === 0) return kernel;
  // Loads may have become wide before.
  const names = nameSource(namesIn(kernel));
  let made = 0;
  const fresh = (array: string): string => {
    made += 1;
    return names.fresh(`${array}.wide.${made}`);
  };
  const shared = new Set([...changing].filter((id) => widths.has(id)));
  const context: Context = { multiples, widths, shared, renamed: new Map(), fresh };
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

/** The groups of some arrays whose elements are all loaded by some statements. */
function wholeGroupsOf(
  body: readonly KernelStatement[],
  arrays: readonly (readonly [string, Width])[],
  multiples: KnownMultiples,
): readonly string[] {
  const loads = loadsIn(body).filter((l) => l.type.width === 1);
  return flatMap(arrays, ([array, width]) => [
    ...wholeGroups(
      loads.filter((l) => l.array === array),
      width,
      multiples,
    ),
  ]);
}

/** The vectors that are the same after shared arrays have changed. */
function settled(open: Open, shared: ReadonlySet<string>): Open {
  return new Map([...open].filter(([, { array }]) => !shared.has(array)));
}

function widenBlock(
  body: readonly KernelStatement[],
  outer: Open,
  context: Context,
): readonly KernelStatement[] {
  const { widths, shared, multiples } = context;
  const changing = [...widths].filter(([array]) => shared.has(array));
  const constant = [...widths].filter(([array]) => !shared.has(array));
  const whole = wholeGroupsOf(body, constant, multiples);
  let open = outer;
  return flatMap(piecesOf(body, shared), (piece) => {
    const groups = new Set([...whole, ...wholeGroupsOf(piece, changing, multiples)]);
    const widened = widenPiece(piece, open, groups, context);
    open = settled(widened.open, shared);
    return widened.body;
  });
}

/** Statements between which no shared array changes, and the vectors that they load. */
function widenPiece(
  piece: readonly KernelStatement[],
  outer: Open,
  whole: ReadonlySet<string>,
  context: Context,
): { readonly body: readonly KernelStatement[]; readonly open: Open } {
  const { shared } = context;
  const open = new Map(outer);
  const body = flatMap(piece, (s): readonly KernelStatement[] => {
    const before: KernelStatement[] = [];
    for (const load of loadsIn([s])) {
      const group = groupOf(load, context);
      if (group === undefined || !whole.has(group.key) || open.has(group.key)) continue;
      const declared = declareGroup(load, group, context);
      before.push(declared);
      const vector = variableOf(declared.name, declared.type);
      open.set(group.key, { array: load.array, vector });
    }
    const inside = mayChange(s, shared) ? settled(open, shared) : open;
    return [...before, ...widenStatement(s, open, inside, context)];
  });
  return { body, open };
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
    const vector = group === undefined ? undefined : open.get(group.key)?.vector;
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
  /** The vectors for the statements in it. */
  inside: Open,
  context: Context,
): readonly KernelStatement[] {
  const own = mapOwnExpressions(s, (e) => widenExpression(e, open, context));
  if (own.kind === "loop") return [{ ...own, body: widenBlock(own.body, inside, context) }];
  if (own.kind === "if") {
    const then = widenBlock(own.then, inside, context);
    return [{ ...own, then, else: widenBlock(own.else, inside, context) }];
  }
  if (own.kind === "declare" && !own.mutable && isLoad(s) && own.value.kind !== "load") {
    context.renamed.set(own.name, own.value);
    return [];
  }
  return [own];
}
