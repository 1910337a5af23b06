/**
 * Statements about fragments, for all subgroups of a workgroup: each loads, multiplies and stores its
 * own matrices. Products and sums are rounded to the type of the result.
 *
 * Which lane touches which element is up to the device; here element `e` belongs to lane
 * `e mod lanes`, so that the race detector sees what others do to it.
 */
import { assertNever, defined } from "../../support/assert.ts";
import type { FragmentMemory, FragmentStatement } from "../kernel.ts";
import { binarySemantics, castSemantics } from "../scalar-semantics.ts";
import { compileScalar } from "./compile-expression.ts";
import { reportOutOfBounds } from "./compile-load.ts";
import { inOrder } from "./compile-statement.ts";
import { lazyTaints } from "./compile-taint.ts";
import { type ArrayView, type FragmentRegisters, report } from "./machine.ts";
import { readTouch, writeTouch } from "./race-detector.ts";
import type { Scope } from "./scope.ts";

/** Executes for the whole present workgroup. */
type Execute = () => void;

/** What all lanes of a subgroup must have agreed about. */
type EvaluateTogether = (subgroup: number) => number;

function registersOf(scope: Scope, name: string): FragmentRegisters {
  return defined(scope.m.fragments.get(name), "fragment", name);
}

function elementsOf({ type }: FragmentRegisters): number {
  return type.rows * type.columns;
}

function lanesOf({ m }: Scope): number {
  return defined(m.kernel.subgroupSize, "size of subgroups");
}

function forEachSubgroup(scope: Scope, execute: (subgroup: number) => void): Execute {
  const count = Math.ceil(scope.m.kernel.workgroupSize / lanesOf(scope));
  return () => {
    for (let subgroup = 0; subgroup < count; subgroup++) execute(subgroup);
  };
}

/** The index of the first lane; that another lane has a different one is a fault. */
function compileIndex({ array, index }: FragmentMemory, scope: Scope): EvaluateTogether {
  const { m, path } = scope;
  const lanes = lanesOf(scope);
  const value = compileScalar(index, scope);
  const taint = lazyTaints(index, scope);
  const first = inOrder(scope.first);
  const at = (invocation: number): number => {
    const base = invocation * m.stride;
    m.invocation = invocation;
    first(base);
    const found = value(base);
    if (m.suspect && taint(0, base)) {
      report(m, "uninitialised", array, path, () => {
        return `an index of ${array} depends on an uninitialised element`;
      });
    }
    return found;
  };
  return (subgroup) => {
    const begin = subgroup * lanes;
    const together = at(begin);
    for (let n = begin + 1; n < begin + lanes; n++) {
      if (at(n) === together) continue;
      report(m, "divergence", array, path, () => `lanes load or store fragments of ${array} apart`);
    }
    return together;
  };
}

/** Calls with each element's register and place in the array, as the lane that it belongs to. */
function eachElement(
  { pitch, byRows }: FragmentMemory,
  registers: FragmentRegisters,
  scope: Scope,
  visit: (register: number, at: number) => void,
): (subgroup: number, begin: number) => void {
  const { m } = scope;
  const lanes = lanesOf(scope);
  const { columns } = registers.type;
  const size = elementsOf(registers);
  return (subgroup, begin) => {
    for (let e = 0; e < size; e++) {
      const [row, column] = [Math.floor(e / columns), e % columns];
      m.invocation = subgroup * lanes + (e % lanes);
      visit(subgroup * size + e, begin + (byRows ? row * pitch + column : column * pitch + row));
    }
  };
}

function viewOf(scope: Scope, array: string): ArrayView {
  return defined(scope.m.arrays.get(array), "array", array);
}

function compileLoad(name: string, from: FragmentMemory, scope: Scope): Execute {
  const { m } = scope;
  const registers = registersOf(scope, name);
  const view = viewOf(scope, from.array);
  const { data, written, length } = view;
  const index = compileIndex(from, scope);
  const touch = readTouch(m, view, scope.path);
  const load = eachElement(from, registers, scope, (register, at) => {
    const inside = at < length;
    if (!inside) reportOutOfBounds(scope, view, "load", at);
    registers.values[register] = inside ? (data[at] as number) : Number.NaN;
    registers.tainted[register] = inside && written[at] === 1 ? 0 : 1;
    if (inside) touch?.(at);
  });
  return forEachSubgroup(scope, (subgroup) => load(subgroup, index(subgroup)));
}

function compileFill(name: string, value: number, scope: Scope): Execute {
  const { type, values, tainted } = registersOf(scope, name);
  const rounded = castSemantics(type.scalar, type.scalar)(value);
  return () => {
    values.fill(rounded);
    tainted.fill(0);
  };
}

function compileMultiply(s: FragmentStatement & { kind: "multiply" }, scope: Scope): Execute {
  const [left, right] = [registersOf(scope, s.left), registersOf(scope, s.right)];
  const sum = registersOf(scope, s.name);
  const { rows, columns, scalar } = sum.type;
  const depth = left.type.columns;
  const add = defined(binarySemantics("+", scalar), "+ of", scalar);
  const multiply = defined(binarySemantics("*", scalar), "* of", scalar);
  const addOne = (to: number, a: number, b: number): void => {
    const product = multiply(left.values[a] as number, right.values[b] as number);
    sum.values[to] = add(sum.values[to] as number, product);
    if (left.tainted[a] === 1 || right.tainted[b] === 1) sum.tainted[to] = 1;
  };
  return forEachSubgroup(scope, (subgroup) => {
    const to = subgroup * rows * columns;
    const [a, b] = [subgroup * rows * depth, subgroup * depth * columns];
    for (let e = 0; e < rows * columns; e++) {
      const [row, column] = [Math.floor(e / columns), e % columns];
      for (let k = 0; k < depth; k++) {
        addOne(to + e, a + row * depth + k, b + k * columns + column);
      }
    }
  });
}

function compileStore(s: FragmentStatement & { kind: "store-fragment" }, scope: Scope): Execute {
  const { m, path } = scope;
  const registers = registersOf(scope, s.name);
  const view = viewOf(scope, s.array);
  const { data, written, length, array } = view;
  const index = compileIndex(s, scope);
  const touch = writeTouch(m, view, path);
  const store = eachElement(s, registers, scope, (register, at) => {
    if (at >= length) return reportOutOfBounds(scope, view, "store", at);
    touch?.(at);
    data[at] = registers.values[register] as number;
    const poison = registers.tainted[register] === 1;
    written[at] = poison && array.space !== "storage" ? 0 : 1;
    if (!poison || array.space !== "storage") return;
    report(m, "uninitialised", array.id, path, () => {
      return `a value stored in ${array.id} depends on an uninitialised element`;
    });
  });
  return forEachSubgroup(scope, (subgroup) => store(subgroup, index(subgroup)));
}

/** A statement about fragments, for all invocations of a workgroup. */
export function compileFragment(s: FragmentStatement, scope: Scope): Execute {
  switch (s.kind) {
    case "fragment":
      if (s.from.kind === "load") return compileLoad(s.name, s.from, scope);
      return compileFill(s.name, s.from.value, scope);
    case "multiply":
      return compileMultiply(s, scope);
    case "store-fragment":
      return compileStore(s, scope);
    default:
      return assertNever(s);
  }
}
