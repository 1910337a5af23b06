/**
 * Purpose: runs a loop over neighbours in blocks of four that begin where vectors of memory begin, so that
 * what it loads is loaded in vectors although a row may begin anywhere: peeling for alignment.
 *
 * ```
 * loop r in 0..509                      let first = base / 4, outside = base % 4
 *   s = s + x[base + r]                 let v = x[4 * first : 4]
 *                                       if outside <= 0
 *                             -->         s = s + v.0
 *                                       ...
 *                                       loop t in 0..126
 *                                         let v = x[4 * (first + t + 1) : 4]
 *                                         s = s + v.0
 *                                         ...
 *                                       let v = x[4 * (first + 127) : 4]
 *                                       s = s + v.0
 *                                       if outside > 0
 *                                         s = s + v.1
 *                                       ...
 * ```
 * The blocks of the loop lie inside of the row wherever it begins. Of the vectors at its ends some
 * components are other rows': these are loaded, and not looked at.
 *
 * What is stored along rows is stored in such vectors, too, where the rows of a workgroup lie one after the
 * other (closed-rows.ts). The vector in which a row ends and the next one begins is stored by both
 * invocations, with a barrier in between: first by the one whose row begins in it, with no matter what in
 * the other components, then by the other, which loads it again and puts its own components there. A
 * store of components alone may rewrite their neighbours.
 *
 * Requires: the widths of arrays are not settled; names of variables are unique in the kernel. Ensures:
 * the same iterations in the same order, for each invocation; names stay unique. Only loops that are marked
 * are touched, and no mark is left. Only storage that the kernel does not write is loaded in vectors. Only such
 * that it did not load before is stored in vectors, within the room that it has.
 */
import { flatMap } from "../../support/flat-map.ts";
import { ceilDiv, floorDiv } from "../../support/integer.ts";
import { listOf } from "../../support/list-of.ts";
import { divideIndex, indexLiteral, indexType, moduloIndex, variableOf } from "../build.ts";
import {
  type Kernel,
  type KernelArray,
  type KernelExpression,
  type KernelStatement,
  roomOf,
} from "../kernel.ts";
import { type NameSource, nameSource } from "../lower/block.ts";
import { containsCollective, eachKernelStatement } from "../walk-kernel.ts";
import { type Begun, type Blocks, edgeBlock, middleBlocks } from "./aligned-blocks.ts";
import {
  alignedTogether,
  type LoadedRow,
  loadedRows,
  offsetOf,
  type Row,
  type RowArrays,
  storedRows,
  width,
} from "./aligned-rows.ts";
import { arraysOfOneStore, isClosed } from "./closed-rows.ts";
import { indexRange, rangeOfLoop, withRange } from "./index-range.ts";
import { namesIn } from "./kernel-names.ts";
import { type Unswitched, unswitchLoop } from "./unswitch-loop.ts";

type Body = readonly KernelStatement[];
type Loop = Extract<KernelStatement, { kind: "loop" }>;

/** Statements that may be written for one loop. */
const mostStatements = 384;

/** Where a statement stands. */
interface Place extends RowArrays {
  readonly names: NameSource;
  /** The loops around, where all invocations of a workgroup come; undefined where some may not. */
  readonly around: readonly KernelExpression[] | undefined;
}

/** The rows of a loop that are loaded and stored in vectors: all begin equally far from one. */
function rowsOf(
  { loop, condition }: Unswitched,
  place: Place,
): { readonly loads: readonly LoadedRow[]; readonly stores: readonly Row[] } {
  const { around, facts } = place;
  const isOrdered = (row: Row): boolean =>
    around !== undefined && isClosed(row, loop.extent, { around, condition, facts });
  const stores = storedRows(loop, place).filter(isOrdered);
  const loads = loadedRows(loop, place);
  // Of two groups of one size, that with stores: the others' loads come from caches more often.
  const together = new Set<Row>(alignedTogether([...stores, ...loads]));
  return {
    loads: loads.filter((row) => together.has(row)),
    stores: stores.filter((row) => together.has(row)),
  };
}

/** A loop in blocks: what it needs before, its blocks, and those that have to wait for all others. */
interface WrittenLoop {
  readonly before: Body;
  readonly blocks: Body;
  readonly last: Body;
}

/** A name for an index; a literal needs none. */
function named(
  hint: string,
  value: KernelExpression,
  names: NameSource,
): { readonly declared: Body; readonly value: KernelExpression } {
  if (value.kind === "literal") return { declared: [], value };
  const name = names.fresh(hint);
  const declared: Body = [{ kind: "declare", name, type: indexType, value, mutable: false }];
  return { declared, value: variableOf(name, indexType) };
}

/** The loop in blocks; undefined where it has no rows, or is too short or too large. */
function inBlocks(whole: Unswitched, outer: Place): WrittenLoop | undefined {
  const { loop } = whole;
  const { extent, variable, body } = loop;
  if (loop.end !== undefined || containsCollective(loop)) return undefined;
  const facts = withRange(outer.facts, variable, rangeOfLoop(loop, outer.facts));
  const place = { ...outer, facts };
  const { loads, stores } = rowsOf(whole, place);
  const [row = stores[0]] = loads;
  if (row === undefined) return undefined;
  const offset = offsetOf(row);
  const middle = floorDiv(extent - width + offset.lo, width);
  const all = ceilDiv(extent + offset.hi, width);
  const copies = width * (all - middle + 1);
  if (middle < 1 || copies * [...eachKernelStatement(body)].length > mostStatements) {
    return undefined;
  }
  const { names } = place;
  const isKnown = offset.lo === offset.hi;
  const outside = isKnown ? indexLiteral(offset.lo) : moduloIndex(row.base, width);
  const start = named(`${variable}_outside`, outside, names);
  const before = [...start.declared];
  const begin = <T extends Row>(begun: T): Begun<T> => {
    const first = named(`${begun.array.id}_first`, divideIndex(begun.base, width), names);
    before.push(...first.declared);
    return { row: begun, first: first.value };
  };
  const blocks: Blocks = {
    loop,
    loads: loads.map(begin),
    stores: stores.map(begin),
    outside: start.value,
    offset,
    middle,
    all,
    facts,
    names,
  };
  const inner = [...edgeBlock(blocks, 0), ...middleBlocks(blocks)];
  const last = flatMap(
    listOf(all - middle - 1, (n) => middle + 1 + n),
    (block) => edgeBlock(blocks, block),
  );
  const waits = stores.length > 0 && offset.hi > 0;
  return { before, blocks: waits ? inner : [...inner, ...last], last: waits ? last : [] };
}

/** A marked loop in blocks; itself, without a mark, where that cannot be. */
function alignLoop(loop: Loop, place: Place): Body {
  const unswitched = unswitchLoop(loop);
  const written = inBlocks(unswitched, place);
  if (written === undefined) return [loop];
  const { before, blocks, last } = written;
  const { condition } = unswitched;
  const guarded = (then: Body): Body =>
    condition === undefined ? then : [{ kind: "if", condition, then, else: [] }];
  if (last.length === 0) return [...before, ...guarded(blocks)];
  return [...before, ...guarded(blocks), { kind: "barrier", memory: "storage" }, ...guarded(last)];
}

function withoutMark({ aligned: _, ...loop }: Loop): Loop {
  return loop;
}

function alignIn(body: Body, outer: Place): Body {
  let place = outer;
  return flatMap(body, (s): Body => {
    const range = s.kind === "declare" && !s.mutable ? indexRange(s.value, place.facts) : undefined;
    if (s.kind === "declare" && range !== undefined) {
      place = { ...place, facts: withRange(place.facts, s.name, range) };
    }
    if (s.kind === "if") {
      const inside = { ...place, around: undefined };
      return [{ ...s, then: alignIn(s.then, inside), else: alignIn(s.else, inside) }];
    }
    if (s.kind !== "loop") return [s];
    const facts = withRange(place.facts, s.variable, rangeOfLoop(s, place.facts));
    const around = place.around && [...place.around, variableOf(s.variable, indexType)];
    const loop = { ...withoutMark(s), body: alignIn(s.body, { ...place, facts, around }) };
    return s.aligned === true ? alignLoop(loop, place) : [loop];
  });
}

/** Marked loops in blocks that begin where vectors of memory do. */
export function alignLoops(kernel: Kernel): Kernel {
  if (!eachKernelStatement(kernel.body).some((s) => s.kind === "loop" && s.aligned === true)) {
    return kernel;
  }
  const suits = (a: KernelArray): boolean =>
    a.space === "storage" && a.access === "read" && !a.atomic && a.view !== true;
  const wide = kernel.arrays.filter((a) => suits(a) && roomOf(a) % width === 0);
  const place: Place = {
    facts: { kernel, variables: new Map() },
    loaded: new Map(wide.map((a) => [a.id, a])),
    stored: arraysOfOneStore(kernel),
    names: nameSource(namesIn(kernel)),
    around: [],
  };
  return { ...kernel, body: alignIn(kernel.body, place) };
}
