/** Reads of tensors in every form: plain, padded, guarded, gathered, clamped. */
import type { Interval } from "../../../src/ir/affine.ts";
import type { ScalarType } from "../../../src/support/scalar-type.ts";
import { clampedIndex, insideIndex, looseIndex, opaqueIndex } from "./index-expression.ts";
import { type Draft, magnitudeLimit, type SceneTensor, type Term } from "./scene.ts";

/** A written number of a type. */
export function literalText(type: ScalarType, value: number): string {
  switch (type) {
    case "float32":
      return value < 0 ? `(${value}.0)` : `${value}.0`;
    case "float16":
      return `half(${value}.0)`;
    case "int32":
      return value < 0 ? `(${value})` : String(value);
    case "uint32":
      return `uint32(${Math.abs(value)})`;
    case "bool":
      return value > 0 ? "true" : "false";
  }
}

/** Integer tensors whose values serve as indices. */
export function indexTables(d: Draft): readonly SceneTensor[] {
  return d.readable.filter((t) => t.type === "int32" && t.shape.length <= 2);
}

function accessText(tensor: SceneTensor, indices: readonly string[]): string {
  return tensor.shape.length === 0 ? tensor.name : `${tensor.name}(${indices.join(", ")})`;
}

function dimensions(tensor: SceneTensor): readonly { covered: Interval; extent: number }[] {
  return tensor.covered.map((covered, d) => ({ covered, extent: tensor.shape[d] ?? 1 }));
}

/** Every index stays inside of what is written. */
function plainRead(d: Draft, tensor: SceneTensor): string {
  const indices = dimensions(tensor).map(({ covered, extent }) => {
    const clamped = d.variables.length > 0 && d.scene.random.chance(0.05);
    return clamped ? clampedIndex(d, covered).text : insideIndex(d, covered, extent).text;
  });
  return accessText(tensor, indices);
}

/** Some index is computed at run time. */
function gatheredRead(d: Draft, tensor: SceneTensor): string {
  const tables = indexTables(d);
  const chosen = d.scene.random.integer(0, tensor.shape.length);
  const indices = dimensions(tensor).map(({ covered, extent }, n) =>
    n === chosen ? opaqueIndex(d, extent, tables) : insideIndex(d, covered, extent).text,
  );
  return accessText(tensor, indices);
}

function paddedRead(d: Draft, tensor: SceneTensor): string {
  const { random } = d.scene;
  const indices = dimensions(tensor).map(({ covered, extent }) =>
    random.chance(0.6) ? looseIndex(d, covered).text : insideIndex(d, covered, extent).text,
  );
  const read = accessText(tensor, indices);
  if (random.chance(0.5)) return `pad(${read})`;
  return `pad(${read}, ${literalText(tensor.type, random.integer(-2, 4))})`;
}

/** A condition stands before a read that would leave the tensor without it. */
export function guardedRead(d: Draft, tensor: SceneTensor): string {
  const { random } = d.scene;
  const indices: string[] = [];
  const conditions: string[] = [];
  for (const { covered, extent } of dimensions(tensor)) {
    const loose = looseIndex(d, covered);
    const leaves = loose.lo < covered.lo || loose.hi > covered.hi;
    // Without a condition it would have to be ranged as any other access.
    const e = leaves && random.chance(0.7) ? loose : insideIndex(d, covered, extent);
    indices.push(e.text);
    if (e.lo < covered.lo) conditions.push(`${e.text} >= ${covered.lo}`);
    if (e.hi > covered.hi) conditions.push(`${e.text} < ${covered.hi + 1}`);
  }
  const read = accessText(tensor, indices);
  if (conditions.length === 0) return read;
  const other = literalText(tensor.type, random.integer(-1, 3));
  const refuted = conditions.map((c) => `!(${c})`).join(" || ");
  if (tensor.type === "bool" && random.chance(0.6)) {
    return random.chance(0.5)
      ? `(${conditions.join(" && ")} && ${read})`
      : `(${refuted} || ${read})`;
  }
  if (random.chance(0.3)) {
    return `(${refuted} ? ${other} : ${read})`;
  }
  return `(${conditions.join(" && ")} ? ${read} : ${other})`;
}

/** A read of a tensor. Infinities, which arithmetic must not meet, are replaced by 0. */
export function readOf(d: Draft, tensor: SceneTensor): Term {
  const kind = d.scene.random.next();
  const rank = tensor.shape.length;
  const indices = d.variables.length > 0;
  let text = plainRead(d, tensor);
  if (kind < 0.1 && rank > 0 && indices) text = gatheredRead(d, tensor);
  else if (kind < 0.22 && rank > 0 && indices) text = paddedRead(d, tensor);
  else if (kind < 0.34 && rank > 0 && indices) text = guardedRead(d, tensor);
  if (tensor.magnitude < Infinity) return { text, magnitude: Math.max(4, tensor.magnitude) };
  return { text: `(isinf(${text}) ? 0.0 : ${text})`, magnitude: magnitudeLimit(tensor.type) };
}
