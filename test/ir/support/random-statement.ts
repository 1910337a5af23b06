/** Random statements whose affine accesses stay inside their tensors. */
import { noSpan } from "../../../src/diagnostics/span.ts";
import {
  type Affine,
  add,
  addConstant,
  type Constraint,
  constant,
  type Interval,
  intervalOf,
  lessThan,
  nonnegative,
  scale,
  variable,
  zero,
} from "../../../src/ir/affine.ts";
import { boundingBox, type Dim, type Quotient } from "../../../src/ir/domain.ts";
import { binary, type Expression, literal, read, select } from "../../../src/ir/expression.ts";
import { argMonoid, liftArg, type Monoid, simpleMonoid } from "../../../src/ir/monoid.ts";
import {
  type Access,
  affineIndex,
  type Index,
  type Reduction,
  type Statement,
  type Tensor,
} from "../../../src/ir/program.ts";
import type { Random } from "../../../src/support/random.ts";
import type { ScalarType } from "../../../src/support/scalar-type.ts";

/** A statement in the making. */
export interface Draft {
  readonly random: Random;
  /** What may be read. */
  readonly tensors: readonly Tensor[];
  readonly loops: readonly string[];
  readonly dims: Dim[];
  readonly guards: Constraint[];
  readonly quotients: Quotient[];
  readonly reads: Access[];
}

/** The variables that an expression may use, with their ranges. */
export interface Names {
  readonly names: readonly string[];
  readonly box: ReadonlyMap<string, Interval>;
}

/** All dims and quotients of a draft, as they are now: what a domain says of itself is remembered. */
export function allNames(d: Draft): Names {
  const names = [...d.dims, ...d.quotients].map((v) => v.name);
  return { names, box: boundingBox({ ...d }) };
}

function rangeOf(a: Affine, { box }: Names): Interval {
  return intervalOf(a, (name) => box.get(name) ?? { lo: 0, hi: 0 });
}

/** A coordinate below `extent`, and the guards that it needs for that. */
function coordinate(d: Draft, at: Names, extent: number): { a: Affine; guard: Constraint[] } {
  const { random } = d;
  if (at.names.length === 0 || random.chance(0.15)) {
    return { a: constant(random.integer(0, extent)), guard: [] };
  }
  let a = scale(variable(random.pick(at.names)), random.pick([1, 1, 1, 1, -1, 2]));
  if (random.chance(0.2)) a = add(a, variable(random.pick(at.names)));
  const { lo, hi } = rangeOf(a, at);
  if (lo > hi) return { a: constant(0), guard: [] };
  const room = extent - 1 - (hi - lo);
  if (room >= 0 && random.chance(0.75)) {
    return { a: addConstant(a, random.integer(0, room + 1) - lo), guard: [] };
  }
  const moved = addConstant(a, random.integer(-2, 3));
  const range = rangeOf(moved, at);
  const guard: Constraint[] = [];
  if (range.lo < 0) guard.push(nonnegative(moved));
  if (range.hi >= extent) guard.push(lessThan(moved, constant(extent)));
  return { a: moved, guard };
}

/** Adds a read of a tensor; its number. */
export function addRead(d: Draft, at: Names, tensor: Tensor): number {
  const index: Index[] = [];
  const guard: Constraint[] = [];
  for (const extent of tensor.shape) {
    const table = d.tensors.find((t) => t.name === "I");
    if (table !== undefined && tensor.name !== "I" && d.random.chance(0.05)) {
      const n = addRead(d, at, table);
      index.push({ kind: "opaque", expression: read(n, "int32") });
      continue;
    }
    const { a, guard: needed } = coordinate(d, at, extent);
    index.push(affineIndex(a));
    guard.push(...needed);
  }
  const fill = tensor.components[0] === "bool" ? 1 : d.random.integer(0, 3);
  d.reads.push({ tensor: tensor.name, index, guard, fill: guard.length > 0 ? fill : 0 });
  return d.reads.length - 1;
}

function leaf(d: Draft, at: Names, type: ScalarType): Expression {
  const { random } = d;
  const readable = d.tensors.filter((t) => t.components[0] === type && t.components.length === 1);
  if (readable.length > 0 && random.chance(0.75)) {
    return read(addRead(d, at, random.pick(readable)), type);
  }
  if (type === "bool") return binary("<", leaf(d, at, "int32"), leaf(d, at, "int32"), "bool");
  if (at.names.length > 0 && random.chance(0.4)) {
    const affine = addConstant(variable(random.pick(at.names)), random.integer(-1, 2));
    const place: Expression = { kind: "coordinate", affine, type: "int32" };
    return type === "int32" ? place : { kind: "cast", operand: place, type };
  }
  return literal(random.integer(-2, 4), type);
}

/** An expression that is exact on small integers. */
export function expression(d: Draft, at: Names, type: ScalarType, depth = 2): Expression {
  const { random } = d;
  const kind = depth === 0 ? 0 : random.integer(0, 8);
  const part = (t: ScalarType): Expression => expression(d, at, t, depth - 1);
  if (type === "bool") {
    if (kind < 3) return leaf(d, at, type);
    if (kind < 6) return binary(random.pick(["<", ">=", "=="]), part("int32"), part("int32"), type);
    return binary(random.pick(["and", "or"]), part(type), part(type), type);
  }
  if (kind < 3) return leaf(d, at, type);
  if (kind < 6) return binary(random.pick(["+", "-", "min", "max"]), part(type), part(type), type);
  if (kind === 6) return select(part("bool"), part(type), part(type));
  const factor = literal(random.pick([-1, 2]), type);
  return binary("*", factor, part(type), type);
}

/** A monoid whose projected element has the type. */
export function randomMonoid(random: Random, type: ScalarType, scatter: boolean): Monoid {
  if (type === "bool") return simpleMonoid(random.pick(["and", "or"]), type);
  if (type === "int32" && !scatter && random.chance(0.4)) {
    return argMonoid(random.pick(["min", "max"]), random.pick(["float32", "int32"]));
  }
  const more = type === "int32" ? (["*"] as const) : [];
  return simpleMonoid(random.pick(["+", "+", "min", "max", ...more]), type);
}

/** The lifted state of a reduction, or one to start from. */
export function stateFor(d: Draft, at: Names, monoid: Monoid): readonly Expression[] {
  const [type = "float32"] = monoid.state;
  const value = expression(d, at, type);
  if (monoid.state.length === 1) return [value];
  return liftArg(value, leaf({ ...d, tensors: [] }, at, "int32"));
}

/** A dim over a few values, maybe bounded by an earlier one. */
export function randomDim(random: Random, name: string, d: Pick<Draft, "dims">): Dim {
  const outer = d.dims[d.dims.length - 1];
  if (outer !== undefined && random.chance(0.25)) {
    const of = variable(outer.name);
    return random.chance(0.5)
      ? { name, lower: constant(0), upper: addConstant(of, 1) }
      : { name, lower: of, upper: constant(5) };
  }
  const lower = random.chance(0.2) ? 1 : 0;
  return { name, lower: constant(lower), upper: constant(lower + random.integer(1, 8)) };
}

/** Maybe adds a quotient of a dim, and guards over dims and quotients. */
export function decorate(d: Draft): void {
  const { random } = d;
  const { names } = allNames(d);
  if (names.length === 0) return;
  if (random.chance(0.25)) {
    const numerator = addConstant(variable(random.pick(names)), random.integer(-1, 2));
    const name = `q${d.quotients.length}`;
    d.quotients.push({ name, numerator, divisor: random.integer(2, 4) });
  }
  if (random.chance(0.3)) {
    const name = random.pick(allNames(d).names);
    const a = add(variable(name, random.pick([1, -1])), constant(random.integer(-1, 4)));
    d.guards.push(random.chance(0.15) ? zero(addConstant(variable(name), -1)) : nonnegative(a));
  }
}

/** A coordinate of a write, and the dim that it needs. */
interface Coordinate {
  readonly dim: Dim | null;
  readonly index: Affine;
}

function over(name: string, lower: Affine | number, upper: Affine | number): Dim {
  const affine = (a: Affine | number): Affine => (typeof a === "number" ? constant(a) : a);
  return { name, lower: affine(lower), upper: affine(upper) };
}

/** Ways to write a part of a dimension by a dim of its own. */
function partial(name: string, extent: number): readonly Coordinate[] {
  const v = variable(name);
  const shifted = { dim: over(name, 0, extent - 1), index: addConstant(v, 1) };
  return [
    { dim: over(name, 1, extent), index: v },
    { dim: over(name, 0, extent - 1), index: v },
    shifted,
    { dim: over(name, 0, Math.ceil(extent / 2)), index: scale(v, 2) },
  ];
}

/** Ways to write a part of a dimension that depend on an earlier dim with values in it. */
function dependent(d: Draft, name: string, extent: number): readonly Coordinate[] {
  const last = d.dims[d.dims.length - 1];
  const range = last === undefined ? undefined : boundingBox({ ...d }).get(last.name);
  if (last === undefined || range === undefined || range.lo < 0 || range.hi >= extent) return [];
  const [v, outer] = [variable(name), variable(last.name)];
  const triangles = [
    { dim: over(name, 0, addConstant(outer, 1)), index: v },
    { dim: over(name, outer, extent), index: v },
  ];
  return d.loops.includes(last.name) ? [...triangles, { dim: null, index: outer }] : triangles;
}

/** The dims of an injective write into a tensor, and its index; all of it if `whole`. */
export function writeMap(d: Draft, tensor: Tensor, whole: boolean): readonly Affine[] {
  const { random } = d;
  return tensor.shape.map((extent, n): Affine => {
    const name = `p${n}`;
    const v = variable(name);
    const ways: Coordinate[] = [
      { dim: over(name, 0, extent), index: v },
      { dim: over(name, 0, extent), index: addConstant(scale(v, -1), extent - 1) },
    ];
    if (!whole) {
      ways.push(...partial(name, extent), ...dependent(d, name, extent));
      ways.push({ dim: null, index: constant(random.integer(0, extent)) });
    }
    const { dim, index } = random.chance(0.4) ? (ways[0] as Coordinate) : random.pick(ways);
    if (dim !== null) d.dims.push(dim);
    return index;
  });
}

/** A statement of a draft. */
export function finish(
  d: Draft,
  id: string,
  write: Statement["write"],
  reduction: Reduction | null,
  body: readonly Expression[],
): Statement {
  const { dims, guards, quotients, loops, reads } = d;
  const domain = { dims, guards, quotients };
  return { id, domain, loops, write, reads, reduction, body, span: noSpan };
}
