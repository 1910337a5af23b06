/** The iterations of a loop in blocks, each of which loads and stores vectors: parts of align-loops.ts. */
import { flatMap } from "../../support/flat-map.ts";
import { floorDiv } from "../../support/integer.ts";
import { listOf } from "../../support/list-of.ts";
import {
  addIndex,
  clampIndex,
  compare,
  componentOf,
  indexLiteral,
  indexType,
  kernelType,
  literalOf,
  scaleIndex,
  subtractIndex,
  variableOf,
} from "../build.ts";
import { type KernelExpression, type KernelStatement, roomOf } from "../kernel.ts";
import type { NameSource } from "../lower/block.ts";
import { originOf } from "../origin.ts";
import { mapKernelExpression, mapKernelStatements, mapOwnExpressions } from "../rewrite-kernel.ts";
import { expressionKey } from "../walk-kernel.ts";
import { type LoadedRow, type Offset, type Row, width } from "./aligned-rows.ts";
import { copyStatements, freshNames } from "./copy-statements.ts";
import { type IndexFacts, indexRange } from "./index-range.ts";

type Body = readonly KernelStatement[];
type Loop = Extract<KernelStatement, { kind: "loop" }>;
type Store = Extract<KernelStatement, { kind: "store" }>;

/** A row, and the number of the vector in which it begins. */
export interface Begun<T extends Row> {
  readonly row: T;
  readonly first: KernelExpression;
}

/** A loop in blocks: `middle` whole ones from the second on, of `all`, and what they have in common. */
export interface Blocks {
  readonly loop: Loop;
  readonly loads: readonly Begun<LoadedRow>[];
  readonly stores: readonly Begun<Row>[];
  /** How many elements of the vector in which a row begins are before it. */
  readonly outside: KernelExpression;
  readonly offset: Offset;
  readonly middle: number;
  readonly all: number;
  readonly facts: IndexFacts;
  readonly names: NameSource;
}

/** One of the blocks. */
interface Block {
  readonly number: KernelExpression;
  /** The highest number that it may have. */
  readonly most: number;
  /** Whether a component is one of the row: always, never, or under a condition. */
  readonly isInRow: (component: number) => boolean | KernelExpression;
  /** The iteration of a component. */
  readonly iteration: (component: number) => KernelExpression;
  /** Whether others stored something to its vectors before. */
  readonly isShared: boolean;
}

function declared(name: string, value: KernelExpression, mutable = false): KernelStatement {
  return { kind: "declare", name, type: value.type, value, mutable };
}

/** Where the vector of a block begins. */
function vectorIndex({ row, first }: Begun<Row>, { number, most }: Block, facts: IndexFacts) {
  const last = roomOf(row.array) / width - 1;
  const at = addIndex(first, number);
  const hi = floorDiv(indexRange(row.base, facts)?.hi ?? 0, width) + most;
  // A vector that has nothing of the row may be after the last one there is.
  const inside = number.kind === "literal" && hi > last ? clampIndex(at, last) : at;
  return scaleIndex(inside, width);
}

/** A vector of a row that has a name. */
function loadVector(
  begun: Begun<Row>,
  block: Block,
  { facts, names }: Blocks,
): { readonly statement: KernelStatement; readonly vector: KernelExpression } {
  const { id, scalar } = begun.row.array;
  const type = kernelType(scalar, width);
  const index = vectorIndex(begun, block, facts);
  const name = names.fresh(`${id}_vector`);
  const load: KernelExpression = { kind: "load", array: id, index, type, ...originOf(begun.row) };
  const statement = declared(name, load);
  return { statement, vector: variableOf(name, type) };
}

/** The body of the loop for one iteration, whose loads are components of vectors. */
function iteration(
  { loop, loads, names }: Blocks,
  vectors: readonly KernelExpression[],
  component: number,
  value: KernelExpression,
): Body {
  const loaded = new Map(
    loads.map(({ row }, n) => {
      const vector = vectors[n] ?? row.load;
      return [expressionKey(row.load), componentOf(vector, component)] as const;
    }),
  );
  const useVectors = (e: KernelExpression): KernelExpression =>
    mapKernelExpression(e, (node) =>
      node.kind === "load" ? loaded.get(expressionKey(node)) : undefined,
    );
  const body = mapKernelStatements(loop.body, (s) => [mapOwnExpressions(s, useVectors)]);
  return copyStatements(body, loop.variable, value, freshNames(body, names));
}

/** Statements in which values get names instead of being stored. */
function keepStored(body: Body, keep: (s: Store) => KernelStatement | undefined): Body {
  return body.map((s) => (s.kind === "store" ? (keep(s) ?? s) : s));
}

/** A vector that a block stores, while its components are computed. */
interface StoredVector {
  readonly begun: Begun<Row>;
  /** What its components are where they are none of the row. */
  readonly before: (component: number) => KernelExpression;
  readonly components: KernelExpression[];
}

/** What the iteration of one component of a block does. */
function componentOfBlock(
  blocks: Blocks,
  { isInRow, iteration: iterationOf }: Block,
  component: number,
  vectors: readonly KernelExpression[],
  stored: readonly StoredVector[],
): Body {
  const condition = isInRow(component);
  const always = condition === true;
  const before: KernelStatement[] = [];
  const names = new Map<string, string>();
  for (const { begun, before: outside, components } of stored) {
    const { id } = begun.row.array;
    const value = outside(component);
    if (condition === false) components.push(value);
    else {
      const name = blocks.names.fresh(`${id}_part`);
      names.set(id, name);
      components.push(variableOf(name, value.type));
      if (!always) before.push(declared(name, value, true));
    }
  }
  if (condition === false) return [];
  const own = iteration(blocks, vectors, component, iterationOf(component));
  const then = keepStored(own, (s) => {
    const { value } = s;
    const name = names.get(s.array);
    if (name === undefined) return undefined;
    const kept = always ? declared(name, value) : ({ kind: "assign", name, value } as const);
    return { ...kept, ...originOf(s) };
  });
  return always ? then : [...before, { kind: "if", condition, then, else: [] }];
}

/** A block: its vectors are loaded, the iterations of its components made, its vectors stored. */
function writeBlock(blocks: Blocks, block: Block): Body {
  const loaded = blocks.loads.map((begun) => loadVector(begun, block, blocks));
  const old: KernelStatement[] = [];
  const stored = blocks.stores.map((begun): StoredVector => {
    const components: KernelExpression[] = [];
    if (!block.isShared) {
      const none = literalOf(0, kernelType(begun.row.array.scalar));
      return { begun, before: () => none, components };
    }
    const { statement, vector } = loadVector(begun, block, blocks);
    old.push(statement);
    return { begun, before: (n) => componentOf(vector, n), components };
  });
  const vectors = loaded.map((l) => l.vector);
  const made = flatMap(
    listOf(width, (n) => n),
    (n) => componentOfBlock(blocks, block, n, vectors, stored),
  );
  const stores = stored.map(({ begun, components }): KernelStatement => {
    const { id, scalar } = begun.row.array;
    const value: KernelExpression = { kind: "vector", components, type: kernelType(scalar, width) };
    const index = vectorIndex(begun, block, blocks.facts);
    return { kind: "store", array: id, index, value, ...originOf(begun.row) };
  });
  return [...loaded.map((l) => l.statement), ...old, ...made, ...stores];
}

/** The first block, or one behind the whole ones, some of whose components are not of the row. */
export function edgeBlock(blocks: Blocks, number: number): Body {
  const { loop, offset, outside, stores } = blocks;
  const iterationAt = (component: number): number => width * number + component;
  // Of iterations `at - outside`, from 0 to before the extent.
  const isInRow = (component: number): boolean | KernelExpression => {
    const at = iterationAt(component);
    if (at < offset.lo || at >= loop.extent + offset.hi) return false;
    if (at >= offset.hi && at < loop.extent + offset.lo) return true;
    return number === 0
      ? compare("<=", outside, indexLiteral(at))
      : compare(">", outside, indexLiteral(at - loop.extent));
  };
  const isShared = number > 0 && offset.hi > 0;
  const condition = isShared && stores.length > 0 ? isInRow(0) : true;
  const body = writeBlock(blocks, {
    number: indexLiteral(number),
    most: number,
    isInRow: (n) => (n === 0 && condition !== true ? true : isInRow(n)),
    iteration: (n) => subtractIndex(indexLiteral(iterationAt(n)), outside),
    isShared,
  });
  // Where a row ends before, the vector is another's alone.
  return typeof condition === "boolean" ? body : [{ kind: "if", condition, then: body, else: [] }];
}

/** The whole blocks. */
export function middleBlocks(blocks: Blocks): Body {
  const { loop, middle, outside, names } = blocks;
  const name = names.fresh(`${loop.variable}_vector`);
  const trip = variableOf(name, indexType);
  const before = subtractIndex(indexLiteral(width), outside);
  const body = writeBlock(blocks, {
    number: addIndex(trip, indexLiteral(1)),
    most: middle,
    isInRow: () => true,
    iteration: (n) => addIndex(scaleIndex(trip, width), addIndex(before, indexLiteral(n))),
    isShared: false,
  });
  return [{ kind: "loop", variable: name, extent: middle, body, ...originOf(loop) }];
}
