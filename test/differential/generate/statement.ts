/** Random assignments. */
import type { ScalarType } from "../../../src/support/scalar-type.ts";
import { castName, expression, limited, scalarTypes } from "./expression.ts";
import { functionOf } from "./function-call.ts";
import { drawIndices, type Indices, pointsOf, type Ranger } from "./indices.ts";
import {
  type Draft,
  freshName,
  loopLimit,
  magnitudeLimit,
  replaceTensor,
  type SceneTensor,
  type Term,
  type Variable,
} from "./scene.ts";
import {
  coveredAfter,
  newTarget,
  oldTarget,
  scatterTarget,
  shiftedTarget,
  type Target,
} from "./target.ts";

/** Whether a statement may make a tensor. */
export interface StatementOptions {
  readonly mayCreate: boolean;
}

interface Operation {
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
  readonly reduces: boolean;
  readonly mayBeEmpty: boolean;
  readonly inLoop: boolean;
}

function roomOf(d: Draft, target: Target, indices: Indices): Room {
  const length = lengthOf(target, indices);
  const inLoop = d.trips > 1;
  const limit = inLoop ? loopLimit : magnitudeLimit;
  return {
    length,
    limit,
    summed: Math.max(1, Math.floor(limit / length)),
    added: Math.max(1, Math.floor(limit / (8 * length * d.trips))),
    reduces: indices.own.some((v) => target.collides || !target.used.has(v.name)),
    mayBeEmpty: indices.own.some((v) => !target.used.has(v.name)) && indices.dependent.size > 0,
    inLoop,
  };
}

/** Reductions that start anew. */
function resets(room: Room): readonly Operation[] {
  const { length, limit, mayBeEmpty, inLoop } = room;
  const extreme = (term: number): number => (mayBeEmpty ? Infinity : term);
  const found = [{ operator: "+=!", limit: room.summed, after: (m: number) => m * length }];
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
  const sums = ["+=", "+=", "-="].map((operator) => ({
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
  return [
    ...resets(room),
    ...(target.isNew || own === Infinity ? [] : updates(d, room, own)),
    ...assignments(d, target, indices, room),
    ...argReductions(target, indices, room),
    ...argReductions(target, indices, room),
    ...argReductions(target, indices, room),
  ];
}

function operationOf(d: Draft, target: Target, indices: Indices): Operation {
  const { random } = d.scene;
  if (target.tensor.type !== "bool") return random.pick(numberOperations(d, target, indices));
  const reduces = indices.own.some((v) => target.collides || !target.used.has(v.name));
  const operators = ["&&=!", "||=!"];
  if (!target.isNew) operators.push("&&=", "||=", "&&=", "||=");
  if (!reduces) operators.push("=", "=");
  return { operator: random.pick(operators), limit: 1, after: () => 1 };
}

/** The accesses that range the indices, as one value of a type. */
function rangerTerm(d: Draft, rangers: readonly Ranger[], type: ScalarType): Term | undefined {
  const { random } = d.scene;
  const as: ScalarType = type === "bool" ? "int32" : type;
  const parts = rangers.map(({ text, tensor }): Term => {
    const magnitude = Math.max(4, tensor.magnitude);
    if (tensor.type === as) return { text, magnitude };
    return { text: `${castName(as)}(${text})`, magnitude: as === "float32" ? 2 ** 32 : magnitude };
  });
  if (parts.length === 0) return undefined;
  const operator = random.pick(["*", "*", "+", "-", "max"]);
  const most = as === "float32" ? 1000 : Infinity;
  const joined = parts
    .map((p) => limited(p, as, most))
    .reduce((a, b) => {
      if (operator === "max") {
        return { text: `max(${a.text}, ${b.text})`, magnitude: Math.max(a.magnitude, b.magnitude) };
      }
      const magnitude = operator === "*" ? a.magnitude * b.magnitude : a.magnitude + b.magnitude;
      const term = { text: `(${a.text} ${operator} ${b.text})`, magnitude };
      return as === "float32" ? limited(term, as, magnitudeLimit) : term;
    });
  if (type !== "bool") return joined;
  const text = random.chance(0.5) ? `(${joined.text} > 1)` : `bool(${joined.text})`;
  return { text, magnitude: 1 };
}

function valueFor(d: Draft, type: ScalarType, indices: Indices): Term {
  const { random } = d.scene;
  const access = rangerTerm(d, indices.rangers, type);
  if (access === undefined) return expression(d, type, 2);
  const wrapped = type === "float32" && random.chance(d.scene.exact ? 0.35 : 0.8);
  const ranged = wrapped ? functionOf(d, access) : access;
  if (indices.late.size > 0 || random.chance(0.45)) return ranged;
  const more = expression(d, type, random.integer(0, 2));
  if (type === "bool") return { text: `(${ranged.text} == ${more.text})`, magnitude: 1 };
  const half = magnitudeLimit / 2;
  const [a, b] =
    type === "float32" ? [limited(ranged, type, half), limited(more, type, half)] : [ranged, more];
  const operator = random.pick(["+", "-"]);
  return { text: `(${a.text} ${operator} ${b.text})`, magnitude: a.magnitude + b.magnitude };
}

/** What `type` becomes as the type of the value of an operation on it. */
function valueType(d: Draft, type: ScalarType, operator: string): ScalarType {
  if (operator.startsWith("arg")) return d.scene.random.pick(["float32", "int32", "uint32"]);
  return type;
}

function chooseTarget(d: Draft, indices: Indices, options: StatementOptions): Target | undefined {
  const { random, tensors } = d.scene;
  const old = tensors.filter((t) => t.writable);
  const target = old.length === 0 ? undefined : random.pick(old);
  if (
    target !== undefined &&
    target.shape.length > 0 &&
    indices.late.size === 0 &&
    random.chance(0.14)
  ) {
    return scatterTarget(d, indices, target);
  }
  if (target !== undefined && (!options.mayCreate || random.chance(0.45))) {
    return oldTarget(d, indices, target);
  }
  if (!options.mayCreate) return undefined;
  const type = random.chance(0.6) ? "float32" : random.pick(scalarTypes);
  return newTarget(d, indices, type);
}

/** A scene's own values of the tensors: what a chain reads may have changed. */
function refreshed(d: Draft): Draft {
  const readable = d.readable.map((t) => d.scene.tensors.find((s) => s.name === t.name) ?? t);
  return { ...d, readable };
}

/** The text of one statement, with what it does entered in the scene. */
function write(d: Draft, target: Target, indices: Indices): string {
  const { random } = d.scene;
  const inner = { ...d, variables: [...d.variables, ...indices.own] };
  const operation = operationOf(d, target, indices);
  const { operator } = operation;
  const type = valueType(d, target.tensor.type, operator);
  let value = valueFor(inner, type, indices);
  if (type === "float32") value = limited(value, type, Math.floor(operation.limit));
  if (operator === "/=" && type === "float32")
    value = { text: `(abs(${value.text}) + 0.5)`, magnitude: 1 };
  const clauses = [...indices.clauses.values()];
  let text = value.text;
  if (random.chance(0.08)) {
    const name = freshName(d.scene, "y");
    clauses.push(`${name} = ${value.text}`);
    text = name;
  }
  const largest = operation.after(value.magnitude);
  const magnitude = target.tensor.type === "float32" ? largest : Math.min(largest, 2 ** 32);
  replaceTensor(d.scene, { ...target.tensor, covered: coveredAfter(target), magnitude });
  const where = clauses.length === 0 ? "" : ` where ${clauses.join(", ")}`;
  return `${target.text} ${operator} ${text}${where}`;
}

/** Indices of the left side alone, each with a clause or, bare, ranged by the tensor's shape. */
function leftIndices(d: Draft, target: Target, indices: Indices): Indices {
  const { random } = d.scene;
  const own = indices.own.filter((v) => target.used.has(v.name));
  if (own.some((v) => v.lo > v.hi)) return indices;
  const clauses = new Map(own.map((v) => [v.name, `${v.name} in ${v.lo}:${v.hi + 1}`]));
  const ranged = own.map((v): Variable => ({ ...v, ranged: "where" }));
  const whole = target.tensor.magnitude < Infinity && own.every((v) => isWhole(target, v));
  const byShape = whole && target.text.includes("(") && random.chance(0.5);
  const rangers = byShape ? [{ text: target.text, tensor: target.tensor }] : [];
  return {
    own: byShape ? ranged.map((v): Variable => ({ ...v, ranged: "inferred" })) : ranged,
    clauses: byShape ? new Map() : clauses,
    rangers,
    dependent: new Set(),
    late: new Set(),
  };
}

/** True when an index stands bare on the left side and runs over the whole dimension. */
function isWhole(target: Target, v: Variable): boolean {
  const parts = target.text.slice(target.text.indexOf("(") + 1, -1).split(", ");
  const sizes = parts.flatMap((p, n) => (p === v.name ? [target.tensor.shape[n] ?? 0] : []));
  return v.lo === 0 && sizes.length > 0 && sizes.every((size) => size === v.hi + 1);
}

/** An update of the elements that the statement before wrote. */
function follow(d: Draft, target: Target, indices: Indices): string {
  const { random } = d.scene;
  const tensor = d.scene.tensors.find((t) => t.name === target.tensor.name) ?? target.tensor;
  const again: Target = { ...target, tensor, isNew: false };
  if (random.chance(0.12) && tensor.type === "float32" && !target.text.includes("/")) {
    const left = leftIndices(d, again, indices);
    if (left.own.length > 0 && left.rangers.length > 0) return `${target.text} += 1.0`;
  }
  const left = random.chance(0.6) && !target.collides ? leftIndices(d, again, indices) : indices;
  return write(refreshed(d), again, left);
}

/** A write of other elements of the tensor that was written before, in another order. */
function overwrite(d: Draft, { tensor }: Target): readonly string[] {
  const now = d.scene.tensors.find((t) => t.name === tensor.name) ?? tensor;
  const shifted = d.scene.random.chance(0.5) ? shiftedTarget(now) : undefined;
  if (shifted !== undefined) {
    const { own } = shifted;
    const clauses = new Map(own.map((v) => [v.name, `${v.name} in ${v.lo}:${v.hi + 1}`]));
    const none = { rangers: [], dependent: new Set<string>(), late: new Set<string>() };
    return [write(refreshed(d), shifted.target, { own, clauses, ...none })];
  }
  const indices = drawIndices(d);
  const again = oldTarget(d, indices, now);
  return again.reach.some((r) => r.lo > r.hi) ? [] : [write(refreshed(d), again, indices)];
}

/** One to four statements on one target. */
export function statements(d: Draft, options: StatementOptions): readonly string[] {
  const { random } = d.scene;
  const indices = drawIndices(d);
  const target = chooseTarget(d, indices, options);
  if (target === undefined) return [];
  if (target.reach.some((r) => r.lo > r.hi || r.lo < 0)) return [];
  const lines = [write(d, target, indices)];
  while (lines.length < 3 && random.chance(0.3)) lines.push(follow(d, target, indices));
  if (random.chance(0.2)) lines.push(...overwrite(d, target));
  return lines;
}

/** A tensor of the scene for a parameter. */
export function parameterTensor(
  name: string,
  type: ScalarType,
  shape: readonly number[],
  writable: boolean,
): SceneTensor {
  const covered = shape.map((n) => ({ lo: 0, hi: n - 1 }));
  const magnitude = type === "float32" ? 4 : 9;
  return { name, type, shape, covered, magnitude, writable, parameter: true };
}
