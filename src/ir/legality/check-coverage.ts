/**
 * Purpose: checks that leaves execute every instance, and none more often than is harmless.
 *
 * An instance may be repeated where the repetition stores the same value again into memory of its
 * own, or later in the same invocation. Updates of an accumulator, and scatters, happen once.
 */

import { flatMap } from "../../support/flat-map.ts";
import { remember } from "../../support/remember.ts";
import {
  type Affine,
  addConstant,
  type Constraint,
  equal,
  type Interval,
  intervalOf,
  nonnegative,
  scale,
  variable,
} from "../affine.ts";
import { writeRelation } from "../dependences/access-relation.ts";
import { boundingBox, domainConstraints } from "../domain.ts";
import { isEmpty } from "../integer-set/is-empty.ts";
import { isScatter, type Program, type Statement } from "../program.ts";
import { isLocal, type Loop, type Phase, type Schedule } from "../schedule.ts";
import { type Image, imageOf } from "./binding-image.ts";
import { type Fault, fault } from "./fault.ts";
import {
  isStorage,
  type Memory,
  memoryOfAccumulator,
  memoryOfTensor,
  outerLoops,
} from "./memory.ts";
import {
  boundDims,
  leavesOf,
  type Occurrence,
  type Occurrences,
  stores,
  usesLoop,
} from "./occurrence.ts";
import { difference, mayDiffer, type PairSet, pairSet, where } from "./pair-set.ts";
import { partLoops } from "./part-loops.ts";

/** The instances that a leaf executes, as constraints on its dims; null when not understood. */
const leafImage: (occurrence: Occurrence) => Image | null = remember(
  ({ statement, leaf, loops }) => {
    const rows = boundDims(statement, leaf.phase).map((dim) => ({
      known: variable(dim),
      bound: leaf.binding.get(dim) ?? variable(dim),
    }));
    return imageOf(rows, new Map(loops.map((l) => [l.id, l.extent])));
  },
);

function instances(program: Program, s: Statement, phase: Phase): readonly Constraint[] {
  const parallel = phase === "init" || phase === "finish";
  return parallel ? writeRelation(program, s).constraints : domainConstraints(s.domain);
}

/** The points where a constraint fails, in one or two parts. */
function complement({ kind, affine }: Constraint): readonly Constraint[] {
  const below = nonnegative(addConstant(scale(affine, -1), -1));
  return kind === "nonnegative" ? [below] : [below, nonnegative(addConstant(affine, -1))];
}

function holdsInBox(c: Constraint, box: ReadonlyMap<string, Interval>): boolean {
  const { lo, hi } = intervalOf(c.affine, (n) => box.get(n) ?? { lo: -Infinity, hi: Infinity });
  return c.kind === "nonnegative" ? lo >= 0 : lo === 0 && hi === 0;
}

/** False only if it is proved that every point is in one of the images. */
function leavesOut(
  points: readonly Constraint[],
  images: readonly Image[],
  box: ReadonlyMap<string, Interval>,
): boolean {
  const [first, ...rest] = images;
  if (first === undefined) return isEmpty(points) !== "empty";
  return first.constraints.some((c) => {
    if (holdsInBox(c, box)) return false;
    return complement(c).some((outside) => leavesOut([...points, outside], rest, box));
  });
}

function coverageFaults(program: Program, leaves: readonly Occurrence[]): readonly Fault[] {
  const [first] = leaves;
  if (first === undefined) return [];
  const { statement, leaf } = first;
  const points = instances(program, statement, leaf.phase);
  const images = flatMap(leaves, (o) => leafImage(o) ?? []);
  if (!leavesOut(points, images, boundingBox(statement.domain))) return [];
  const text =
    images.length < leaves.length
      ? `the loops of ${statement.id} are not tiles or skews of its dims`
      : `${statement.id} leaves instances out`;
  return [fault("coverage", [statement.id], text)];
}

function sameInstance(statement: Statement, phase: Phase): readonly Constraint[] {
  return boundDims(statement, phase).map((d) => equal(variable(`a.${d}`), variable(`b.${d}`)));
}

function prefixed(constraints: readonly Constraint[], prefix: string): readonly Constraint[] {
  const named = (a: Affine): Affine => ({
    terms: a.terms.map((t) => ({ ...t, variable: prefix + t.variable })),
    constant: a.constant,
  });
  return constraints.map(({ kind, affine }) => ({ kind, affine: named(affine) }));
}

/** Pairs of executions of one instance by two leaves, or by one. */
function repeats(program: Program, a: Occurrence, b: Occurrence): PairSet | null {
  const { statement, leaf } = a;
  const points = prefixed(instances(program, statement, leaf.phase), "b.");
  return pairSet([...sameInstance(statement, leaf.phase), ...points], a, b);
}

/** Whether one instance may be executed in two iterations of one of the loops. */
function repeatsIn(
  program: Program,
  occurrence: Occurrence,
  suspects: readonly Loop[],
  fixed: readonly Loop[],
): boolean {
  if (suspects.some((l) => !usesLoop(occurrence, l))) return true;
  if (suspects.length === 0 || leafImage(occurrence)?.injective === true) return false;
  let pairs = repeats(program, occurrence, occurrence);
  for (const l of fixed) pairs = pairs === null ? null : where(pairs, difference(l));
  const found = pairs;
  return found !== null && suspects.some((l) => mayDiffer(found, difference(l)));
}

/** Two invocations that store one element of one copy of the memory. */
function storeFaults(
  program: Program,
  memory: Memory,
  o: Occurrence,
  occurrences: Occurrences,
): readonly Fault[] {
  if (memory.space === "private" || isScatter(o.statement)) return [];
  const grid = o.loops.filter((l) => l.on === "grid");
  // Each subgroup has its own copy of what is spread over its lanes.
  const mayMeet = (l: Loop): boolean =>
    memory.space === "lanes" ? l.on === "lane" : isLocal(l.on);
  const local = o.loops.filter(mayMeet);
  const suspects = isStorage(memory) ? [...grid, ...local] : local;
  const own = isStorage(memory) ? new Set<string>() : outerLoops(memory, o, occurrences);
  const isFixed = (l: Loop): boolean => own.has(l.id) || (isLocal(l.on) && !mayMeet(l));
  const fixed = o.loops.filter((l) => l.on === "host" || (!isStorage(memory) && isFixed(l)));
  if (!repeatsIn(program, o, suspects, fixed)) return [];
  const text = `several invocations compute the same elements of ${memory.name} in ${o.statement.id}`;
  return [fault("race", [o.statement.id], text)];
}

/** Additions to one state that happen twice. */
function updateFaults(program: Program, occurrences: Occurrences, o: Occurrence): readonly Fault[] {
  const scatters = isScatter(o.statement);
  if (o.leaf.phase !== "update" && !scatters) return [];
  const id = o.statement.id;
  const memory = memoryOfAccumulator(id);
  const outer = scatters ? new Set<string>() : outerLoops(memory, o, occurrences);
  const dealt = new Set(partLoops(o).map((l) => l.id));
  const isOwn = (l: Loop): boolean => (isLocal(l.on) && !dealt.has(l.id)) || outer.has(l.id);
  const own = (l: Loop): boolean => !scatters && isOwn(l);
  const suspects = o.loops.filter((l) => !own(l));
  if (repeatsIn(program, o, suspects, o.loops.filter(own))) {
    return [fault("coverage", [id], `${id} adds an instance more than once`)];
  }
  const others = leavesOf(id, occurrences).filter((x) => x !== o && x.leaf.phase === o.leaf.phase);
  const same = others.some(
    (x) => (scatters || x.kernel === o.kernel) && repeats(program, o, x) !== null,
  );
  return same ? [fault("coverage", [id], `two leaves of ${id} add the same instances`)] : [];
}

/** The faults of missing and of repeated instances. */
export function checkCoverage(
  program: Program,
  schedule: Schedule,
  occurrences: Occurrences,
): readonly Fault[] {
  const groups = new Map<string, Occurrence[]>();
  for (const o of occurrences.leaves) {
    const key = `${o.leaf.phase} ${o.statement.id}`;
    const group = groups.get(key) ?? [];
    group.push(o);
    groups.set(key, group);
  }
  return [
    ...flatMap([...groups.values()], (leaves) => coverageFaults(program, leaves)),
    ...flatMap(occurrences.leaves, (o) => [
      ...(stores(o.leaf.phase)
        ? storeFaults(program, memoryOfTensor(schedule, o.statement.write.tensor), o, occurrences)
        : []),
      ...updateFaults(program, occurrences, o),
    ]),
  ];
}
