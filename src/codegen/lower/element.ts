/**
 * Elements: from a tensor and its coordinates to an array and an index in it, under the layout that
 * the tensor has in this kernel.
 */
import {
  type Affine,
  add,
  addConstant,
  coefficientOf,
  constant,
  printAffine,
  scale,
  subtract,
  variable,
} from "../../ir/affine.ts";
import type { Layout } from "../../ir/layout.ts";
import { callerShape, hasPadding, type Index, type Tensor, tensorOf } from "../../ir/program.ts";
import { defined } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import { ceilDiv, floorDiv } from "../../support/integer.ts";
import { elementCount, type NarrowType, rowMajorStrides } from "../../support/scalar-type.ts";
import { elementsPerWord, storedBytes, wordCount } from "../../support/words.ts";
import {
  addIndex,
  castTo,
  clampIndex,
  compare,
  divideIndex,
  indexLiteral,
  indexType,
  moduloIndex,
  scaleIndex,
  subtractIndex,
} from "../build.ts";
import type { KernelArray, KernelExpression } from "../kernel.ts";
import { offsetVariable } from "../plan.ts";
import { expressionKey, someKernelExpression } from "../walk-kernel.ts";
import { bind } from "./block.ts";
import { dealtCoordinate, registersOf } from "./dealt-coordinate.ts";
import {
  arrayName,
  boxArray,
  type KernelContext,
  ofDims,
  ofLoops,
  type Scope,
  useArray,
} from "./scope.ts";
import { slotOffset, turnOffset } from "./slots.ts";
import { indexOf, rangeOf } from "./variables.ts";
import { viewArray } from "./view-array.ts";

/** Where an element lies. */
export interface Element {
  readonly array: string;
  /** Computed where it is needed: most elements have been loaded before. */
  index(): KernelExpression;
  /** The index as an affine function of index variables, when it is one. */
  readonly affine: Affine | null;
  /** The part of the index that is affine, and the factors of what it has besides. */
  readonly parts: { readonly affine: Affine; readonly factors: readonly number[] };
  /** Names the element within the block, for sharing loads. */
  readonly key: string;
  /** What must hold at run time for the element to be in the tensor. */
  readonly conditions: readonly KernelExpression[];
  /** Of an element that is part of a word, which array, index and key name: which part. */
  readonly part: { readonly type: NarrowType; readonly position: KernelExpression } | null;
  /** Of an element in lanes, which lane has it; null for the own one, and where all have their own. */
  readonly lane: Affine | null;
}

/** True for a row with more elements than mean something. */
function isLonger({ original, shape }: Tensor): boolean {
  return original !== undefined && elementCount(original) < elementCount(shape);
}

/** What of the array of a dense tensor is padding, and what of its memory could be, if it can be bound. */
function paddingOf(
  { bindable }: KernelContext,
  tensor: Tensor,
  { scalar, length }: Pick<KernelArray, "scalar" | "length">,
): Pick<KernelArray, "elements" | "room"> {
  const count = elementCount(callerShape(tensor));
  const used = tensor.stored === undefined ? count : wordCount(tensor.stored, count);
  const room = 4 * ceilDiv(length, 4);
  return {
    ...(isLonger(tensor) ? { elements: used } : {}),
    ...(hasPadding(tensor) && room > length && storedBytes(scalar, [room]) <= bindable
      ? { room }
      : {}),
  };
}

/** The array that holds a component of a tensor, and the offset of its layout in it. */
function arrayOf(
  scope: Scope,
  tensor: string,
  component: number,
  writes: boolean,
): { readonly array: string; readonly offset: Affine; readonly layout: Layout } {
  const { context } = scope;
  const declared = tensorOf(context.program, tensor);
  const { components, stored, unpacked } = declared;
  const layout = defined(context.layouts.get(tensor), "layout of", tensor);
  const id = arrayName(declared, component);
  const scalar = defined(components[component], `component ${component} of ${tensor}`);
  if (layout.kind === "box") {
    const size = elementCount(registersOf(layout));
    const { workgroups } = context;
    const { space, turns } = layout;
    const all = size * (turns?.slots ?? 1);
    const array = useArray(context, id, () => {
      const box = boxArray(id, scalar, space, all, workgroups);
      // Each workgroup has padding somewhere in its slice, or none.
      return isLonger(declared) ? { ...box, elements: 0 } : box;
    });
    if (turns !== null) return { array, offset: turnOffset(scope, turns, size), layout };
    const slice = space === "scratch" ? scale(context.workgroup, size) : constant(0);
    return { array, offset: ofLoops(scope, slice), layout };
  }
  if (declared.layout !== undefined) return viewOf(scope, declared, layout);
  const size = elementCount(layout.shape);
  const slots = layout.fold?.slots ?? 1;
  const ofParts = stored !== undefined && unpacked === undefined;
  const length = ofParts ? wordCount(stored, size) : size * slots;
  const stores = stored === undefined ? scalar : "uint32";
  const array = useArray(context, id, () => ({
    id,
    scalar: stores,
    space: "storage",
    length,
    ...paddingOf(context, declared, { scalar: stores, length }),
    buffer: id,
    access: context.written.has(tensor) ? "read_write" : "read",
    atomic: context.atomic.has(tensor),
    width: 1,
  }));
  const offset =
    layout.fold === null ? constant(0) : slotOffset(scope, tensor, layout.fold, size, writes);
  return { array, offset, layout };
}

/** The array of a view, and where its element (0, ..., 0) lies in it. */
function viewOf(
  { context }: Scope,
  tensor: Tensor,
  layout: Extract<Layout, { kind: "whole" }>,
): { readonly array: string; readonly offset: Affine; readonly layout: Layout } {
  const made = viewArray(context, tensor, layout);
  const array = useArray(context, made.id, () => made);
  const back = layout.strides.reduce((sum, stride, d) => {
    return stride < 0 ? sum - stride * ((layout.shape[d] ?? 1) - 1) : sum;
  }, 0);
  const { offsetMultiple } = layout;
  if (offsetMultiple === null) return { array, offset: constant(back), layout };
  const name = offsetVariable(tensor.name);
  if (!context.variables.has(name)) {
    // The kernel may be lowered once more, with other ranges.
    const known = context.steps.indexOf(name);
    const slot = known < 0 ? context.steps.push(name) - 1 : known;
    const range = { lo: 0, hi: Math.floor((2 ** 31 - 1) / offsetMultiple) };
    context.variables.set(name, { range, expression: { kind: "step", slot, type: indexType } });
  }
  return { array, offset: addConstant(variable(name, offsetMultiple), back), layout };
}

/**
 * A coordinate along a vector loop as one of a vector that is wholly in range, if vectors are whole
 * there: where it is outside, all of its components are, and another vector will do. Null otherwise.
 */
function clampedVector({ context, lane }: Scope, a: Affine, extent: number): Affine | null {
  if (lane === null || coefficientOf(a, lane.variable) !== 1 || extent % lane.width !== 0)
    return null;
  const first = subtract(a, variable(lane.variable));
  const parts = [first.constant, ...first.terms.map((t) => t.coefficient)];
  if (extent === 0 || parts.some((c) => c % lane.width !== 0)) return null;
  const terms = first.terms.map((t) => ({ ...t, coefficient: t.coefficient / lane.width }));
  const number: Affine = { terms, constant: first.constant / lane.width };
  const last = extent / lane.width - 1;
  const name = `vector ${printAffine(number)} to ${last}`;
  const expression = clampIndex(indexOf(number, context.variables), last);
  context.variables.set(name, { range: { lo: 0, hi: last }, expression });
  return add(variable(name, lane.width), variable(lane.variable));
}

/**
 * One coordinate: in range by proof or by promise, or clamped, or checked at run time. One that is
 * clamped or not affine comes with its value, and with what tells it from others.
 */
interface Coordinate {
  readonly affine: Affine | null;
  readonly computed: { readonly expression: KernelExpression; readonly key: string } | null;
  readonly condition: KernelExpression | null;
}

function inRange(affine: Affine): Coordinate {
  return { affine, computed: null, condition: null };
}

function affineCoordinate(
  scope: Scope,
  a: Affine,
  extent: number,
  outside: ElementUse["outside"],
): Coordinate {
  const { context } = scope;
  if (outside === "never") return inRange(a);
  const { lo, hi } = rangeOf(a, context.variables);
  if (lo >= 0 && hi < extent) return inRange(a);
  const vector = outside === "clamp" ? clampedVector(scope, a, extent) : null;
  if (vector !== null) return inRange(vector);
  const expression = indexOf(a, context.variables);
  const clamped = clampIndex(expression, Math.max(0, extent - 1));
  // A negative coordinate has wrapped to one that is too large.
  const inside = compare("<", expression, indexLiteral(extent));
  const condition = outside === "drop" ? inside : null;
  const affine = clamped.kind === "literal" ? constant(clamped.value) : null;
  return { affine, computed: { expression: clamped, key: `min(${printAffine(a)})` }, condition };
}

function opaqueCoordinate(scope: Scope, value: KernelExpression, extent: number): Coordinate {
  const at = castTo(value, "uint32");
  const changes = someKernelExpression(at, (e) => e.kind === "load");
  const name = changes
    ? bind(scope.block, "at", at)
    : scope.block.share(`at:${expressionKey(at)}`, "at", () => at);
  return {
    affine: null,
    computed: {
      expression: clampIndex(name, Math.max(0, extent - 1)),
      key: JSON.stringify(name),
    },
    condition: compare("<", name, indexLiteral(extent)),
  };
}

/** How an element is going to be used. */
export interface ElementUse {
  readonly tensor: string;
  readonly component: number;
  readonly index: readonly Index[];
  /**
   * What to do about affine coordinates outside the tensor: there are `never` any where this is
   * executed, or they may become some other element, or the access must not happen.
   */
  readonly outside: "never" | "clamp" | "drop";
  readonly writes: boolean;
  /** Lowers an opaque coordinate. */
  readonly opaque: (
    expression: Extract<Index, { kind: "opaque" }>["expression"],
  ) => KernelExpression;
}

/** The element that an access names. */
export function elementOf(scope: Scope, use: ElementUse): Element {
  const { context } = scope;
  const { array, offset, layout } = arrayOf(scope, use.tensor, use.component, use.writes);
  const extents = layout.kind === "box" ? layout.extents : layout.shape;
  const tensor = tensorOf(context.program, use.tensor);
  const deal = layout.kind === "box" ? layout.deal : null;
  let lane: Affine | null = null;
  const coordinates = use.index.map((index, d): Coordinate => {
    const extent = defined(extents[d], `extent ${d} of ${use.tensor}`);
    if (index.kind === "opaque") {
      // A box may have more elements than the tensor, which nothing sets.
      const inside = Math.min(extent, tensor.shape[d] ?? extent);
      return opaqueCoordinate(scope, use.opaque(index.expression), inside);
    }
    const whole = ofDims(scope, index.affine);
    if (layout.kind === "whole") return affineCoordinate(scope, whole, extent, use.outside);
    const base = ofLoops(scope, defined(layout.base[d], `base ${d} of ${use.tensor}`));
    const inside = subtract(whole, base);
    if (d !== deal?.dimension) return affineCoordinate(scope, inside, extent, use.outside);
    const place = dealtCoordinate(inside, deal, context.variables);
    lane = place.lane;
    return inRange(place.register);
  });
  const registers = layout.kind === "box" ? registersOf(layout) : extents;
  const strides = layout.kind === "box" ? rowMajorStrides(registers) : layout.strides;
  const flat = flatten(context, array, offset, coordinates, strides);
  const element = lane === null ? flat : inLane(flat, lane);
  return tensor.stored === undefined ? element : partOfWord(context, element, tensor, use);
}

function inLane(element: Element, lane: Affine): Element {
  return { ...element, lane, key: `${element.key} of lane ${printAffine(lane)}` };
}

/** From an element by its number, or a component of a word, to the part of a word that it is. */
function partOfWord(
  context: KernelContext,
  element: Element,
  { stored, unpacked }: Tensor,
  use: ElementUse,
): Element {
  const type = defined(stored, "stored type of", use.tensor);
  if (unpacked !== undefined) {
    return { ...element, part: { type, position: indexLiteral(use.component) } };
  }
  const per = elementsPerWord(type);
  const { affine, array } = element;
  if (affine === null || affine.terms.some((t) => t.coefficient % per !== 0)) {
    const position = moduloIndex(element.index(), per);
    const key = `word of ${element.key}`;
    const index = (): KernelExpression => divideIndex(element.index(), per);
    return { ...element, index, affine: null, key, part: { type, position } };
  }
  const word: Affine = {
    terms: affine.terms.map((t) => ({ ...t, coefficient: t.coefficient / per })),
    constant: floorDiv(affine.constant, per),
  };
  const position = indexLiteral(affine.constant - per * word.constant);
  const index = (): KernelExpression => indexOf(word, context.variables);
  const key = `word ${array}[${printAffine(word)}]`;
  return { ...element, index, affine: word, key, part: { type, position } };
}

function flatten(
  context: KernelContext,
  array: string,
  offset: Affine,
  coordinates: readonly Coordinate[],
  strides: readonly number[],
): Element {
  const parts: Affine[] = [offset];
  for (const [d, c] of coordinates.entries()) {
    if (c.affine !== null) parts.push(scale(c.affine, strides[d] ?? 1));
  }
  const rest = sumOfOpaque(coordinates, strides, 1);
  const back = sumOfOpaque(coordinates, strides, -1);
  const affine = add(...parts);
  const isAffine = rest === null && back === null;
  return {
    array,
    index: () => {
      const known = indexOf(affine, context.variables);
      const forward = rest === null ? known : addIndex(rest, known);
      return back === null ? forward : subtractIndex(forward, back);
    },
    affine: isAffine ? affine : null,
    parts: {
      affine,
      factors: flatMap(coordinates, (c, d) => (c.affine === null ? (strides[d] ?? 1) : [])),
    },
    key: `${array}[${isAffine ? printAffine(affine) : `${printAffine(offset)};${keyOf(coordinates)}`}]`,
    conditions: flatMap(coordinates, (c) => (c.condition === null ? [] : [c.condition])),
    part: null,
    lane: null,
  };
}

function keyOf(coordinates: readonly Coordinate[]): string {
  return coordinates
    .map(({ affine, computed }) => computed?.key ?? (affine === null ? "" : printAffine(affine)))
    .join(",");
}

/** The part of an index that is computed at run time, of strides of that sign; null for none. */
function sumOfOpaque(
  coordinates: readonly Coordinate[],
  strides: readonly number[],
  sign: 1 | -1,
): KernelExpression | null {
  return coordinates.reduce<KernelExpression | null>((sum, { affine, computed }, d) => {
    const stride = sign * (strides[d] ?? 1);
    if (affine !== null || computed === null || stride <= 0) return sum;
    const term = scaleIndex(computed.expression, stride);
    return sum === null ? term : addIndex(sum, term);
  }, null);
}
