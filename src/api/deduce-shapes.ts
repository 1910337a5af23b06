/** The shapes of bare arrays: what their lengths tell when the other arguments tell the rest. */

import { evaluateSize, solveDimensions } from "../frontend/size-expression.ts";
import type { Definition, Expression, TypeNode } from "../frontend/syntax/ast.ts";
import { printExpression } from "../frontend/syntax/print-ast.ts";
import { RuntimeFault } from "../runtime/runtime-fault.ts";
import { own } from "../support/own.ts";
import { typeText } from "./type-text.ts";

/** A bare array that was given for a parameter. */
interface BareArray {
  readonly name: string;
  readonly type: TypeNode;
  readonly length: number;
}

/** What is known before bare arrays are looked at. */
export interface KnownSizes {
  /** Sizes that are given by name. */
  readonly explicit: Readonly<Record<string, number>>;
  /** Shapes that arguments tell, by tensor. */
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  /** Sizes that hold where nothing else does. */
  readonly defaults: Readonly<Record<string, number>>;
}

/**
 * The sizes that the lengths of bare arrays determine, by name: `float(M, K) A` of 6 elements gives
 * M = 2 when K = 3 is known, `int(R + 1) ptr` of 6 gives R = 5.
 *
 * @param lengths the number of elements of each bare array, by parameter.
 * @throws RuntimeFault `argument` for an array whose length fits no size, or that leaves sizes open
 *   for which there is no default; it says what to give instead.
 */
export function deduceSizes(
  definition: Definition,
  lengths: ReadonlyMap<string, number>,
  known: KnownSizes,
): Readonly<Record<string, number>> {
  const sizes = toldSizes(definition, known);
  const told = new Set(sizes.keys());
  const bare = definition.parameters.flatMap(({ name, type }): readonly BareArray[] => {
    const length = lengths.get(name.name);
    return length === undefined ? [] : [{ name: name.name, type, length }];
  });
  let open = bare;
  for (;;) {
    const left = open.filter((array) => !solve(array, sizes));
    if (left.length === open.length) break;
    open = left;
  }
  for (const [name, value] of Object.entries(known.defaults)) {
    if (!sizes.has(name)) sizes.set(name, value);
  }
  // Sizes inside of arithmetic are no matter of shapes: they are missing, as solveSizes says.
  const unsolved = open.find((array) => shapeHelps(array, sizes));
  if (unsolved !== undefined) throw undetermined(unsolved, sizes);
  const found = [...sizes].filter(
    ([name]) => !told.has(name) && !Object.hasOwn(known.defaults, name),
  );
  return Object.fromEntries(found);
}

/** The sizes that explicit values and the dimensions of shapes tell, first ones first. */
function toldSizes(definition: Definition, known: KnownSizes): Map<string, number> {
  const sizes = new Map(Object.entries(known.explicit));
  const told = definition.parameters.flatMap(({ name, type }) => {
    const shape = own(known.shapes, name.name);
    return (type.dimensions ?? []).flatMap((dimension, d) => {
      const extent = shape?.[d];
      return extent === undefined ? [] : [{ dimension, extent }];
    });
  });
  solveDimensions(told, sizes);
  return sizes;
}

/** Sets the one size that an array leaves open; false if there are more, or it hides in arithmetic. */
function solve(array: BareArray, sizes: Map<string, number>): boolean {
  const dimensions = array.type.dimensions ?? [];
  const values = dimensions.map((dimension) => evaluateSize(dimension, sizes));
  const open = dimensions.filter((_, d) => values[d] === undefined);
  const [first] = open;
  if (first === undefined) return true;
  const text = printExpression(first);
  if (open.some((e) => printExpression(e) !== text)) return false;
  const rest = values.reduce<number>((product, value) => product * (value ?? 1), 1);
  const extent = Math.round((array.length / rest) ** (1 / open.length));
  if (rest * extent ** open.length !== array.length)
    throw unfitting(array, sizes, rest, open.length);
  solveDimensions([{ dimension: first, extent }], sizes);
  return evaluateSize(first, sizes) !== undefined;
}

function openDimensions(
  { type }: BareArray,
  sizes: ReadonlyMap<string, number>,
): readonly Expression[] {
  return (type.dimensions ?? []).filter((e) => evaluateSize(e, sizes) === undefined);
}

function shapeHelps(array: BareArray, sizes: ReadonlyMap<string, number>): boolean {
  const open = openDimensions(array, sizes);
  return open.length > 0 && open.every((e) => e.kind === "name");
}

function unfitting(
  array: BareArray,
  sizes: ReadonlyMap<string, number>,
  rest: number,
  power: number,
): RuntimeFault {
  const shape = `shape: ${knownShape(array.type, sizes)}`;
  const why =
    power === 1
      ? `no multiple of ${rest}`
      : `not ${rest === 1 ? "" : `${rest} times `}a power of ${power}`;
  return fault(array, `${array.length} elements are ${why}, as \`{ data, ${shape} }\` would need`);
}

function undetermined(array: BareArray, sizes: ReadonlyMap<string, number>): RuntimeFault {
  const names = [...new Set(openDimensions(array, sizes).map((e) => printExpression(e)))];
  const last = names.pop() ?? "";
  const listed = names.length === 0 ? last : `${names.join(", ")} and ${last}`;
  const product = (array.type.dimensions ?? []).map((e) => dimensionText(e, sizes)).join(" * ");
  const example = `{ data: ${array.name}, shape: ${knownShape(array.type, sizes)} }`;
  return fault(
    array,
    `${array.length} elements do not tell ${listed}: give \`${example}\` with ${product} = ${array.length}`,
  );
}

/** The dimensions of a type, as numbers where they are known. */
function knownShape(type: TypeNode, sizes: ReadonlyMap<string, number>): string {
  return `[${(type.dimensions ?? []).map((e) => dimensionText(e, sizes)).join(", ")}]`;
}

function dimensionText(dimension: Expression, sizes: ReadonlyMap<string, number>): string {
  return String(evaluateSize(dimension, sizes) ?? printExpression(dimension));
}

function fault(array: BareArray, what: string): RuntimeFault {
  const declared = `\`${typeText(array.type)} ${array.name}\``;
  return new RuntimeFault("argument", `tensor "${array.name}", declared ${declared}: ${what}`);
}
