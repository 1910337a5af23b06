/**
 * What a kernel has to do, as the program says it: the operations of its statements, and the bytes
 * that cannot but pass between it and memory. Not what its code does: what is loaded or computed
 * twice, and the indices, count for nothing.
 */
import { constant, evaluate, type Interval, intervalOf, variablesOf } from "../ir/affine.ts";
import { boundingBox, type Domain } from "../ir/domain.ts";
import { type Expression, eachExpression } from "../ir/expression.ts";
import {
  type Index,
  type Program,
  parallelDims,
  type Statement,
  statementOf,
  type Tensor,
  tensorOf,
} from "../ir/program.ts";
import { type Band, eachLeaf, type Loop } from "../ir/schedule.ts";
import { flatMap } from "../support/flat-map.ts";
import { elementBytes, elementCount, isFloat } from "../support/scalar-type.ts";
import type { Kernel } from "./kernel.ts";
import { arrayNames } from "./lower/scope.ts";
import type { KernelWork } from "./plan.ts";

/**
 * The work of all dispatches of a kernel in one execution of its plan. Guards count for nothing; the
 * extent of a dim that depends on others is that in the middle of their ranges, which is the mean
 * for triangles. `host` are the loops around the kernel.
 */
export function kernelWork(
  program: Program,
  band: Band,
  host: readonly Loop[],
  { arrays }: Kernel,
): KernelWork {
  const bound = new Set(flatMap(arrays, ({ buffer }) => buffer ?? []));
  const [read, written] = [new Map<string, Touched>(), new Map<string, Touched>()];
  const hostIds = new Set(host.map(({ id }) => id));
  const leaves = new Map(eachLeaf(band).map(({ leaf }) => [leaf.statement, leaf.binding]));
  let operations = 0;
  for (const [id, binding] of leaves) {
    const statement = statementOf(program, id);
    operations += operationsOf(statement);
    const fixed = flatMap([...binding], ([dim, affine]) =>
      variablesOf(affine).some((name) => hostIds.has(name)) ? [dim] : [],
    );
    const domain = withoutDims(statement.domain, new Set(fixed));
    for (const access of statement.reads) touch(read, program, domain, access);
    touch(written, program, domain, statement.write);
  }
  const perDispatch = flatMap([...read, ...written], ([name, touched]) => {
    const tensor = tensorOf(program, name);
    const isBound = arrayNames(tensor).some((id) => bound.has(id));
    return isBound ? [elementsOf(touched) * bytesPerElement(tensor)] : [];
  }).reduce((sum, bytes) => sum + bytes, 0);
  const dispatches = host.reduce((product, { extent }) => product * extent, 1);
  return { bytes: Math.round(perDispatch * dispatches), operations: Math.round(operations) };
}

/** What accesses touch of a tensor: a box around it, and how often they do. */
interface Touched {
  readonly box: readonly Interval[];
  readonly points: number;
}

function elementsOf({ box, points }: Touched): number {
  return Math.min(points, elementCount(box.map(({ lo, hi }) => Math.max(0, hi - lo + 1))));
}

/** Adds what an access of all points of a domain touches. */
function touch(
  into: Map<string, Touched>,
  program: Program,
  domain: Domain,
  { tensor, index }: { readonly tensor: string; readonly index: readonly Index[] },
): void {
  const box = boxOf(program, domain, tensor, index);
  const points = elementsOf({ box, points: pointsOf(domain, dimNames(domain)) });
  const before = into.get(tensor);
  const around = box.map(({ lo, hi }, d): Interval => {
    const { lo: least, hi: most } = before?.box[d] ?? { lo, hi };
    return { lo: Math.min(lo, least), hi: Math.max(hi, most) };
  });
  into.set(tensor, { box: around, points: points + (before?.points ?? 0) });
}

function dimNames({ dims }: Domain): readonly string[] {
  return dims.map(({ name }) => name);
}

function bytesPerElement({ components, stored }: Tensor): number {
  return components.reduce((sum, type) => sum + elementBytes(stored ?? type), 0);
}

/** The value in the middle of the range of each dim, where those before have theirs, and extents. */
function middles({ dims }: Domain): ReadonlyMap<string, { middle: number; extent: number }> {
  const found = new Map<string, { middle: number; extent: number }>();
  const value = (name: string): number => found.get(name)?.middle ?? 0;
  for (const { name, lower, upper } of dims) {
    const from = evaluate(lower, value);
    const extent = Math.max(0, evaluate(upper, value) - from);
    found.set(name, { middle: from + Math.max(0, extent - 1) / 2, extent });
  }
  return found;
}

function pointsOf(domain: Domain, names: readonly string[]): number {
  const found = middles(domain);
  return names.reduce((product, name) => product * (found.get(name)?.extent ?? 1), 1);
}

/** The domain with some dims at the middle of their ranges. */
function withoutDims(domain: Domain, fixed: ReadonlySet<string>): Domain {
  if (fixed.size === 0) return domain;
  const found = middles(domain);
  const dims = domain.dims.map((dim) => {
    if (!fixed.has(dim.name)) return dim;
    const at = Math.floor(found.get(dim.name)?.middle ?? 0);
    return { ...dim, lower: constant(at), upper: constant(at + 1) };
  });
  return { ...domain, dims };
}

/** A box around the elements that an access may touch; along what is computed, all. */
function boxOf(
  program: Program,
  domain: Domain,
  tensor: string,
  indices: readonly Index[],
): readonly Interval[] {
  const ranges = boundingBox(domain);
  const range = (name: string): Interval => ranges.get(name) ?? { lo: 0, hi: 0 };
  return tensorOf(program, tensor).shape.map((extent, d): Interval => {
    const index = indices[d];
    if (index === undefined || index.kind === "opaque") return { lo: 0, hi: extent - 1 };
    const { lo, hi } = intervalOf(index.affine, range);
    return { lo: Math.max(lo, 0), hi: Math.min(hi, extent - 1) };
  });
}

/** Operations on floats of all instances; a function counts as one. */
function operationsOf(statement: Statement): number {
  const { domain, body, reduction } = statement;
  const each = pointsOf(domain, dimNames(domain));
  if (reduction === null) return each * countOf(body);
  const { monoid, init } = reduction;
  const elements = pointsOf(domain, parallelDims(statement));
  const perElement = countOf([...(init ?? []), monoid.project]);
  return each * countOf([...body, ...monoid.combine]) + elements * perElement;
}

function countOf(expressions: readonly Expression[]): number {
  return eachExpression(...expressions).filter(isOperation).length;
}

function isOperation(e: Expression): boolean {
  switch (e.kind) {
    case "binary":
      return isFloat(e.left.type);
    case "unary":
      return isFloat(e.type);
    case "call":
      return e.arguments.some((a) => isFloat(a.type));
    default:
      return false;
  }
}
