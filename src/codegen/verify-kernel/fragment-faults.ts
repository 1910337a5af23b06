/** Names, types and memory of the matrices that subgroups hold. */
import { assertNever } from "../../support/assert.ts";
import { type Limits, type MatrixUnit, matrixUnitName } from "../../support/device-profile.ts";
import type { FragmentMemory, FragmentStatement, FragmentType, Kernel } from "../kernel.ts";
import { eachKernelStatement, isFragmentStatement } from "../walk-kernel.ts";
import { type ExpressionScope, expressionFaults, isIndex } from "./expression-faults.ts";

/** What is known where a statement about fragments stands. */
export interface FragmentScope extends ExpressionScope {
  /** Those of enclosing lists too; a list adds to its own copy. */
  readonly fragments: Map<string, FragmentType>;
}

function memoryFaults(
  { array: id, index, pitch, byRows }: FragmentMemory,
  { scalar, rows, columns }: FragmentType,
  writes: boolean,
  scope: FragmentScope,
): readonly string[] {
  const faults = [...expressionFaults(index, scope)];
  if (!isIndex(index.type)) faults.push("index is no uint32");
  const array = scope.arrays.get(id);
  if (array === undefined) return [...faults, `a fragment of unknown array ${id}`];
  if (array.space === "private") faults.push(`a fragment of ${id}, which is private`);
  if (array.atomic || array.width !== 1) faults.push(`a fragment of ${id}, which has no scalars`);
  if (array.scalar !== scalar) faults.push(`a fragment of ${scalar} in ${id} of ${array.scalar}`);
  if (writes && array.access === "read") faults.push(`a fragment stored to ${id}, which is read`);
  const least = byRows ? columns : rows;
  if (!Number.isInteger(pitch) || pitch < least) faults.push(`pitch ${pitch} is below ${least}`);
  return faults;
}

function declareFaults(
  { name, type, from }: FragmentStatement & { kind: "fragment" },
  scope: FragmentScope,
): readonly string[] {
  const taken = scope.fragments.has(name) || scope.variables.has(name);
  scope.fragments.set(name, type);
  const own = taken ? [`${name} is declared already`] : [];
  return from.kind === "fill" ? own : [...own, ...memoryFaults(from, type, false, scope)];
}

/** The unit that multiplies fragments of such types; null if they do not fit. */
function unitOf(left: FragmentType, right: FragmentType, sum: FragmentType): MatrixUnit | null {
  const sides = left.side === "left" && right.side === "right" && sum.side === "result";
  const fits =
    left.columns === right.rows && left.rows === sum.rows && right.columns === sum.columns;
  if (!sides || !fits || left.scalar !== right.scalar) return null;
  const { rows, columns, scalar: result } = sum;
  return { component: left.scalar, result, rows, columns, depth: left.columns };
}

function multiplyFaults(
  { name, left, right }: FragmentStatement & { kind: "multiply" },
  { fragments }: FragmentScope,
): readonly string[] {
  const missing = [left, right, name].filter((n) => !fragments.has(n));
  if (missing.length > 0) return missing.map((n) => `${n} is no fragment here`);
  const [a, b, sum] = [fragments.get(left), fragments.get(right), fragments.get(name)];
  const unit = a && b && sum ? unitOf(a, b, sum) : null;
  return unit === null ? [`${left} and ${right} do not multiply to ${name}`] : [];
}

/** What is wrong with a statement about fragments; a declaration is added to the scope. */
export function fragmentFaults(s: FragmentStatement, scope: FragmentScope): readonly string[] {
  const alone = scope.subgroupSize === undefined ? ["fragments in a kernel without subgroups"] : [];
  switch (s.kind) {
    case "fragment":
      return [...alone, ...declareFaults(s, scope)];
    case "multiply":
      return [...alone, ...multiplyFaults(s, scope)];
    case "store-fragment": {
      const type = scope.fragments.get(s.name);
      if (type === undefined) return [...alone, `${s.name} is no fragment here`];
      return [...alone, ...memoryFaults(s, type, true, scope)];
    }
    default:
      return assertNever(s);
  }
}

function sameUnit(a: MatrixUnit, b: MatrixUnit): boolean {
  return matrixUnitName(a) === matrixUnitName(b);
}

/** The products of a kernel that no matrix unit of the device computes. */
export function matrixUnitFaults(kernel: Kernel, { matrixUnits = [] }: Limits): readonly string[] {
  const types = new Map<string, FragmentType>();
  const faults = new Set<string>();
  for (const s of eachKernelStatement(kernel.body)) {
    if (!isFragmentStatement(s)) continue;
    if (s.kind === "fragment") types.set(s.name, s.type);
    if (s.kind !== "multiply") continue;
    const [left, right, sum] = [s.left, s.right, s.name].map((n) => types.get(n));
    const unit = left && right && sum ? unitOf(left, right, sum) : null;
    if (unit === null || matrixUnits.some((u) => sameUnit(u, unit))) continue;
    faults.add(`no matrix unit for ${matrixUnitName(unit)} on this device`);
  }
  return [...faults];
}
