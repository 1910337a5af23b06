/**
 * Purpose: gives every array in storage and in workgroup memory the one element width that its
 * declaration will have.
 *
 * Requires: wide accesses are aligned. Ensures: an array with wide accesses is declared wide if all
 * its wide accesses have one width and no store is narrower (a component store to a vector may
 * rewrite its neighbours), nor a load where the memory may end within a vector; the wide accesses of
 * all other storage arrays are taken apart. Where one of these loads padding, so do its parts.
 */
import { listOf } from "../../support/list-of.ts";
import { addIndex, componentOf, indexLiteral, kernelType } from "../build.ts";
import {
  type Kernel,
  type KernelArray,
  type KernelExpression,
  type KernelStatement,
  roomOf,
  type Width,
  withPadding,
  withWidth,
} from "../kernel.ts";
import { originOf } from "../origin.ts";
import { splitIndex } from "../print-wgsl/split-index.ts";
import { mapKernelExpression, mapKernelStatements, mapOwnExpressions } from "../rewrite-kernel.ts";
import {
  fragmentMemory,
  isFragmentStatement,
  statementsOf,
  visitOwnExpressions,
} from "../walk-kernel.ts";
import { factsOf, indexRange } from "./index-range.ts";
import { multiplesOf } from "./vectors.ts";

interface Use {
  readonly loads: Set<Width>;
  readonly stores: Set<Width>;
  /** Of loads of one element. */
  readonly indices: KernelExpression[];
}

function usesOf(kernel: Kernel): ReadonlyMap<string, Use> {
  const uses = new Map<string, Use>();
  const of = (array: string): Use => {
    const known = uses.get(array);
    if (known !== undefined) return known;
    const use: Use = { loads: new Set(), stores: new Set(), indices: [] };
    uses.set(array, use);
    return use;
  };
  for (const s of statementsOf(kernel)) {
    if (s.kind === "store") of(s.array).stores.add(s.value.type.width);
    const matrix = isFragmentStatement(s) ? fragmentMemory(s) : null;
    // Fragments are loaded and stored by elements.
    if (matrix !== null) of(matrix.array).stores.add(1);
    visitOwnExpressions(s, (e) => {
      if (e.kind !== "load") return;
      of(e.array).loads.add(e.type.width);
      if (e.type.width === 1) of(e.array).indices.push(e.index);
    });
  }
  return uses;
}

/**
 * Whether other loads go well with vectors of a width. In workgroup memory their component has to be
 * known: where it is not, drivers load all of the vector and choose.
 */
function suitsLoads(
  { space, view }: KernelArray,
  { loads, indices }: Use,
  width: Width,
  kernel: Kernel,
): boolean {
  if (space === "workgroup") {
    const multiples = multiplesOf(kernel);
    return indices.every((index) => splitIndex(index, width, multiples) !== undefined);
  }
  return view !== true || [...loads].every((w) => w === width);
}

function widthOf(array: KernelArray, use: Use | undefined, kernel: Kernel): Width {
  if (use === undefined || array.space === "private") return 1;
  const [first, ...others] = [...use.loads, ...use.stores].filter((w) => w > 1);
  if (first === undefined || roomOf(array) % first !== 0) return 1;
  const agree = [...others, ...use.stores].every((w) => w === first);
  return agree && suitsLoads(array, use, first, kernel) ? first : 1;
}

/** Whether some accesses are wider than an element. */
function isWide(use: Use | undefined): boolean {
  return use !== undefined && [...use.loads, ...use.stores].some((width) => width > 1);
}

/** The arrays of whose padding a wide load may have something. */
function paddingLoaded(kernel: Kernel): ReadonlySet<string> {
  const facts = factsOf(kernel);
  const lengths = new Map(kernel.arrays.map((a) => [a.id, a.length]));
  const found = new Set<string>();
  for (const s of statementsOf(kernel)) {
    visitOwnExpressions(s, (e) => {
      if (e.kind !== "load" || e.type.width === 1) return;
      const last = (indexRange(e.index, facts)?.hi ?? Infinity) + e.type.width - 1;
      if (last >= (lengths.get(e.array) ?? 0)) found.add(e.array);
    });
  }
  return found;
}

/** Declares arrays wide where that is possible and takes other wide accesses apart. */
export function settleWidths(kernel: Kernel): Kernel {
  const uses = usesOf(kernel);
  const settled = kernel.arrays.map((a) => withWidth(a, widthOf(a, uses.get(a.id), kernel)));
  const narrow = new Set(settled.filter((a) => a.width === 1).map((a) => a.id));
  if (![...narrow].some((id) => isWide(uses.get(id)))) return { ...kernel, arrays: settled };
  const padded = paddingLoaded(kernel);
  const arrays = settled.map((a) => (narrow.has(a.id) && padded.has(a.id) ? withPadding(a) : a));
  const splitLoads = (e: KernelExpression): KernelExpression =>
    mapKernelExpression(e, (node) =>
      node.kind === "load" && node.type.width > 1 && narrow.has(node.array)
        ? splitLoad(node)
        : undefined,
    );
  let names = 0;
  const body = mapKernelStatements(kernel.body, (s) => {
    const split = mapOwnExpressions(s, splitLoads);
    if (split.kind !== "store" || split.value.type.width === 1 || !narrow.has(split.array)) {
      return [split];
    }
    names += 1;
    return splitStore(split, `split.${names}`);
  });
  return { ...kernel, arrays, body };
}

function splitLoad(load: Extract<KernelExpression, { kind: "load" }>): KernelExpression {
  const components = listOf(load.type.width, (n): KernelExpression => {
    const index = addIndex(load.index, indexLiteral(n));
    return { ...load, index, type: kernelType(load.type.scalar) };
  });
  return { kind: "vector", components, type: load.type };
}

function splitStore(
  store: Extract<KernelStatement, { kind: "store" }>,
  name: string,
): readonly KernelStatement[] {
  const { type } = store.value;
  const whole: KernelExpression = { kind: "variable", name, type };
  return [
    { kind: "declare", name, type, value: store.value, mutable: false, ...originOf(store) },
    ...Array.from(
      { length: type.width },
      (_, n): KernelStatement => ({
        ...store,
        index: addIndex(store.index, indexLiteral(n)),
        value: componentOf(whole, n),
      }),
    ),
  ];
}
