/**
 * Purpose: gives every storage array the one element width that its declaration will have.
 *
 * Requires: wide accesses are aligned. Ensures: an array with wide accesses is declared wide if all
 * its wide accesses have one width and no store is narrower (a component store to a vector may
 * rewrite its neighbours), nor a load where the memory may end within a vector; the wide accesses of
 * all other storage arrays are taken apart.
 */
import { listOf } from "../../support/list-of.ts";
import { addIndex, componentOf, indexLiteral, kernelType } from "../build.ts";
import type { Kernel, KernelArray, KernelExpression, KernelStatement, Width } from "../kernel.ts";
import { mapKernelExpression, mapKernelStatements, mapOwnExpressions } from "../rewrite-kernel.ts";
import {
  eachKernelStatement,
  fragmentMemory,
  isFragmentStatement,
  visitOwnExpressions,
} from "../walk-kernel.ts";

interface Use {
  readonly loads: Set<Width>;
  readonly stores: Set<Width>;
}

function usesOf(kernel: Kernel): ReadonlyMap<string, Use> {
  const uses = new Map<string, Use>();
  const of = (array: string): Use => {
    const known = uses.get(array);
    if (known !== undefined) return known;
    const use = { loads: new Set<Width>(), stores: new Set<Width>() };
    uses.set(array, use);
    return use;
  };
  for (const s of eachKernelStatement(kernel.body)) {
    if (s.kind === "store") of(s.array).stores.add(s.value.type.width);
    const matrix = isFragmentStatement(s) ? fragmentMemory(s) : null;
    // Fragments are loaded and stored by elements.
    if (matrix !== null) of(matrix.array).stores.add(1);
    visitOwnExpressions(s, (e) => {
      if (e.kind === "load") of(e.array).loads.add(e.type.width);
    });
  }
  return uses;
}

function widthOf(array: KernelArray, use: Use | undefined): Width {
  const wide = [...(use?.loads ?? []), ...(use?.stores ?? [])].filter((w) => w > 1);
  const [first] = wide;
  if (first === undefined || array.space !== "storage") return 1;
  const stores = [...(use?.stores ?? [])];
  const agree = wide.every((w) => w === first) && stores.every((w) => w === first);
  const whole = array.view !== true || [...(use?.loads ?? [])].every((w) => w === first);
  return agree && whole && array.length % first === 0 ? first : 1;
}

/** Declares arrays wide where that is possible and takes other wide accesses apart. */
export function settleWidths(kernel: Kernel): Kernel {
  const uses = usesOf(kernel);
  const arrays = kernel.arrays.map((a) => ({ ...a, width: widthOf(a, uses.get(a.id)) }));
  const narrow = new Set(arrays.filter((a) => a.width === 1).map((a) => a.id));
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
    { kind: "declare", name, type, value: store.value, mutable: false },
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
