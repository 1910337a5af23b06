/**
 * Accesses: from the frame to the place of an element, -1 where there is none (a guard fails, an
 * opaque index leaves the tensor, a scattered write does).
 */
import { defined, InternalCompilerError } from "../../support/assert.ts";
import { type Affine, add, constant, intervalOf, scale } from "../affine.ts";
import { boundingBox } from "../domain.ts";
import type { Expression } from "../expression.ts";
import type { Access, Index, Statement } from "../program.ts";
import { compileAffine, compileConstraints, type Evaluate, type Frame } from "./frame.ts";
import type { Storage, TensorStorage } from "./storage.ts";

/** What an affine coordinate outside the tensor means: no element, or a broken program. */
export type Outside = "dropped" | "fault";

/** Where accesses of one statement are compiled. */
export interface AccessContext {
  readonly frame: Frame;
  readonly storage: Storage;
  readonly statement: Statement;
  /** Compiles an opaque coordinate. */
  readonly coordinate: (e: Expression) => Evaluate;
}

/** A place in a tensor. */
export interface Place {
  readonly storage: TensorStorage;
  /** The element's number, or -1. */
  readonly offset: Evaluate;
  /** True when the place is never -1. */
  readonly always: boolean;
  /** The same as `offset`, if it needs no test. */
  readonly affine: Affine | null;
}

/** The tensor that an access names. */
function storageOf(storage: Storage, tensor: string): TensorStorage {
  return defined(storage.get(tensor), "tensor", tensor);
}

function isProvedInside(statement: Statement, affine: Affine, extent: number): boolean {
  const box = boundingBox(statement.domain);
  const { lo, hi } = intervalOf(affine, (name) => box.get(name) ?? { lo: -Infinity, hi: Infinity });
  return lo >= 0 && hi < extent;
}

interface Coordinate {
  readonly value: Evaluate;
  readonly extent: number;
  readonly stride: number;
  readonly outside: Outside;
}

function place(coordinates: readonly Coordinate[], rest: Evaluate, tensor: string): Evaluate {
  return () => {
    let offset = rest();
    for (const { value, extent, stride, outside } of coordinates) {
      const at = value();
      if (at >= 0 && at < extent) offset += at * stride;
      else if (outside === "dropped") return -1;
      else throw new InternalCompilerError(`index ${at} of ${tensor} is outside 0..${extent}`);
    }
    return offset;
  };
}

/** Coordinates that are proved to be inside make one affine offset; the others are checked. */
function compileOffset(
  context: AccessContext,
  target: TensorStorage,
  index: readonly Index[],
  outside: Outside,
): Omit<Place, "storage"> {
  const { frame, statement } = context;
  const { tensor, strides } = target;
  let sum = constant(0);
  const checked: Coordinate[] = [];
  for (const [d, part] of index.entries()) {
    const extent = defined(tensor.shape[d], `dimension ${d} of ${tensor.name}`);
    const stride = defined(strides[d], `dimension ${d} of ${tensor.name}`);
    if (part.kind === "opaque") {
      const value = context.coordinate(part.expression);
      checked.push({ value, extent, stride, outside: "dropped" });
    } else if (isProvedInside(statement, part.affine, extent)) {
      sum = add(sum, scale(part.affine, stride));
    } else {
      checked.push({ value: compileAffine(part.affine, frame), extent, stride, outside });
    }
  }
  const rest = compileAffine(sum, frame);
  if (checked.length === 0) return { offset: rest, always: true, affine: sum };
  const always = checked.every((c) => c.outside === "fault");
  return { offset: place(checked, rest, tensor.name), always, affine: null };
}

/** Compiles the place that a statement writes. */
export function compileWrite(context: AccessContext, outside: Outside): Place {
  const { write } = context.statement;
  const storage = storageOf(context.storage, write.tensor);
  return { storage, ...compileOffset(context, storage, write.index, outside) };
}

/** Compiles the place that an access reads. */
export function compileRead(context: AccessContext, access: Access): Place {
  const storage = storageOf(context.storage, access.tensor);
  const inside = compileOffset(context, storage, access.index, "fault");
  const guard = compileConstraints(access.guard, context.frame);
  if (guard === null) return { storage, ...inside };
  const { offset } = inside;
  return { storage, offset: () => (guard() ? offset() : -1), always: false, affine: null };
}
