/**
 * Calls by value: what is passed is copied in, the body runs on tensors of its own, which start as 0,
 * and the results are copied out.
 */
import type { Expression } from "../../../src/frontend/syntax/ast.ts";
import { type Node, namesIn, sizeValue, type Transfer } from "./definition.ts";
import { as, type Compiled, compile, isAffine, type Scope, type Tensor } from "./expressions.ts";
import { converted, valueType } from "./scalars.ts";

type CallNode = Extract<Node, { readonly kind: "call" }>;

/** A tensor of the caller and the indices that an argument or a target gives. */
interface Slice {
  readonly tensor: Tensor;
  readonly leading: readonly Expression[];
}

function sliceOf(e: Expression, scope: Scope): Slice | undefined {
  const named = e.kind === "name" ? e.name : e.kind === "apply" ? e.name.name : "";
  const tensor = scope.world.tensors.get(named);
  if (tensor === undefined) return undefined;
  return { tensor, leading: e.kind === "apply" ? e.arguments : [] };
}

/**
 * Gives the tensors that are passed their shapes, and the call's sizes their values; false where a
 * tensor that is passed has no shape yet.
 */
export function bind({ transfers, world, own, scope }: CallNode): boolean {
  for (const { tensor, from } of transfers) {
    const slice = from === undefined ? undefined : sliceOf(from, scope);
    if (slice === undefined) continue;
    if (slice.tensor.shape === undefined) return false;
    tensor.shape = slice.tensor.shape.slice(slice.leading.length);
  }
  for (const name of world.sizes.keys()) world.sizes.set(name, Number.NaN);
  for (const [name, { value, scope: outer, type }] of world.passed) {
    world.sizes.set(name, as(compile(value, outer), type)());
  }
  const told = transfers.flatMap(({ tensor: { role, declared = [], shape = [] } }) =>
    role === "output" ? [] : declared.map((dimension, d) => ({ dimension, extent: shape[d] ?? 0 })),
  );
  const bare = told.filter(({ dimension }) => dimension.kind === "name");
  for (const { dimension, extent } of [...bare, ...told]) tell(dimension, extent, world.sizes);
  for (const tensor of own) {
    if (tensor.role !== "output" || tensor.declared === undefined) continue;
    tensor.shape = tensor.declared.map((d) => sizeValue(d, world.sizes));
  }
  return true;
}

/** Finds the one unknown size of a dimension by trying. */
function tell(dimension: Expression, extent: number, sizes: Map<string, number>): void {
  const [name, ...others] = new Set(
    namesIn(dimension).filter((n) => Number.isNaN(sizes.get(n) ?? Number.NaN)),
  );
  if (name === undefined || others.length > 0) return;
  for (let value = 1; value <= 4 * extent + 64; value++) {
    if (sizeValue(dimension, new Map(sizes).set(name, value)) !== extent) continue;
    sizes.set(name, value);
    return;
  }
}

/** Calls `body` with the shape of what a call has written into each target. */
export function eachTarget(
  { transfers, scope }: CallNode,
  body: (target: Tensor, leading: readonly Compiled[], shape: readonly number[]) => void,
): void {
  for (const { tensor, to } of transfers) {
    const slice = to === undefined ? undefined : sliceOf(to, scope);
    if (slice === undefined || tensor.shape === undefined) continue;
    const leading = slice.leading.map((e) => compile(e, scope));
    body(slice.tensor, leading, tensor.shape);
  }
}

/** All positions of a shape. */
function* positions(shape: readonly number[]): Generator<readonly number[]> {
  const [extent, ...rest] = shape;
  if (extent === undefined) {
    yield [];
    return;
  }
  for (let at = 0; at < extent; at++) {
    for (const inner of positions(rest)) yield [at, ...inner];
  }
}

function placeIn({ shape = [] }: Tensor, at: readonly number[]): number | undefined {
  let place = 0;
  for (const [d, extent] of shape.entries()) {
    const index = at[d] ?? 0;
    if (index < 0 || index >= extent) return undefined;
    place = place * extent + index;
  }
  return place;
}

/** Calls `body` with the places of each element in the call's tensor and in the caller's. */
function eachElement(
  own: Tensor,
  slice: Slice,
  scope: Scope,
  body: (here: number, there: number) => void,
): void {
  const leading = slice.leading.map((e) => as(compile(e, scope), "int32")());
  const checked = slice.leading.every((e) => isAffine(e, scope));
  for (const at of positions(own.shape ?? [])) {
    const there = placeIn(slice.tensor, [...leading, ...at]);
    if (there !== undefined) body(placeIn(own, at) ?? 0, there);
    else if (checked) scope.world.faults.push(`a slice is outside of ${slice.tensor.name}`);
  }
}

/** Runs a call; `run` runs its body. */
export function runCall(
  { transfers, own, scope, body }: CallNode,
  run: (body: readonly Node[]) => void,
): void {
  const before = transfers.map((transfer) => copyIn(transfer, scope));
  for (const tensor of own) {
    tensor.data = new Float64Array((tensor.shape ?? []).reduce((a, b) => a * b, 1));
  }
  for (const [n, { tensor }] of transfers.entries()) tensor.data.set(before[n] ?? []);
  run(body);
  const leftovers = transfers.map(({ tensor }) => tensor.data);
  for (const [n, { tensor, to }] of transfers.entries()) {
    const slice = to === undefined ? undefined : sliceOf(to, scope);
    const data = leftovers[n];
    if (slice === undefined || data === undefined) continue;
    const [from, type] = [valueType(tensor.type ?? "float32"), slice.tensor.type ?? "float32"];
    const after = slice.tensor.data.slice();
    eachElement(tensor, slice, scope, (here, there) => {
      after[there] = converted(data[here] ?? 0, from, type);
    });
    slice.tensor.data = after;
  }
}

function copyIn({ tensor, from }: Transfer, scope: Scope): Float64Array {
  const data = new Float64Array((tensor.shape ?? []).reduce((a, b) => a * b, 1));
  const slice = from === undefined ? undefined : sliceOf(from, scope);
  if (from !== undefined && slice === undefined) {
    const type = tensor.type ?? "float32";
    data[0] = converted(as(compile(from, scope), valueType(type))(), valueType(type), type);
  } else if (slice !== undefined) {
    const [is, type] = [valueType(slice.tensor.type ?? "float32"), tensor.type ?? "float32"];
    eachElement(tensor, slice, scope, (here, there) => {
      data[here] = converted(slice.tensor.data[there] ?? 0, is, type);
    });
  }
  return data;
}
