/**
 * Purpose: checks that values are found where places put them.
 *
 * Local memory (scratch, workgroup, private) lives while one iteration of its loop does: everybody
 * who uses it must be inside, and what is read must have been written there, in the same copy.
 */

import { flatMap } from "../../support/flat-map.ts";
import { remember } from "../../support/remember.ts";
import {
  type Affine,
  add,
  addConstant,
  affineEquals,
  type Constraint,
  coefficientOf,
  constant,
  nonnegative,
  scale,
  substitute,
  substituteConstraint,
  subtract,
  variable,
} from "../affine.ts";
import { readRelations } from "../dependences/access-relation.ts";
import { comparePositions, programOrder } from "../dependences/program-order.ts";
import { readsStart } from "../dependences/reads-start.ts";
import { writesWhole } from "../dependences/total-write.ts";
import { isEmpty } from "../integer-set/is-empty.ts";
import { phaseReads } from "../phase-reads.ts";
import { findTensor, type Program } from "../program.ts";
import { isLocal, type Loop, type Place, type Schedule } from "../schedule.ts";
import { type ImageRow, imageOf } from "./binding-image.ts";
import { type Fault, fault } from "./fault.ts";
import { complement, fillsRead, splitAffine } from "./fills-read.ts";
import { laneFaults } from "./lane-faults.ts";
import { isInRegisters, isStorage, type Memory, memoryOfTensor, outerLoops } from "./memory.ts";
import { boundDims, type Occurrence, type Occurrences, stores, usesLoop } from "./occurrence.ts";
import {
  atEnd,
  difference,
  mayDiffer,
  mayHold,
  type PairSet,
  pairSet,
  threadAt,
  where,
} from "./pair-set.ts";
import { type Reach, reachOf } from "./reach.ts";
import type { Edge } from "./schedule-edges.ts";

/** Whether every pair has its source in the sink's copy of the memory, as bounds tell. */
function meets(memory: Memory, pairs: PairSet, occurrences: Occurrences): boolean {
  const outer = outerLoops(memory, pairs.sink, occurrences);
  let current: PairSet | null = pairs;
  for (const loop of pairs.shared) {
    if (current === null) return true;
    if (!usesLoop(pairs.source, loop)) current = where(current, difference(loop));
  }
  const chosen = current;
  if (chosen === null) return true;
  if (pairs.shared.some((l) => outer.has(l.id) && mayDiffer(chosen, difference(l)))) return false;
  if (memory.space === "lanes") return isNear(reachOf(chosen, occurrences));
  return memory.space !== "private" || inTeam(chosen, occurrences);
}

/** Within what exchanges between lanes reach. */
function isNear(reach: Reach): boolean {
  return reach === "thread" || reach === "subgroup";
}

/** Whether the sink's invocation is always one of those that execute the source. */
function inTeam(pairs: PairSet, { strides }: Occurrences): boolean {
  const { source } = pairs;
  const first = threadAt({ ...pairs, source: { ...source, replicated: false } }, "a", strides);
  const rank = subtract(threadAt(pairs, "b", strides), first);
  if (!source.replicated) return !mayDiffer(pairs, rank);
  const beyond = addConstant(rank, -source.team);
  return !(mayHold(pairs, complement(nonnegative(rank))) || mayHold(pairs, [nonnegative(beyond)]));
}

/** Replaces the source's dims by what equalities say they are, where one does with coefficient 1. */
function solveSource(
  constraints: readonly Constraint[],
  dims: readonly string[],
): { readonly constraints: readonly Constraint[]; readonly value: ReadonlyMap<string, Affine> } {
  const value = new Map<string, Affine>();
  let rest = constraints;
  for (const dim of dims) {
    const name = `a.${dim}`;
    const by = rest.find((c) => c.kind === "zero" && Math.abs(coefficientOf(c.affine, name)) === 1);
    if (by === undefined) continue;
    const sign = coefficientOf(by.affine, name);
    const solved = add(variable(name), scale(by.affine, -sign));
    const replace = (n: string): Affine | undefined => (n === name ? solved : undefined);
    rest = rest.map((c) => substituteConstraint(c, replace));
    for (const [d, a] of value) value.set(d, substitute(a, replace));
    value.set(dim, solved);
  }
  return { constraints: rest, value };
}

/** Whether some execution of each source of the pairs is in the sink's copy of the memory. */
function recomputed(
  edge: Edge,
  source: Occurrence,
  sink: Occurrence,
  occurrences: Occurrences,
): boolean {
  const { strides } = occurrences;
  const fixed = outerLoops(edge.memory, sink, occurrences);
  const dims = boundDims(source.statement, source.leaf.phase);
  const { constraints, value } = solveSource(edge.constraints, dims);
  // The sink's side of a set whose source has no loops.
  const nowhere: Occurrence = {
    ...source,
    loops: [],
    replicated: false,
    leaf: { ...source.leaf, binding: new Map() },
  };
  const pairs = pairSet(constraints, nowhere, sink);
  if (pairs === null) return true;
  const toSink = (a: Affine): Affine => atEnd(pairs, "b", a);
  const bindings = sink.leaf.binding;
  const known = (dim: string): Affine =>
    substitute(value.get(dim) ?? variable(`a.${dim}`), (name) => {
      const bound = name.startsWith("b.") ? bindings.get(name.slice(2)) : undefined;
      return bound === undefined ? undefined : toSink(bound);
    });
  const rows: ImageRow[] = dims.map((dim) => {
    const { outer, inner } = splitAffine(source.leaf.binding.get(dim) ?? constant(0), fixed);
    return { known: subtract(known(dim), toSink(outer)), bound: inner };
  });
  const free = source.loops.filter((l) => !fixed.has(l.id));
  const extents = new Map(free.map((l) => [l.id, l.extent]));
  if (edge.memory.space === "private") {
    const { outer, inner } = splitAffine(localOf(source, strides), fixed);
    const rank = source.replicated ? [variable("@rank")] : [];
    extents.set("@rank", source.replicated ? source.team : 1);
    rows.push({
      known: subtract(threadAt(pairs, "b", strides), toSink(outer)),
      bound: add(inner, ...rank),
    });
  }
  const image = imageOf(rows, extents);
  return image?.constraints.every((c) => complement(c).every((x) => !mayHold(pairs, [x]))) ?? false;
}

function localOf(o: Occurrence, strides: ReadonlyMap<string, number>): Affine {
  const local = o.loops.filter((l) => isLocal(l.on));
  return add(...local.map((l) => variable(l.id, l.extent > 1 ? (strides.get(l.id) ?? 0) : 0)));
}

/**
 * Flows through local memory must stay within one copy of it. `sources` are those in the sink's
 * kernel, `sets` their pairs with it.
 */
export function checkFlow(
  edge: Edge,
  sources: readonly Occurrence[],
  sets: readonly (PairSet | null)[],
  sink: Occurrence,
  occurrences: Occurrences,
): readonly Fault[] {
  if (edge.kind !== "flow" || isStorage(edge.memory)) return [];
  const found = sources.some((source, n) => {
    const pairs = sets[n] ?? null;
    if (pairs === null || meets(edge.memory, pairs, occurrences)) return true;
    if (edge.memory.space === "lanes") return false;
    return recomputed(edge, source, sink, occurrences);
  });
  if (found || (sources.length === 0 && isEmpty(edge.constraints) === "empty")) return [];
  const { from, to, memory } = edge;
  const text = `${to.statement} reads ${memory.name} where ${from.statement} did not write it`;
  return [fault("place", [from.statement, to.statement], text)];
}

/** The leaves that read or store each tensor, in their order. */
const usersByTensor: (occurrences: Occurrences) => ReadonlyMap<string, readonly Occurrence[]> =
  remember(({ leaves }: Occurrences) => {
    const found = new Map<string, Occurrence[]>();
    for (const o of leaves) {
      const { statement, leaf } = o;
      const touched = new Set(phaseReads(statement, leaf.phase));
      if (stores(leaf.phase)) touched.add(statement.write.tensor);
      for (const tensor of touched) {
        const own = found.get(tensor);
        if (own === undefined) found.set(tensor, [o]);
        else own.push(o);
      }
    }
    return found;
  });

function users(tensor: string, occurrences: Occurrences): readonly Occurrence[] {
  return usersByTensor(occurrences).get(tensor) ?? [];
}

function writers(tensor: string, occurrences: Occurrences): readonly Occurrence[] {
  return users(tensor, occurrences).filter(
    (o) => o.statement.write.tensor === tensor && stores(o.leaf.phase),
  );
}

/** The loops around a leaf for each iteration of which a place is allocated. */
function around(place: Place, o: Occurrence): readonly Loop[] {
  const end = o.loops.findIndex((l) => l.id === place.at);
  return o.loops.slice(0, end + 1);
}

function boxFaults(memory: Memory, occurrences: Occurrences): readonly string[] {
  const all = writers(memory.name, occurrences);
  const maps = all.map((o) =>
    o.statement.write.index.map((index) => {
      if (index.kind === "opaque") return null;
      const bound = substitute(index.affine, (dim) => o.leaf.binding.get(dim));
      return { ...splitAffine(bound, outerLoops(memory, o, occurrences)).outer };
    }),
  );
  if (maps.some((m) => m.includes(null))) return [`${memory.name} is placed but scattered into`];
  const [first] = maps;
  const differs = maps.some((m) =>
    m.some((a, d) => !affineEquals(a ?? constant(0), first?.[d] ?? constant(0))),
  );
  return differs ? [`${memory.name} is written in different boxes`] : [];
}

/** A copy of the memory for each workgroup, and code that takes parts of it for invocations. */
function sharingFaults(place: Place, memory: Memory, all: readonly Occurrence[]): string[] {
  if (isInRegisters(place)) return [];
  const inner = flatMap(all, (o) => around(place, o)).find((l) => isLocal(l.on) && l.extent > 1);
  return inner === undefined ? [] : [`${memory.name} is shared but allocated in ${inner.id}`];
}

function localFaults(
  program: Program,
  place: Place,
  memory: Memory,
  occurrences: Occurrences,
): readonly string[] {
  const all = users(memory.name, occurrences);
  const texts: string[] = [];
  if (findTensor(program, memory.name)?.role !== "temporary") {
    texts.push(`${memory.name} is not a temporary`);
  }
  if (new Set(all.map((o) => o.kernel)).size > 1) {
    texts.push(`${memory.name} is used in several kernels`);
  }
  if (place.at !== null && all.some((o) => around(place, o).length === 0)) {
    return [...texts, `${memory.name} is used outside loop ${place.at}`];
  }
  return [
    ...texts,
    ...sharingFaults(place, memory, all),
    ...boxFaults(memory, occurrences),
    ...(place.space === "lanes" ? laneFaults(program, memory, all, occurrences) : []),
    ...unwrittenReads(program, memory.name),
  ];
}

/** Reads of a tensor that may see what was there before the program, in words. */
export function unwrittenReads(program: Program, tensor: string): readonly string[] {
  if (!readsStart(program).has(tensor)) return [];
  const made = program.statements.filter((s) => s.write.tensor === tensor);
  return program.statements
    .filter((s) => {
      const reads = readRelations(program, s).filter((r) => r.tensor === tensor);
      return reads.some((r) => !made.some((w) => fillsRead(program, w, r)));
    })
    .map((s) => `${s.id} may read elements of ${tensor} that nothing wrote`);
}

function foldFaults(program: Program, tensor: string, place: Place): readonly string[] {
  const { fold } = place;
  if (fold === null || fold.slots <= 1) return [];
  const order = programOrder(program);
  const all = program.statements.filter((s) => s.write.tensor === tensor);
  const inside = all.filter((s) => s.loops.includes(fold.loop));
  const [writer, more] = inside;
  if (writer === undefined) return [];
  const at = order.get(writer.id);
  if (at === undefined || more !== undefined) {
    return [`${tensor} is folded but not written by one statement of loop ${fold.loop}`];
  }
  const texts: string[] = [];
  if (findTensor(program, tensor)?.role !== "temporary") texts.push(`${tensor} is not a temporary`);
  if (!writesWhole(program, writer, at)) texts.push(`${writer.id} does not write all of ${tensor}`);
  for (const s of all) {
    const other = order.get(s.id);
    if (s !== writer && other !== undefined && comparePositions(other, at) > 0) {
      texts.push(`${s.id} writes ${tensor} after the loop that folds it`);
    }
  }
  return texts;
}

/** Boxes that take turns over the iterations of the loop at which they are allocated. */
function turnFaults(
  { fold, at, space }: Place,
  tensor: string,
  { loops }: Occurrences,
): readonly string[] {
  if (fold === null) return [];
  if (space !== "workgroup" || fold.loop !== at) return [`${tensor} is folded but not in storage`];
  const loop = loops.get(fold.loop)?.loops.at(-1);
  const counts = Number.isInteger(fold.slots) && fold.slots >= 1;
  if (counts && loop?.on === "serial") return [];
  return [`${tensor} cannot take ${fold.slots} turns over ${fold.loop}`];
}

function placeFaults(program: Program, place: Place, occurrences: Occurrences): readonly string[] {
  const { target } = place;
  if (target.kind === "accumulator") {
    // What is in fragments is looked at as a whole elsewhere.
    const registers = place.space === "private" || place.space === "fragment";
    const isDefault = registers && place.at === null;
    return isDefault ? [] : [`the accumulator of ${target.statement} must be private`];
  }
  if (place.space === "fragment" || place.unit !== undefined) {
    return [`${target.tensor} is no accumulator, and cannot be in fragments`];
  }
  if (findTensor(program, target.tensor) === undefined) return [`no tensor ${target.tensor}`];
  const { pad = 0 } = place;
  if (pad !== 0 && (place.space !== "workgroup" || !Number.isInteger(pad) || pad < 0)) {
    return [`the rows of ${target.tensor} cannot be ${pad} longer in ${place.space} memory`];
  }
  if (place.space === "storage") {
    const at = place.at === null ? [] : [`${target.tensor} is in storage, at a loop`];
    return [...at, ...foldFaults(program, target.tensor, place)];
  }
  const fold = turnFaults(place, target.tensor, occurrences);
  const memory: Memory = {
    name: target.tensor,
    space: place.space,
    at: place.at,
    accumulatorOf: null,
  };
  return [...fold, ...localFaults(program, place, memory, occurrences)];
}

/** The faults of the places by themselves; flows between leaves are for {@link checkFlow}. */
export function checkPlaces(
  program: Program,
  schedule: Schedule,
  occurrences: Occurrences,
): readonly Fault[] {
  return flatMap(schedule.places, (place) => {
    const { target } = place;
    const statements =
      target.kind === "accumulator"
        ? [target.statement]
        : users(target.tensor, occurrences).map((o) => o.statement.id);
    return placeFaults(program, place, occurrences).map((text) => fault("place", statements, text));
  });
}

/** The tensors of a kernel that live in memory that its invocations share and iterations reuse. */
export function reusedMemories(
  schedule: Schedule,
  occurrences: Occurrences,
): readonly {
  readonly memory: Memory;
  readonly users: readonly Occurrence[];
  readonly fold: Place["fold"];
}[] {
  return flatMap(schedule.places, ({ target, space, fold }) => {
    if (target.kind !== "tensor" || space === "storage" || isInRegisters({ space })) return [];
    const memory = memoryOfTensor(schedule, target.tensor);
    return [{ memory, users: users(target.tensor, occurrences), fold }];
  });
}
