/** Which instance of a statement writes the element that an access of another one names. */

import { flatMap } from "../../support/flat-map.ts";
import {
  type Affine,
  add,
  type Constraint,
  equal,
  isConstant,
  lessOrEqual,
  lessThan,
  scale,
  substitute,
  substituteConstraint,
  subtract,
  variable,
} from "../affine.ts";
import type { AccessRelation } from "../dependences/access-relation.ts";
import { quotientConstraints } from "../domain.ts";
import { implies } from "../integer-set/implies.ts";
import { parallelDims, type Statement } from "../program.ts";
import { parallelPart } from "./parallel-part.ts";
import { replacementOf } from "./substitute-statement.ts";

/** The dims of the producer in terms of the reader's variables. */
export interface ProducerInstance {
  /** One for each parallel dim of the producer that is no program loop. */
  readonly dims: ReadonlyMap<string, Affine>;
  /** What must hold besides for the element to be the same. */
  readonly conditions: readonly Constraint[];
}

/** The dims that are still unknown in a coordinate. */
function unknownIn(a: Affine, open: ReadonlySet<string>): readonly string[] {
  return a.terms.map((t) => t.variable).filter((v) => open.has(v));
}

/** Solves `a == b` for the only open dim in `a`; undefined when its coefficient is no unit. */
function solveFor(name: string, a: Affine, b: Affine): Affine | undefined {
  const factor = a.terms.find((t) => t.variable === name)?.coefficient ?? 0;
  if (Math.abs(factor) !== 1) return undefined;
  const rest = subtract(a, variable(name, factor));
  return scale(subtract(b, rest), factor);
}

/** A coordinate as the producer writes it and as the reader names it. */
interface Coordinate {
  readonly written: Affine;
  readonly named: Affine;
}

/** All coordinates; undefined when one is not affine in the known variables. */
function coordinates(
  producer: Statement,
  index: readonly (Affine | null)[],
  known: ReadonlySet<string>,
): Coordinate[] | undefined {
  const all: Coordinate[] = [];
  for (const [d, i] of producer.write.index.entries()) {
    const named = index[d];
    if (i.kind !== "affine" || !named) return undefined;
    if (i.affine.terms.some((t) => !known.has(t.variable))) return undefined;
    all.push({ written: i.affine, named });
  }
  return all;
}

/**
 * The instance of `producer` that writes the element `index`, for a reader in the same iteration of
 * the producer's loops; the reader's variables must have other names than the producer's but for
 * the loops. Undefined when an index is opaque or the written map cannot be solved for the dims,
 * one coordinate at a time with unit coefficients.
 */
export function producerInstance(
  producer: Statement,
  index: readonly (Affine | null)[],
): ProducerInstance | undefined {
  const open = new Set(parallelDims(producer).filter((d) => !producer.loops.includes(d)));
  const left = coordinates(producer, index, new Set([...open, ...producer.loops]));
  if (left === undefined) return undefined;
  const dims = new Map<string, Affine>();
  const conditions: Constraint[] = [];
  while (left.length > 0) {
    const next = left.findIndex(({ written }) => unknownIn(written, open).length <= 1);
    const [row] = next < 0 ? [] : left.splice(next, 1);
    if (row === undefined) return undefined;
    const [name] = unknownIn(row.written, open);
    const written = substitute(row.written, replacementOf(dims));
    if (name === undefined) {
      conditions.push(equal(written, row.named));
      continue;
    }
    const value = solveFor(name, written, row.named);
    if (value === undefined) return undefined;
    dims.set(name, value);
    open.delete(name);
  }
  return open.size > 0 ? undefined : { dims, conditions };
}

/**
 * True only when every instance of the read names an element that the producer writes in the same
 * iteration of its loops. As for {@link producerInstance}, names must be apart.
 */
export function isWritten(producer: Statement, read: AccessRelation): boolean {
  const instance = producerInstance(producer, read.index);
  if (instance === undefined) return false;
  const by = replacementOf(instance.dims);
  const { dims, guards, quotients } = parallelPart(producer);
  const given = [
    ...read.constraints,
    ...flatMap(quotients, quotientConstraints).map((c) => substituteConstraint(c, by)),
  ];
  const inner = dims.filter((d) => !producer.loops.includes(d.name));
  const needed = [
    ...instance.conditions,
    ...flatMap(inner, (d) => [
      lessOrEqual(d.lower, variable(d.name)),
      lessThan(variable(d.name), d.upper),
    ]),
    ...guards,
  ].map((c) => substituteConstraint(c, by));
  return needed.every((c) => holdsAlways(c) || implies(given, c));
}

function holdsAlways(c: Constraint): boolean {
  if (!isConstant(c.affine)) return false;
  return c.kind === "zero" ? c.affine.constant === 0 : c.affine.constant >= 0;
}

/** A read, by the statement of `like`, of every element of a tensor of that shape. */
export function wholeTensor(
  like: Omit<AccessRelation, "index" | "constraints" | "range">,
  shape: readonly number[],
): AccessRelation {
  const names = shape.map((_, d) => `cell.${d}`);
  const constraints = flatMap(shape, (extent, d) => {
    const at = variable(names[d] ?? "");
    return [lessOrEqual(add(), at), lessThan(at, { terms: [], constant: extent })];
  });
  return {
    ...like,
    constraints,
    index: names.map((n) => variable(n)),
    range: shape.map((extent) => ({ lo: 0, hi: extent - 1 })),
  };
}
