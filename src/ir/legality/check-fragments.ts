/**
 * Purpose: checks that what is bound to fragments is what matrix units can do.
 *
 * A kernel with fragments executes one reduction, whose init, update and finish have loops of the
 * unit's extents on `fragment`, each of which is one dim of the statement. There is nothing to guard:
 * tiles are whole, inside of the domain, and begin where a device can load and store matrices; every
 * subgroup comes to them. Maps may stand behind the finish, in the same loops: the lane that stores an
 * element runs them for it, so that they touch nothing that other lanes write.
 */
import { flatMap } from "../../support/flat-map.ts";
import { type Affine, coefficientOf, constant, intervalOf, substitute } from "../affine.ts";
import { domainConstraints } from "../domain.ts";
import { type FragmentAccess, type FragmentProduct, fragmentProduct } from "../fragment-product.ts";
import { type Program, reducedDims, type Statement } from "../program.ts";
import {
  type FragmentUse,
  fragmentUseOf,
  type Loop,
  placeOfTensor,
  type Schedule,
} from "../schedule.ts";
import { epilogueFaults } from "./check-epilogue.ts";
import { type Fault, fault } from "./fault.ts";
import { leavesOf, type Occurrence, type Occurrences, sharedLoops } from "./occurrence.ts";
import { isPlainAccumulator } from "./plain-accumulator.ts";

function fragmentLoops({ loops }: Occurrence): readonly Loop[] {
  return loops.filter((l) => l.on === "fragment");
}

function bindingOf({ leaf }: Occurrence, dim: string): Affine {
  return leaf.binding.get(dim) ?? constant(0);
}

/** The dims that a leaf's fragment has, with their extents. */
function extentsOf(o: Occurrence, { unit, row, column, depth }: FragmentUse): Map<string, number> {
  const extents = new Map([
    [row, unit.rows],
    [column, unit.columns],
  ]);
  return o.leaf.phase === "update" ? extents.set(depth, unit.depth) : extents;
}

/** Whether each dim of the fragment has a loop of its own, and moves by whole tiles with the others. */
function isTiled(o: Occurrence, use: FragmentUse): boolean {
  const loops = fragmentLoops(o);
  const extents = extentsOf(o, use);
  if (loops.length !== extents.size) return false;
  return [...extents].every(([dim, extent]) => {
    const bound = bindingOf(o, dim);
    const [own, more] = loops.filter((l) => coefficientOf(bound, l.id) !== 0);
    if (own?.extent !== extent || more !== undefined) return false;
    const elsewhere = [...o.leaf.binding].some(
      ([d, a]) => d !== dim && coefficientOf(a, own.id) !== 0,
    );
    const others = bound.terms.filter((t) => t.variable !== own.id);
    const whole = others.every((t) => t.coefficient % extent === 0);
    return coefficientOf(bound, own.id) === 1 && whole && !elsewhere;
  });
}

/** Whether the loops alone keep a leaf inside of the domain. */
function isInside(o: Occurrence): boolean {
  const { leaf, loops, statement } = o;
  const extents = new Map(loops.map((l) => [l.id, l.extent]));
  const range = (l: string): { lo: number; hi: number } => ({
    lo: 0,
    hi: (extents.get(l) ?? 1) - 1,
  });
  const reduced = leaf.phase === "update" ? [] : reducedDims(statement);
  return domainConstraints(statement.domain).every(({ kind, affine }) => {
    if (reduced.some((d) => coefficientOf(affine, d) !== 0)) return true;
    const { lo, hi } = intervalOf(
      substitute(affine, (d) => leaf.binding.get(d)),
      range,
    );
    return kind === "zero" ? lo === 0 && hi === 0 : lo >= 0;
  });
}

/** Whether all tiles of an access begin where matrices may. */
function isAligned(o: Occurrence, { linear, alignment }: FragmentAccess): boolean {
  const { terms, constant: first } = substitute(linear, (d) => o.leaf.binding.get(d));
  const inside = new Set(fragmentLoops(o).map((l) => l.id));
  const outer = terms.filter((t) => !inside.has(t.variable));
  return [first, ...outer.map((t) => t.coefficient)].every((c) => c % alignment === 0);
}

/** What a phase loads or stores as fragments. */
function accessesOf(o: Occurrence, product: FragmentProduct): readonly FragmentAccess[] {
  switch (o.leaf.phase) {
    case "init":
      return product.init.kind === "load" ? [product.init.access] : [];
    case "update":
      return [product.left, product.right];
    case "finish":
    case "whole":
      return product.target === null ? [] : [product.target];
  }
}

/** Loops of a leaf alone that choose a fragment must be written out: fragments have no addresses. */
function choosesAtRunTime(o: Occurrence, others: readonly Occurrence[]): boolean {
  const shared = Math.min(...others.map((x) => sharedLoops(o, x).length));
  const reduced = new Set(reducedDims(o.statement));
  return o.loops.slice(shared).some((l) => {
    const moves = [...o.leaf.binding].some(
      ([d, a]) => !reduced.has(d) && coefficientOf(a, l.id) !== 0,
    );
    return moves && l.on !== "unroll" && l.on !== "fragment" && l.extent > 1;
  });
}

function leafFaults(o: Occurrence, use: FragmentUse, product: FragmentProduct): readonly string[] {
  const who = `${o.statement.id}.${o.leaf.phase}`;
  const faults: string[] = [];
  if (!o.uniform) faults.push(`not every subgroup comes to ${who}, which uses fragments`);
  if (!isTiled(o, use)) faults.push(`${who} is not tiled by its fragments`);
  if (!isInside(o)) faults.push(`the fragments of ${who} are not whole`);
  if (o.loops.some((l) => (l.on === "vector" || l.on === "lane") && l.extent > 1)) {
    faults.push(`${who} has fragments in vectors or lanes`);
  }
  if (!accessesOf(o, product).every((a) => isAligned(o, a))) {
    faults.push(`fragments of ${who} do not begin at multiples of 16 bytes`);
  }
  return faults;
}

/** Results leave the fragments where they are placed in registers of the lane that has them. */
function placedFaults(
  schedule: Schedule,
  { id, write }: Statement,
  leaves: readonly Occurrence[],
): readonly string[] {
  const place = placeOfTensor(schedule, write.tensor);
  const finish = leaves.find((o) => o.leaf.phase === "finish");
  const isOfLane = place?.space === "private" && place.at === finish?.loops.at(-1)?.id;
  return place === undefined || isOfLane ? [] : [`${id} has results in ${place.space} memory`];
}

function statementFaults(
  program: Program,
  schedule: Schedule,
  statement: Statement,
  occurrences: Occurrences,
  use: FragmentUse | undefined,
): readonly string[] {
  const { id } = statement;
  if (use === undefined) return [`${id} has fragment loops, and no accumulator in fragments`];
  const leaves = leavesOf(id, occurrences);
  const result = fragmentProduct(program, statement, use);
  if (result.kind === "refused") return [result.reason];
  const { product } = result;
  const faults = flatMap(leaves, (o) => leafFaults(o, use, product));
  if (statement.reads.some((r) => placeOfTensor(schedule, r.tensor) !== undefined)) {
    faults.push(`${id} uses fragments of something that is placed`);
  }
  faults.push(...placedFaults(schedule, statement, leaves));
  if (!isPlainAccumulator(statement, occurrences)) {
    return [...faults, `the fragments of ${id} are not the same from init to finish`];
  }
  if (leaves.some((o) => choosesAtRunTime(o, leaves))) {
    faults.push(`the fragments of ${id} are chosen at run time`);
  }
  return faults;
}

/** What is wrong with the fragments of a schedule. */
export function checkFragments(
  program: Program,
  schedule: Schedule,
  occurrences: Occurrences,
): readonly Fault[] {
  const { leaves } = occurrences;
  const inFragments = schedule.places.filter((p) => p.space === "fragment");
  const wanted = new Set(
    inFragments.map((p) => p.target.kind === "accumulator" && p.target.statement),
  );
  const used = leaves.filter((o) => fragmentLoops(o).length > 0 || wanted.has(o.statement.id));
  // Where a reduction is in fragments, others are beside it.
  const kernelsOf = new Set(flatMap(used, (o) => (wanted.has(o.statement.id) ? [o.kernel] : [])));
  const main = used.filter((o) => wanted.has(o.statement.id) || !kernelsOf.has(o.kernel));
  const statements = [...new Set(main.map((o) => o.statement))];
  return flatMap(statements, (s) => {
    const kernels = new Set(flatMap(leaves, (o) => (o.statement === s ? [o.kernel] : [])));
    const others = leaves.filter((o) => o.statement !== s && kernels.has(o.kernel));
    const finish = leaves.find((o) => o.statement === s && o.leaf.phase === "finish");
    const beside = finish === undefined ? [] : epilogueFaults(s, finish, others);
    const own = statementFaults(program, schedule, s, occurrences, fragmentUseOf(schedule, s.id));
    return [...new Set([...beside, ...own])].map((text) => fault("place", [s.id], text));
  });
}
