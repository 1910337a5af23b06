/** What a random statement does to its target, and how large its value may be. */
import { type Indices, pointsOf } from "./indices.ts";
import { type Draft, loopLimit, magnitudeLimit } from "./scene.ts";
import type { Target } from "./target.ts";

/** An operator with its room. */
export interface Operation {
  readonly operator: string;
  /** What the value may grow to, and what the tensor then may hold. */
  readonly limit: number;
  readonly after: (term: number) => number;
}

/** The values that one element combines. */
function lengthOf(target: Target, indices: Indices): number {
  const reduced = indices.own.filter((v) => target.collides || !target.used.has(v.name));
  return Math.max(1, pointsOf(reduced));
}

/** What the operations on a target have to respect. */
interface Room {
  readonly length: number;
  /** Of floats that are assigned, that one reset reduction sums, that many executions add. */
  readonly limit: number;
  readonly summed: number;
  readonly added: number;
  /** False where float16 would not hold sums exactly. */
  readonly maySum: boolean;
  readonly reduces: boolean;
  readonly mayBeEmpty: boolean;
  readonly inLoop: boolean;
}

function roomOf(d: Draft, target: Target, indices: Indices): Room {
  const length = lengthOf(target, indices);
  const inLoop = d.trips > 1;
  const { type } = target.tensor;
  const limit = inLoop ? loopLimit(type) : magnitudeLimit(type);
  return {
    length,
    limit,
    summed: Math.max(1, Math.floor(limit / length)),
    added: Math.max(1, Math.floor(limit / (8 * length * d.trips))),
    maySum: type !== "float16" || 8 * length * d.trips <= limit,
    reduces: indices.own.some((v) => target.collides || !target.used.has(v.name)),
    mayBeEmpty: indices.own.some((v) => !target.used.has(v.name)) && indices.dependent.size > 0,
    inLoop,
  };
}

/** Reductions that start anew. */
function resets(room: Room): readonly Operation[] {
  const { length, limit, mayBeEmpty, inLoop } = room;
  const extreme = (term: number): number => (mayBeEmpty ? Infinity : term);
  const found: Operation[] = [];
  if (room.maySum) found.push({ operator: "+=!", limit: room.summed, after: (m) => m * length });
  if (!mayBeEmpty || !inLoop) {
    found.push({ operator: "min=!", limit, after: extreme });
    found.push({ operator: "max=!", limit, after: extreme });
  }
  const factor = length <= 8 && !inLoop ? 2 : 1;
  found.push({ operator: "*=!", limit: factor, after: (m) => Math.max(1, m ** length) });
  return found;
}

/** Operations that combine into a tensor whose floats are at most `own`. */
function updates(d: Draft, room: Room, own: number): readonly Operation[] {
  const grown = (m: number): number => own + m * room.length * d.trips;
  const larger = (m: number): number => Math.max(own, m);
  const sums = (room.maySum ? ["+=", "+=", "-="] : []).map((operator) => ({
    operator,
    limit: room.added,
    after: grown,
  }));
  const extremes = ["min=", "max="].map((operator) => {
    return { operator, limit: room.limit, after: larger };
  });
  return [...sums, ...extremes, { operator: "*=", limit: 1, after: larger }];
}

/** `=` and, where the target may be read, `/=`. */
function assignments(d: Draft, target: Target, indices: Indices, room: Room): readonly Operation[] {
  if (room.reduces) return [];
  const { limit, inLoop } = room;
  const own = target.tensor.magnitude;
  const found = Array.from({ length: 5 }, (): Operation => {
    return { operator: "=", limit, after: (m) => m };
  });
  // The target is read as well, and would range indices.
  const ranged = indices.own.every((v) => v.ranged === "where");
  const smooth = target.tensor.type === "int32" || (!d.scene.exact && !inLoop && own < limit);
  if (ranged && smooth && !target.isNew && own < Infinity) {
    const divide = { operator: "/=", limit, after: () => 2 * own };
    found.push(divide, divide, divide);
  }
  return found;
}

function argReductions(target: Target, indices: Indices, room: Room): readonly Operation[] {
  const [only, more] = indices.own.filter((v) => !target.used.has(v.name));
  const fits = only !== undefined && more === undefined && !target.collides;
  if (!fits || target.tensor.type !== "int32") return [];
  return ["argmin=!", "argmax=!"].map((operator) => {
    return { operator, limit: room.limit, after: (m) => m };
  });
}

function numberOperations(d: Draft, target: Target, indices: Indices): readonly Operation[] {
  const room = roomOf(d, target, indices);
  const own = target.tensor.magnitude;
  // float16 holds whole numbers up to 2048.
  const mayGrow = own < (target.tensor.type === "float16" ? 512 : Infinity);
  return [
    ...resets(room),
    ...(target.isNew || !mayGrow ? [] : updates(d, room, own)),
    ...assignments(d, target, indices, room),
    ...argReductions(target, indices, room),
    ...argReductions(target, indices, room),
    ...argReductions(target, indices, room),
  ];
}

/** A random operation that fits the target's type and the indices. */
export function operationOf(d: Draft, target: Target, indices: Indices): Operation {
  const { random } = d.scene;
  if (target.tensor.type !== "bool") return random.pick(numberOperations(d, target, indices));
  const reduces = indices.own.some((v) => target.collides || !target.used.has(v.name));
  const operators = ["&&=!", "||=!"];
  if (!target.isNew) operators.push("&&=", "||=", "&&=", "||=");
  if (!reduces) operators.push("=", "=");
  return { operator: random.pick(operators), limit: 1, after: () => 1 };
}
