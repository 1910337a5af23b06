import { defined } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import { elementCount, rowMajorStrides, type ScalarType } from "../../support/scalar-type.ts";
import { elementsPerWord, wordCount } from "../../support/words.ts";
import {
  type Affine,
  add,
  addConstant,
  constant,
  lessThan,
  scale,
  subtract,
  variable,
} from "../affine.ts";
import type { Dim, Quotient } from "../domain.ts";
import { binary, type Expression, literal, read, select } from "../expression.ts";
import {
  type Access,
  affineIndex,
  type Program,
  type ProgramNode,
  type Statement,
  type Tensor,
} from "../program.ts";
import { addTensor, freshStatementId, freshTensorName, temporary } from "./rewrite.ts";

/** How the elements of a tensor lie in words. */
interface Words {
  readonly type: ScalarType;
  readonly per: number;
  /** The shape of the tensor of words. */
  readonly shape: readonly number[];
  /** False where rows end within a word: then the words of all elements are one row. */
  readonly byRows: boolean;
}

function wordsOf({ shape, stored, components }: Tensor): Words {
  const narrow = defined(stored, "stored type");
  const type = defined(components[0], "component");
  const per = elementsPerWord(narrow);
  const last = shape.at(-1);
  if (last !== undefined && last % per === 0) {
    return { type, per, shape: [...shape.slice(0, -1), last / per], byRows: true };
  }
  return { type, per, shape: [wordCount(narrow, elementCount(shape))], byRows: false };
}

function dimsOver(shape: readonly number[]): readonly Dim[] {
  return shape.map((extent, d) => ({
    name: `i${d}`,
    lower: constant(0),
    upper: constant(extent),
    indices: [],
  }));
}

/** The coordinates of element number `number` of a row-major tensor. */
function coordinatesOf(
  number: Affine,
  shape: readonly number[],
  prefix: string,
): { readonly index: readonly Affine[]; readonly quotients: readonly Quotient[] } {
  const index: Affine[] = [];
  const quotients: Quotient[] = [];
  let rest = number;
  for (const [d, extent] of [...shape.entries()].reverse()) {
    if (d === 0 || extent === 1) {
      index.unshift(d === 0 ? rest : constant(0));
      continue;
    }
    const name = `${prefix}.${d}`;
    quotients.push({ name, numerator: rest, divisor: extent });
    index.unshift(subtract(rest, scale(variable(name), extent)));
    rest = variable(name);
  }
  return { index, quotients };
}

/** A part of a word: how it is read, or null where no word has it. */
interface Part {
  readonly access: Access | null;
  readonly quotients: readonly Quotient[];
}

/** Part `p` of a word of whole rows: the last index is `per * w + p`. */
function partOfRow(wide: string, { shape, per }: Words, p: number): Part {
  const last = shape.length - 1;
  const index = shape.map((_, d) => {
    const at = variable(`i${d}`);
    return affineIndex(d === last ? addConstant(scale(at, per), p) : at);
  });
  return { access: { tensor: wide, index, guard: [], fill: 0 }, quotients: [] };
}

/** Part `p` of a word is element `per * w + p` of all, if there are so many. */
function partOfAll(wide: string, words: Words, shape: readonly number[], p: number): Part {
  const count = elementCount(shape);
  const [extent = 1] = words.shape;
  if (p >= count) return { access: null, quotients: [] };
  const number = addConstant(scale(variable("i0"), words.per), p);
  const { index, quotients } = coordinatesOf(number, shape, `q${p}`);
  const isRagged = words.per * (extent - 1) + p >= count;
  const guard = isRagged ? [lessThan(number, constant(count))] : [];
  return {
    access: { tensor: wide, index: index.map(affineIndex), guard, fill: 0 },
    quotients,
  };
}

/** The statement that makes the words of a result from its elements in a temporary. */
function packStatement(program: Program, tensor: Tensor, wide: string, words: Words): Statement {
  const parts = Array.from({ length: words.per }, (_, p) =>
    words.byRows ? partOfRow(wide, words, p) : partOfAll(wide, words, tensor.shape, p),
  );
  const reads = flatMap(parts, ({ access }) => (access === null ? [] : [access]));
  const dims = dimsOver(words.shape);
  return {
    id: freshStatementId(program, `${tensor.name}.pack`),
    domain: { dims, guards: [], quotients: flatMap(parts, (part) => part.quotients) },
    loops: [],
    write: { tensor: tensor.name, index: dims.map((d) => affineIndex(variable(d.name))) },
    reads,
    reduction: null,
    body: parts.map(({ access }) =>
      access === null ? literal(0, words.type) : read(reads.indexOf(access), words.type),
    ),
    span: tensor.span,
  };
}

/** The part of a word at a position that is known when it runs. */
function partAt(position: Affine, { type, per }: Words): Expression {
  const at: Expression = { kind: "coordinate", affine: position, type: "int32" };
  let value = read(0, type, per - 1);
  for (let p = per - 2; p >= 0; p--) {
    value = select(binary("==", at, literal(p, "int32"), "bool"), read(0, type, p), value);
  }
  return value;
}

/** The statement that takes the words of an in-place tensor apart. */
function unpackStatement(program: Program, tensor: Tensor, wide: string, words: Words): Statement {
  const dims = dimsOver(tensor.shape);
  const strides = words.byRows
    ? dims.map((_, d) => (d === dims.length - 1 ? 1 : 0))
    : rowMajorStrides(tensor.shape);
  const number = add(...dims.map((d, n) => scale(variable(d.name), strides[n] ?? 1)));
  const word = variable("q");
  const outer = words.byRows ? dims.slice(0, -1).map((d) => variable(d.name)) : [];
  return {
    id: freshStatementId(program, `${tensor.name}.unpack`),
    domain: {
      dims,
      guards: [],
      quotients: [{ name: "q", numerator: number, divisor: words.per }],
    },
    loops: [],
    write: { tensor: wide, index: dims.map((d) => affineIndex(variable(d.name))) },
    reads: [{ tensor: tensor.name, index: [...outer, word].map(affineIndex), guard: [], fill: 0 }],
    reduction: null,
    body: [partAt(subtract(number, scale(word, words.per)), words)],
    span: tensor.span,
  };
}

function renameTensor(program: Program, from: string, to: string): Program {
  const rename = <T extends { readonly tensor: string }>(access: T): T =>
    access.tensor === from ? { ...access, tensor: to } : access;
  return {
    ...program,
    statements: program.statements.map((s) => ({
      ...s,
      write: rename(s.write),
      reads: s.reads.map(rename),
    })),
  };
}

function nodeOf(s: Statement): ProgramNode {
  return { kind: "statement", statement: s.id };
}

function packTensor(program: Program, tensor: Tensor): Program {
  const words = wordsOf(tensor);
  const wide = temporary(freshTensorName(program, `${tensor.name}_wide`), tensor);
  const inside = addTensor(renameTensor(program, tensor.name, wide.name), wide);
  const pack = packStatement(inside, tensor, wide.name, words);
  const first = tensor.role === "inout" ? [unpackStatement(inside, tensor, wide.name, words)] : [];
  const { original = tensor.shape, ...known } = tensor;
  const ofWords: Tensor = {
    ...known,
    components: Array.from({ length: words.per }, () => words.type),
    shape: words.shape,
    unpacked: original,
  };
  return {
    ...inside,
    tensors: inside.tensors.map((t) => (t.name === tensor.name ? ofWords : t)),
    statements: [...first, ...inside.statements, pack],
    tree: [...first.map(nodeOf), ...inside.tree, nodeOf(pack)],
  };
}

/**
 * Purpose: makes words the elements of results of 8 and 16 bits, so that each word is written by one
 * instance of a statement, whole.
 *
 * ```
 * output int8 y(N): { i in 0..N } y(i) = f(i)
 *   -->  { i in 0..N } y_wide(i) = f(i)
 *        { w in 0..N/4 } y(w) = <y_wide(4*w), y_wide(4*w + 1), y_wide(4*w + 2), y_wide(4*w + 3)>
 * ```
 * The parts of the last word that are no elements are 0. A tensor that the caller supplies is taken
 * apart first.
 *
 * Requires: the whole program. Ensures: all that is written is written in whole words; narrow
 * tensors that are only read stay as they are.
 */
export function packWords(program: Program): Program {
  return program.tensors
    .filter((t) => t.stored !== undefined && t.unpacked === undefined)
    .filter((t) => t.role !== "input" && elementCount(t.shape) > 0)
    .reduce(packTensor, program);
}
