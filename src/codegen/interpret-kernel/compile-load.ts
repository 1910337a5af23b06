/** Closures that load elements, with the checks that a device does not make. */
import { isFloat } from "../../support/scalar-type.ts";
import { type ArrayView, type Machine, report } from "./machine.ts";
import { readTouch } from "./race-detector.ts";
import type { Evaluate, Scope } from "./scope.ts";

type Action = (base: number) => void;

/** The element's place in the view's words; private arrays have a part for each invocation. */
export function wordOf(m: Machine, view: ArrayView, at: number): number {
  return view.array.space === "private" ? m.invocation * view.length + at : at;
}

/** Reports an access outside an array. */
export function reportOutOfBounds(
  scope: Scope,
  view: ArrayView,
  access: "load" | "store" | "atomic",
  at: number,
): void {
  const { id } = view.array;
  report(scope.m, "out-of-bounds", id, scope.path, () => {
    return `${access} of ${id}[${at}], which has ${view.length} elements`;
  });
}

/** Reports a wide access that starts inside a vector. */
export function reportMisaligned(scope: Scope, view: ArrayView, at: number, width: number): void {
  const { id } = view.array;
  report(scope.m, "misaligned", id, scope.path, () => {
    return `access of width ${width} at ${id}[${at}], no multiple of the width`;
  });
}

/** Checks the whole of a wide load, whose components may not all be used. */
export function compileWideCheck(
  scope: Scope,
  view: ArrayView,
  index: Evaluate,
  width: number,
): Action {
  const split = view.array.width !== width;
  return (base) => {
    const at = index(base);
    if (!split && at % width !== 0) reportMisaligned(scope, view, at, width);
    if (at + width > view.length) reportOutOfBounds(scope, view, "load", at + width - 1);
  };
}

/** The value that a load outside an array has. */
function outside(scope: Scope, view: ArrayView, at: number): number {
  scope.m.suspect = true;
  reportOutOfBounds(scope, view, "load", at);
  return isFloat(view.array.scalar) ? Number.NaN : 0;
}

function compilePrivate(scope: Scope, view: ArrayView, index: Evaluate, offset: number): Evaluate {
  const { m } = scope;
  const { data, written, length } = view;
  return (base) => {
    const at = index(base) + offset;
    if (at >= length) return outside(scope, view, at);
    const word = m.invocation * length + at;
    if (written[word] === 0) m.suspect = true;
    return data[word] as number;
  };
}

function compileShared(scope: Scope, view: ArrayView, index: Evaluate, offset: number): Evaluate {
  const { m } = scope;
  const { data, written, length } = view;
  const touch = readTouch(m, view, scope.path);
  if (touch === undefined) {
    return (base) => {
      const at = index(base) + offset;
      if (at >= length) return outside(scope, view, at);
      if (written[at] === 0) m.suspect = true;
      return data[at] as number;
    };
  }
  return (base) => {
    const at = index(base) + offset;
    if (at >= length) return outside(scope, view, at);
    if (written[at] === 0) m.suspect = true;
    touch(at);
    return data[at] as number;
  };
}

/** Loads element `index + offset`; a load outside the array is a fault and gives poison. */
export function compileElement(
  scope: Scope,
  view: ArrayView,
  index: Evaluate,
  offset: number,
): Evaluate {
  const compile = view.array.space === "private" ? compilePrivate : compileShared;
  const word = compile(scope, view, index, offset);
  return view.array.scalar === "bool" ? (base) => (word(base) !== 0 ? 1 : 0) : word;
}
