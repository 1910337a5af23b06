/**
 * Purpose: turns private arrays whose indices are all literal into variables, which a device keeps
 * in registers.
 *
 * Requires: nothing. Ensures: the kernel computes the same; an array with an index that is not
 * literal stays. A group of elements that is only ever accessed together becomes one vector. Each
 * variable is declared in the innermost block that holds all its uses, where its first store is if
 * that comes first, else before the loops with the value 0.
 */
import { listOf } from "../../support/list-of.ts";
import { componentOf, kernelType, variableOf } from "../build.ts";
import type { Kernel, KernelExpression, KernelStatement, Width } from "../kernel.ts";
import { originOf } from "../origin.ts";
import { mapKernelExpression, mapKernelStatements, mapOwnExpressions } from "../rewrite-kernel.ts";
import { statementsOf, visitOwnExpressions } from "../walk-kernel.ts";
import { declareWhereUsed } from "./declare-where-used.ts";

/** Literal accesses by private array: the width at each start; null for arrays with other indices. */
function accessesOf(
  kernel: Kernel,
  privates: ReadonlySet<string>,
): ReadonlyMap<string, ReadonlyMap<number, Set<Width>> | null> {
  const found = new Map<string, Map<number, Set<Width>> | null>();
  const note = (array: string, index: KernelExpression, width: Width): void => {
    if (!privates.has(array)) return;
    const known = found.get(array);
    if (index.kind !== "literal" || known === null) {
      found.set(array, null);
      return;
    }
    const starts = known ?? new Map<number, Set<Width>>();
    found.set(array, starts);
    const widths = starts.get(index.value);
    if (widths === undefined) starts.set(index.value, new Set<Width>([width]));
    else widths.add(width);
  };
  for (const s of statementsOf(kernel)) {
    if (s.kind === "store") note(s.array, s.index, s.value.type.width);
    if (s.kind === "atomic") note(s.array, s.index, 1);
    visitOwnExpressions(s, (e) => {
      if (e.kind === "load") note(e.array, e.index, e.type.width);
    });
  }
  return found;
}

/** True when wide accesses never overlap others of another start or width. */
function groupsAgree(starts: ReadonlyMap<number, Set<Width>>): boolean {
  const owner = new Map<number, number>();
  for (const [start, widths] of starts) {
    if (widths.size !== 1) return false;
    const [width = 1] = widths;
    for (let n = start; n < start + width; n++) {
      if (owner.has(n)) return false;
      owner.set(n, start);
    }
  }
  return true;
}

type Store = Extract<KernelStatement, { kind: "store" }>;

/** How an access to a promoted array reads and writes variables. */
interface Promotion {
  readonly grouped: boolean;
}

function variableName(array: string, start: number): string {
  return `${array}.${start}`;
}

function startOf(index: KernelExpression): number {
  return index.kind === "literal" ? index.value : 0;
}

function promotedLoad(
  load: Extract<KernelExpression, { kind: "load" }>,
  { grouped }: Promotion,
): KernelExpression {
  const start = startOf(load.index);
  if (grouped || load.type.width === 1)
    return variableOf(variableName(load.array, start), load.type);
  const scalar = kernelType(load.type.scalar);
  const components = listOf(load.type.width, (n) =>
    variableOf(variableName(load.array, start + n), scalar),
  );
  return { kind: "vector", components, type: load.type };
}

function promotedStore(
  store: Store,
  { grouped }: Promotion,
  fresh: () => string,
): readonly KernelStatement[] {
  const start = startOf(store.index);
  const { type } = store.value;
  if (grouped || type.width === 1) {
    const name = variableName(store.array, start);
    return [{ kind: "assign", name, value: store.value, ...originOf(store) }];
  }
  const name = fresh();
  return [
    { kind: "declare", name, type, value: store.value, mutable: false, ...originOf(store) },
    ...Array.from(
      { length: type.width },
      (_, n): KernelStatement => ({
        kind: "assign",
        name: variableName(store.array, start + n),
        value: componentOf(variableOf(name, type), n),
        ...originOf(store),
      }),
    ),
  ];
}

/** Replaces private arrays by variables where all indices are literal. */
export function promotePrivate(kernel: Kernel): Kernel {
  const isPrivate = kernel.arrays.filter((a) => a.space === "private");
  if (isPrivate.length === 0) return kernel;
  const privates = new Set(isPrivate.map((a) => a.id));
  const accesses = accessesOf(kernel, privates);
  const promoted = new Map<string, Promotion>();
  for (const id of privates) {
    const starts = accesses.get(id);
    if (starts === null) continue;
    promoted.set(id, { grouped: starts !== undefined && groupsAgree(starts) });
  }
  if (promoted.size === 0) return kernel;
  let names = 0;
  const fresh = (): string => {
    names += 1;
    return `whole.${names}`;
  };
  const mapLoads = (e: KernelExpression): KernelExpression =>
    mapKernelExpression(e, (node) => {
      const promotion = node.kind === "load" ? promoted.get(node.array) : undefined;
      return node.kind === "load" && promotion !== undefined
        ? promotedLoad(node, promotion)
        : undefined;
    });
  const body = mapKernelStatements(kernel.body, (s) => {
    const own = mapOwnExpressions(s, mapLoads);
    const promotion = own.kind === "store" ? promoted.get(own.array) : undefined;
    return own.kind === "store" && promotion !== undefined
      ? promotedStore(own, promotion, fresh)
      : [own];
  });
  const arrays = kernel.arrays.filter((a) => !promoted.has(a.id));
  return { ...kernel, arrays, body: declareWhereUsed(body) };
}
