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
import { addParts, type OriginPart } from "../origin.ts";
import { type KnownMultiples, type SplitIndex, splitIndex } from "../print-wgsl/split-index.ts";
import { mapKernelExpression, mapOwnExpressions } from "../rewrite-kernel.ts";
import { expressionKey, type KernelLoad, ownLoads, statementsOf } from "../walk-kernel.ts";
import { namesIn } from "./kernel-names.ts";
import { effectsOf } from "./stored-elements.ts";
import { multiplesOf, wholeVector } from "./vectors.ts";

/** Loads of one list of statements. */
type Loads = readonly KernelLoad[];

const vectors: readonly Width[] = [4, 2];

/** What is known of a kernel, and the vectors that its arrays are to be loaded in. */
interface Context {
  readonly multiples: KnownMultiples;
  /** By array. */
  readonly widths: ReadonlyMap<string, Width>;
  /** Those of the arrays that change while the kernel runs. */
  readonly shared: ReadonlySet<string>;
  /** What stands for a variable that was the name of one element, or of a vector. */
  readonly renamed: Map<string, KernelExpression>;
  /** The groups of loads, as far as they were asked for. */
  readonly groups: Map<KernelLoad, Group | undefined>;
  fresh(array: string): string;
}

/** A vector that is loaded where a statement stands. */
interface Loaded {
  readonly array: string;
  readonly vector: KernelExpression;
  /** Of the load: of all loads that take something of it, as far as they were seen. */
  readonly origin: OriginPart[];
}

/** By {@link groupKey}. */
type Open = ReadonlyMap<string, Loaded>;

function loadsIn(statements: readonly KernelStatement[]): Loads {
  return flatMap(statements, ownLoads);
}

/** The vector that a load takes, or takes an element of, by what tells it from others. */
interface Group {
  readonly key: string;
  readonly split: SplitIndex;
  readonly width: Width;
}

/** The group of a load; undefined where its place in a vector is not known. */
function groupIn(
  { array, index }: KernelLoad,
  width: Width,
  multiples: KnownMultiples,
): Group | undefined {
  const split = splitIndex(index, width, multiples);
  if (split === undefined) return undefined;
  return { key: `${array} ${expressionKey(split.quotient)}`, split, width };
}

/** The groups that some loads take all elements of. */
function wholeGroups(groups: readonly (Group | undefined)[]): ReadonlySet<string> {
  const found = new Map<string, Set<number>>();
  const whole = new Set<string>();
  for (const group of groups) {
    if (group === undefined) continue;
    const parts = found.get(group.key) ?? new Set<number>();
    found.set(group.key, parts.add(group.split.remainder));
    if (parts.size === group.width) whole.add(group.key);
  }
  return whole;
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

/**
 * Whether loads of vectors save more than the others lose, which find their component at run time:
 * by fours if half of the loads are in groups, by pairs if all are. A view may end within a vector, so
 * nothing else may be left there either; nor in workgroup memory, but elements whose component is known
 * (see settle-widths.ts).
 */
function pays(
  { view, space }: KernelArray,
  blocks: readonly Loads[],
  width: Width,
  multiples: KnownMultiples,
): boolean {
  let [grouped, others] = [0, 0];
  for (const loads of blocks) {
    const groups = loads.map((load) => groupIn(load, width, multiples));
    const whole = wholeGroups(groups);
    for (const group of groups) {
      if (group !== undefined && whole.has(group.key)) grouped += 1;
      else if (space !== "workgroup" || group === undefined) others += 1;
    }
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
function storedWidths(kernel: Kernel): ReadonlyMap<string, ReadonlySet<Width>> {
  const widths = new Map<string, Set<Width>>();
  for (const s of statementsOf(kernel)) {
    if (s.kind !== "store") continue;
    const known = widths.get(s.array) ?? new Set<Width>();
    widths.set(s.array, known.add(s.value.type.width));
  }
  return widths;
}

/** The width in which an array's elements are best loaded; 1 to leave it alone. */
function widthOf(
  array: KernelArray,
  blocks: readonly Loads[],
  stores: ReadonlySet<Width>,
  multiples: KnownMultiples,
): Width {
  const mine = blocks.map((loads) => loads.filter((l) => l.array === array.id));
  const wide = new Set(flatMap(mine, (loads) => loads.map((l) => l.type.width)));
  wide.delete(1);
  const singles = mine.map((loads) => loads.filter((l) => l.type.width === 1));
  if (singles.every((loads) => loads.length < 2)) return 1;
  const fits = (width: Width): boolean =>
    mayWiden(array, width, stores) &&
    [...wide].every((w) => w === width) &&
    pays(array, singles, width, multiples);
  return vectors.find(fits) ?? 1;
}

/** Loads neighbours together where that is possible. */
export function widenLoads(kernel: Kernel): Kernel {
  const stores = storedWidths(kernel);
  const storesTo = (id: string): ReadonlySet<Width> => stores.get(id) ?? new Set();
  const wanted = kernel.arrays.filter((a) => vectors.some((w) => mayWiden(a, w, storesTo(a.id))));
  if (wanted.length === 0) return kernel;
  const multiples = multiplesOf(kernel);
  const blocks = eachBlock(kernel.body);
  const inVectors = kernel.arrays.filter(
    ({ id, space }) => space === "workgroup" && stores.get(id)?.has(1) === false,
  );
  const changing = new Set(inVectors.map((a) => a.id));
  const whole = blocks.map(loadsIn);
  const pieces =
    changing.size === 0
      ? whole
      : flatMap(blocks, (block) => piecesOf(block, changing)).map(loadsIn);
  const widths = new Map<string, Width>();
  for (const array of wanted) {
    const lists = changing.has(array.id) ? pieces : whole;
    const width = widthOf(array, lists, storesTo(array.id), multiples);
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
  const groups = new Map<KernelLoad, Group | undefined>();
  const context: Context = { multiples, widths, shared, renamed: new Map(), groups, fresh };
  return { ...kernel, body: widenBlock(kernel.body, new Map(), context) };
}

/** The group that a load of a widened array, of one element or of the vector, belongs to. */
function groupOf(load: KernelLoad, { widths, multiples, groups }: Context): Group | undefined {
  const width = widths.get(load.array);
  if (width === undefined) return undefined;
  const known = groups.get(load);
  if (known !== undefined || groups.has(load)) return known;
  const group = groupIn(load, width, multiples);
  groups.set(load, group);
  return group;
}

/** The groups whose elements are all loaded by some statements, of arrays that change or of others. */
function wholeGroupsOf(
  body: readonly KernelStatement[],
  changing: boolean,
  context: Context,
): ReadonlySet<string> {
  const isMeant = ({ array, type }: KernelLoad): boolean =>
    type.width === 1 && context.shared.has(array) === changing;
  return wholeGroups(
    loadsIn(body)
      .filter(isMeant)
      .map((load) => groupOf(load, context)),
  );
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
  const { shared } = context;
  const whole = wholeGroupsOf(body, false, context);
  if (shared.size === 0) return widenPiece(body, outer, whole, context).body;
  let open = outer;
  return flatMap(piecesOf(body, shared), (piece) => {
    const groups = new Set([...whole, ...wholeGroupsOf(piece, true, context)]);
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
      if (group === undefined || !(whole.has(group.key) || open.has(group.key))) continue;
      const loaded = open.get(group.key) ?? loadGroup(load, group, before, context);
      open.set(group.key, loaded);
      addParts(loaded.origin, load.origin);
    }
    const inside = mayChange(s, shared) ? settled(open, shared) : open;
    return [...before, ...widenStatement(s, open, inside, context)];
  });
  return { body, open };
}

/** Loads the vector of which `load` loads one element, before what needs it. */
function loadGroup(
  load: KernelLoad,
  { split, width }: Group,
  before: KernelStatement[],
  context: Context,
): Loaded {
  const type = kernelType(load.type.scalar, width);
  const index = scaleIndex(split.quotient, width);
  const name = context.fresh(load.array);
  const origin: OriginPart[] = [];
  const value: KernelExpression = { kind: "load", array: load.array, index, type, origin };
  before.push({ kind: "declare", name, type, value, mutable: false });
  return { array: load.array, vector: variableOf(name, type), origin };
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
