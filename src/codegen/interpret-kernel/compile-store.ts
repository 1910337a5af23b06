/** Closures that store elements and update them indivisibly. */
import { defined } from "../../support/assert.ts";
import type { KernelStatement } from "../kernel.ts";
import { type Binary, binarySemantics } from "../scalar-semantics.ts";
import { compileComponents, compileScalar } from "./compile-expression.ts";
import { reportMisaligned, reportOutOfBounds, wordOf } from "./compile-load.ts";
import { lazyTaints } from "./compile-taint.ts";
import { type ArrayView, report } from "./machine.ts";
import { writeTouch } from "./race-detector.ts";
import type { Scope } from "./scope.ts";

type Execute = (base: number) => void;

function reportUse(scope: Scope, view: ArrayView, what: string): void {
  const { id } = view.array;
  report(scope.m, "uninitialised", id, scope.path, () => {
    return `${what} ${id} depends on an uninitialised element`;
  });
}

/**
 * What a store of a value that depends on poison does: in storage it is a fault, elsewhere the
 * element becomes poison; so does padding.
 */
function storePoison(scope: Scope, view: ArrayView, word: number): void {
  const { space, elements = view.length } = view.array;
  if (space === "storage" && word < elements) reportUse(scope, view, "a value stored in");
  else view.written[word] = 0;
}

/** Tells the observer where a store goes; undefined where there is none. */
function observerOf(
  kind: "store" | "atomic",
  { array: { id: array, space } }: ArrayView,
  width: number,
  { m, path }: Scope,
): ((index: number) => void) | undefined {
  const { observer } = m;
  if (observer === null || space === "private") return undefined;
  return (index) => observer.access(m, path, { kind, array, index, width, key: kind });
}

/** The store of one element, without bounds. */
function compilePut(scope: Scope, view: ArrayView): (at: number, value: number) => number {
  const { m } = scope;
  const { data, written } = view;
  const touch = writeTouch(m, view, scope.path);
  if (view.array.space === "private") {
    return (at, value) => {
      const word = wordOf(m, view, at);
      data[word] = value;
      written[word] = 1;
      return word;
    };
  }
  return (at, value) => {
    if (touch !== undefined) touch(at);
    data[at] = value;
    written[at] = 1;
    return at;
  };
}

/** Stores one component where it belongs; outside the array that is a fault, and dropped. */
function compileComponentStore(
  scope: Scope,
  view: ArrayView,
  n: number,
): (at: number, value: number, poison: boolean) => void {
  const put = compilePut(scope, view);
  return (at, value, poison) => {
    if (at + n >= view.length) return reportOutOfBounds(scope, view, "store", at + n);
    const word = put(at + n, value);
    if (poison) storePoison(scope, view, word);
  };
}

/** Stores the components of a value at an index; all are computed before any is stored. */
export function compileStore(s: KernelStatement & { kind: "store" }, scope: Scope): Execute {
  const { m } = scope;
  const view = defined(m.arrays.get(s.array), "array", s.array);
  const index = compileScalar(s.index, scope);
  const components = compileComponents(s.value, scope);
  const valueTaint = lazyTaints(s.value, scope);
  const indexTaint = lazyTaints(s.index, scope);
  const checkIndex = (base: number): void => {
    if (indexTaint(0, base)) reportUse(scope, view, "an index of");
  };
  const observe = observerOf("store", view, components.length, scope);
  const stores = components.map((_, n) => compileComponentStore(scope, view, n));
  const [value] = components;
  const [store] = stores;
  if (components.length === 1 && value !== undefined && store !== undefined) {
    return (base) => {
      const at = index(base);
      const x = value(base);
      observe?.(at);
      if (m.suspect) checkIndex(base);
      store(at, x, m.suspect && valueTaint(0, base));
    };
  }
  const width = components.length;
  return (base) => {
    const at = index(base);
    const values = components.map((component) => component(base));
    observe?.(at);
    if (m.suspect) checkIndex(base);
    const poison = components.map((_, n) => m.suspect && valueTaint(n, base));
    if (view.array.width !== 1 && at % width !== 0) reportMisaligned(scope, view, at, width);
    stores.forEach((put, n) => {
      put(at, values[n] as number, poison[n] === true);
    });
  };
}

/** Combines a value into an element; one that nothing wrote before is a fault. */
export function compileAtomic(s: KernelStatement & { kind: "atomic" }, scope: Scope): Execute {
  const { m } = scope;
  const view = defined(m.arrays.get(s.array), "array", s.array);
  const index = compileScalar(s.index, scope);
  const value = compileScalar(s.value, scope);
  const taint = lazyTaints(s.value, scope);
  const indexTaint = lazyTaints(s.index, scope);
  const combine: Binary = defined(
    binarySemantics(s.operator, view.array.scalar),
    "atomic",
    s.operator,
  );
  const { data, written, length } = view;
  const observe = observerOf("atomic", view, 1, scope);
  return (base) => {
    const at = index(base);
    const x = value(base);
    observe?.(at);
    if (m.suspect && indexTaint(0, base)) reportUse(scope, view, "an index of");
    if (at >= length) return reportOutOfBounds(scope, view, "atomic", at);
    if (written[at] === 0 || (m.suspect && taint(0, base))) {
      reportUse(scope, view, "an atomic update of");
    }
    data[at] = combine(data[at] as number, x);
    written[at] = 1;
  };
}
