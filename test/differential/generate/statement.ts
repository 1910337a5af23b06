/** Random assignments. */
import { isFloat, type ScalarType } from "../../../src/support/scalar-type.ts";
import { castName, expression, limited, scalarTypes } from "./expression.ts";
import { functionOf } from "./function-call.ts";
import { drawIndices, type Indices, type Ranger } from "./indices.ts";
import { operationOf } from "./operation.ts";
import {
  type Draft,
  freshName,
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

/** The accesses that range the indices, as one value of a type. */
function rangerTerm(d: Draft, rangers: readonly Ranger[], type: ScalarType): Term | undefined {
  const { random } = d.scene;
  const as: ScalarType = type === "bool" ? "int32" : type;
  const parts = rangers.map(({ text, tensor }): Term => {
    const read: Term = { text, magnitude: Math.max(4, tensor.magnitude) };
    if (tensor.type === as) return read;
    const small = isFloat(as) ? limited(read, tensor.type, 1000) : read;
    const negative = as === "uint32" && tensor.type !== "bool";
    return {
      text: `${castName(as)}(${small.text})`,
      magnitude: negative ? 2 ** 32 : small.magnitude,
    };
  });
  if (parts.length === 0) return undefined;
  const operator = random.pick(["*", "*", "+", "-", "max"]);
  const most = isFloat(as) ? Math.sqrt(magnitudeLimit(as)) : Infinity;
  const joined = parts
    .map((p) => limited(p, as, most))
    .reduce((a, b) => {
      if (operator === "max") {
        return { text: `max(${a.text}, ${b.text})`, magnitude: Math.max(a.magnitude, b.magnitude) };
      }
      const magnitude = operator === "*" ? a.magnitude * b.magnitude : a.magnitude + b.magnitude;
      const term = { text: `(${a.text} ${operator} ${b.text})`, magnitude };
      return isFloat(as) ? limited(term, as, magnitudeLimit(as)) : term;
    });
  if (type !== "bool") return joined;
  const text = random.chance(0.5) ? `(${joined.text} > 1)` : `bool(${joined.text})`;
  return { text, magnitude: 1 };
}

function valueFor(d: Draft, type: ScalarType, indices: Indices): Term {
  const { random } = d.scene;
  const access = rangerTerm(d, indices.rangers, type);
  if (access === undefined) return expression(d, type, 2);
  const wrapped = isFloat(type) && random.chance(d.scene.exact ? 0.35 : 0.8);
  const ranged = wrapped ? functionOf(d, type, access) : access;
  if (indices.late.size > 0 || random.chance(0.45)) return ranged;
  const more = expression(d, type, random.integer(0, 2));
  if (type === "bool") return { text: `(${ranged.text} == ${more.text})`, magnitude: 1 };
  const half = magnitudeLimit(type) / 2;
  const [a, b] = isFloat(type)
    ? [limited(ranged, type, half), limited(more, type, half)]
    : [ranged, more];
  const operator = random.pick(["+", "-"]);
  return { text: `(${a.text} ${operator} ${b.text})`, magnitude: a.magnitude + b.magnitude };
}

/** What `type` becomes as the type of the value of an operation on it. */
function valueType(d: Draft, type: ScalarType, operator: string): ScalarType {
  if (operator.startsWith("arg"))
    return d.scene.random.pick(["float32", "int32", "uint32", "float16"]);
  return type;
}

function chooseTarget(d: Draft, indices: Indices, options: StatementOptions): Target | undefined {
  const { random, tensors } = d.scene;
  const old = tensors.filter((t) => t.writable);
  const target = old.length === 0 ? undefined : random.pick(old);
  const early = indices.late.size === 0;
  if (target !== undefined && target.shape.length > 0 && early && random.chance(0.14)) {
    return scatterTarget(d, indices, target);
  }
  if (target !== undefined && (!options.mayCreate || random.chance(0.45))) {
    return oldTarget(d, indices, target);
  }
  if (!options.mayCreate) return undefined;
  const type = random.chance(0.5) ? "float32" : random.pick(scalarTypes);
  return newTarget(d, indices, type);
}

/** A scene's own values of the tensors: what a chain reads may have changed. */
function refreshed(d: Draft): Draft {
  const readable = d.readable.map((t) => d.scene.tensors.find((s) => s.name === t.name) ?? t);
  return { ...d, readable };
}

/** Some accesses that range indices stand in `exists` clauses instead of the value. */
function existsClauses(
  d: Draft,
  indices: Indices,
): { readonly ranged: Indices; readonly exists: readonly string[] } {
  const { rangers, late } = indices;
  if (late.size > 0 || rangers.length === 0 || !d.scene.random.chance(0.18)) {
    return { ranged: indices, exists: [] };
  }
  const [first, ...others] = rangers;
  const all = others.length === 0 || d.scene.random.chance(0.5);
  return {
    ranged: { ...indices, rangers: all ? [] : others },
    exists: (all ? rangers : [first]).flatMap((r) => (r === undefined ? [] : `exists ${r.text}`)),
  };
}

/** The text of one statement, with what it does entered in the scene. */
function write(d: Draft, target: Target, indices: Indices): string {
  const { random } = d.scene;
  const inner = { ...d, variables: [...d.variables, ...indices.own] };
  const operation = operationOf(d, target, indices);
  const { operator } = operation;
  const type = valueType(d, target.tensor.type, operator);
  const { ranged, exists } = existsClauses(d, indices);
  let value = valueFor(inner, type, ranged);
  if (isFloat(type)) value = limited(value, type, Math.floor(operation.limit));
  if (operator === "/=" && isFloat(type))
    value = { text: `(abs(${value.text}) + 0.5)`, magnitude: 1 };
  const clauses = [...indices.clauses.values(), ...exists];
  let text = value.text;
  if (random.chance(0.08)) {
    const name = freshName(d.scene, "y");
    clauses.push(`${name} = ${value.text}`);
    text = name;
  }
  const largest = operation.after(value.magnitude);
  const magnitude = isFloat(target.tensor.type) ? largest : Math.min(largest, 2 ** 32);
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
  const magnitude = isFloat(type) ? 4 : 9;
  return { name, type, shape, covered, magnitude, writable, parameter: true };
}
