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
 * Requires: the widths of arrays are not settled; names of variables are unique in the kernel. Ensures:
 * the same iterations in the same order; names stay unique. Only loops that are marked are touched, and
 * no mark is left. Only storage that the kernel does not write is loaded in vectors, within the room
 * that it has.
 */
import { flatMap } from "../../support/flat-map.ts";
import { ceilDiv, floorDiv, floorMod, gcd } from "../../support/integer.ts";
import { listOf } from "../../support/list-of.ts";
import {
  addIndex,
  clampIndex,
  compare,
  componentOf,
  divideIndex,
  indexLiteral,
  indexType,
  kernelType,
  moduloIndex,
  scaleIndex,
  subtractIndex,
  variableOf,
} from "../build.ts";
import {
  type Kernel,
  type KernelArray,
  type KernelExpression,
  type KernelStatement,
  roomOf,
} from "../kernel.ts";
import { type NameSource, nameSource } from "../lower/block.ts";
import { mapKernelExpression, mapKernelStatements, mapOwnExpressions } from "../rewrite-kernel.ts";
import {
  containsCollective,
  eachKernelStatement,
  expressionKey,
  someKernelExpression,
  visitOwnExpressions,
} from "../walk-kernel.ts";
import { copyStatements, freshNames } from "./copy-statements.ts";
import { decideExpression } from "./decide-conditions.ts";
import { type IndexFacts, indexRange, rangeOfLoop, withRange } from "./index-range.ts";
import { changedIn, namesIn } from "./kernel-names.ts";
import { addLinear, type LinearIndex, linearIndex } from "./linear-index.ts";

type Body = readonly KernelStatement[];
type Loop = Extract<KernelStatement, { kind: "loop" }>;
type Load = Extract<KernelExpression, { kind: "load" }>;

/** Components of a vector. */
const width = 4;

/** Statements that may be written for one loop. */
const mostStatements = 384;

/** Where a statement stands. */
interface Place {
  readonly facts: IndexFacts;
  readonly names: NameSource;
  /** The arrays that may be loaded in vectors. */
  readonly arrays: ReadonlyMap<string, KernelArray>;
}

/** A load of the element `base + r` in iteration `r`. */
interface RowLoad {
  readonly load: Load;
  readonly base: KernelExpression;
  readonly linear: LinearIndex;
}

/** How far from the beginning of a vector rows begin: a multiple of `step`, and something. */
interface Offset {
  readonly lo: number;
  readonly hi: number;
}

/** Whether a value is that of all iterations, and can be computed before the first one. */
function isFixed(value: KernelExpression, changed: ReadonlySet<string>): boolean {
  return !someKernelExpression(
    value,
    (e) => e.kind === "load" || (e.kind === "variable" && changed.has(e.name)),
  );
}

/**
 * A load as one of a row, where it is one of an array that may be loaded in vectors. In a gather it is
 * `changed` that says where the row begins.
 */
function asRowLoad(
  load: Load,
  { variable }: Loop,
  changed: ReadonlySet<string>,
  place: Place,
): RowLoad | undefined {
  if (!place.arrays.has(load.array) || load.type.width !== 1) return undefined;
  const index = linearIndex(load.index, place.facts);
  const own = [...(index?.terms ?? [])].filter(([, { expression }]) =>
    someKernelExpression(expression, (e) => e.kind === "variable" && e.name === variable),
  );
  const [[key, term] = [], more] = own;
  if (index === undefined || key === undefined || more !== undefined) return undefined;
  if (term?.factor !== 1 || term.expression.kind !== "variable") return undefined;
  const terms = new Map(index.terms);
  terms.delete(key);
  const atFirst = mapKernelExpression(load.index, (e) =>
    e.kind === "variable" && e.name === variable ? indexLiteral(0) : undefined,
  );
  const base = decideExpression(atFirst, place.facts);
  if (!isFixed(base, changed)) return undefined;
  return { load, base, linear: { terms, constant: index.constant } };
}

/** The loads of rows that every iteration makes, once each. */
function rowLoads(loop: Loop, place: Place): readonly RowLoad[] {
  const found = new Map<string, RowLoad>();
  const changed = changedIn(loop);
  for (const s of loop.body) {
    visitOwnExpressions(s, (e) => {
      const row = e.kind === "load" ? asRowLoad(e, loop, changed, place) : undefined;
      if (row !== undefined) found.set(expressionKey(row.load), row);
    });
  }
  return [...found.values()];
}

/** Whether two rows always begin equally far from the beginning of a vector. */
function isCongruent(a: RowLoad, b: RowLoad): boolean {
  const { terms, constant } = addLinear(a.linear, b.linear, -1);
  return constant % width === 0 && [...terms.values()].every((t) => t.factor % width === 0);
}

/** The most rows that begin equally far from the beginning of a vector. */
function alignedTogether(rows: readonly RowLoad[]): readonly RowLoad[] {
  const groups = rows.map((row) => rows.filter((other) => isCongruent(row, other)));
  return groups.reduce((best, group) => (group.length > best.length ? group : best), []);
}

function offsetOf({ linear }: RowLoad): Offset {
  const step = [...linear.terms.values()].reduce((g, t) => gcd(g, t.factor), width);
  const lo = floorMod(linear.constant, step);
  return { lo, hi: lo + width - step };
}

/** A loop in blocks: `middle` whole ones from the second on, of `all`, and what they have in common. */
interface Blocks {
  readonly loop: Loop;
  readonly rows: readonly RowLoad[];
  /** By row: the number of the vector in which it begins. */
  readonly first: readonly KernelExpression[];
  /** How many elements of that vector are before the row. */
  readonly outside: KernelExpression;
  readonly offset: Offset;
  readonly middle: number;
  readonly all: number;
  readonly place: Place;
}

/** What is loaded in a block: its statements, and the vectors by row. */
function vectorsOf(
  { rows, first, place }: Blocks,
  block: KernelExpression,
  most: number,
): { readonly declared: Body; readonly vectors: readonly KernelExpression[] } {
  const declared = rows.map(({ load, base }, n): Extract<KernelStatement, { kind: "declare" }> => {
    const array = place.arrays.get(load.array);
    const last = (array === undefined ? 0 : roomOf(array)) / width - 1;
    const at = addIndex(first[n] ?? indexLiteral(0), block);
    const hi = floorDiv(indexRange(base, place.facts)?.hi ?? 0, width) + most;
    // A vector that has nothing of the row may be after the last one there is.
    const inside = block.kind === "literal" && hi > last ? clampIndex(at, last) : at;
    const type = kernelType(load.type.scalar, width);
    const value: KernelExpression = { ...load, index: scaleIndex(inside, width), type };
    const name = place.names.fresh(`${load.array}_vector`);
    return { kind: "declare", name, type, value, mutable: false };
  });
  return { declared, vectors: declared.map((s) => variableOf(s.name, s.type)) };
}

/** The body of the loop for one iteration, whose loads are components of vectors. */
function iteration(
  { loop, rows, place }: Blocks,
  vectors: readonly KernelExpression[],
  component: number,
  value: KernelExpression,
): Body {
  const loaded = new Map(
    rows.map((row, n) => {
      const vector = vectors[n] ?? row.load;
      return [expressionKey(row.load), componentOf(vector, component)] as const;
    }),
  );
  const useVectors = (e: KernelExpression): KernelExpression =>
    mapKernelExpression(e, (node) =>
      node.kind === "load" ? loaded.get(expressionKey(node)) : undefined,
    );
  const body = mapKernelStatements(loop.body, (s) => [mapOwnExpressions(s, useVectors)]);
  return copyStatements(body, loop.variable, value, freshNames(body, place.names));
}

/** The first block, or one behind the whole ones, some of whose components are not of the row. */
function edgeBlock(blocks: Blocks, block: number): Body {
  const { loop, offset, outside } = blocks;
  const { declared, vectors } = vectorsOf(blocks, indexLiteral(block), block);
  const inRow = flatMap([0, 1, 2, 3], (component): Body => {
    const at = width * block + component;
    // Of iterations `at - outside`, from 0 to before the extent.
    if (at < offset.lo || at >= loop.extent + offset.hi) return [];
    const value = subtractIndex(indexLiteral(at), outside);
    const then = iteration(blocks, vectors, component, value);
    if (at >= offset.hi && at < loop.extent + offset.lo) return then;
    const condition =
      block === 0
        ? compare("<=", outside, indexLiteral(at))
        : compare(">", outside, indexLiteral(at - loop.extent));
    return [{ kind: "if", condition, then, else: [] }];
  });
  return [...declared, ...inRow];
}

/** The whole blocks. */
function middleBlocks(blocks: Blocks): Body {
  const { loop, middle, outside, place } = blocks;
  const name = place.names.fresh(`${loop.variable}_vector`);
  const trip = variableOf(name, indexType);
  const { declared, vectors } = vectorsOf(blocks, addIndex(trip, indexLiteral(1)), middle);
  const before = subtractIndex(indexLiteral(width), outside);
  const body = flatMap([0, 1, 2, 3], (component) => {
    const start = addIndex(before, indexLiteral(component));
    return iteration(blocks, vectors, component, addIndex(scaleIndex(trip, width), start));
  });
  return [{ kind: "loop", variable: name, extent: middle, body: [...declared, ...body] }];
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
function inBlocks(loop: Loop, outer: Place): Body | undefined {
  const { extent, variable, body } = loop;
  if (loop.end !== undefined || containsCollective(loop)) return undefined;
  const facts = withRange(outer.facts, variable, rangeOfLoop(loop, outer.facts));
  const place = { ...outer, facts };
  const rows = alignedTogether(rowLoads(loop, place));
  const [row] = rows;
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
  const before = named(`${variable}_outside`, outside, names);
  const starts = rows.map((r) => named(`${r.load.array}_first`, divideIndex(r.base, width), names));
  const first = starts.map((s) => s.value);
  const blocks = { loop, rows, first, outside: before.value, offset, middle, all, place };
  return [
    ...before.declared,
    ...flatMap(starts, (s) => s.declared),
    ...edgeBlock(blocks, 0),
    ...middleBlocks(blocks),
    ...flatMap(
      listOf(all - middle - 1, (n) => middle + 1 + n),
      (block) => edgeBlock(blocks, block),
    ),
  ];
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
      return [{ ...s, then: alignIn(s.then, place), else: alignIn(s.else, place) }];
    }
    if (s.kind !== "loop") return [s];
    const facts = withRange(place.facts, s.variable, rangeOfLoop(s, place.facts));
    const loop = { ...withoutMark(s), body: alignIn(s.body, { ...place, facts }) };
    return (s.aligned === true ? inBlocks(loop, place) : undefined) ?? [loop];
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
    names: nameSource(namesIn(kernel)),
    arrays: new Map(wide.map((a) => [a.id, a])),
  };
  return { ...kernel, body: alignIn(kernel.body, place) };
}
