import { type ElementType, elementCount } from "../support/scalar-type.ts";
import {
  canonicalStrides,
  isRowMajor,
  overlapsItself,
  type TensorLayout,
} from "../support/strided-view.ts";
import { elementsPerWord } from "../support/words.ts";
import { constant, variable } from "./affine.ts";
import { freshStatementId } from "./algebraic/rewrite.ts";
import { readsStart } from "./dependences/reads-start.ts";
import { literal } from "./expression.ts";
import { affineIndex, elementTypeOf, findTensor, type Program, type Tensor } from "./program.ts";

/** How the caller's tensors lie in memory, where they are not dense; see {@link Tensor.layout}. */
export interface LayoutRequest {
  readonly layouts: Readonly<Record<string, TensorLayout>>;
  /** See {@link Program.shared}. */
  readonly shared: readonly (readonly string[])[];
  /** Whether the device has float16: else its elements share words. */
  readonly float16: boolean;
}

/** A program whose tensors have layouts, or why a tensor cannot lie so. */
export type AppliedLayouts =
  | { readonly ok: true; readonly program: Program }
  | { readonly ok: false; readonly tensor: string; readonly fault: string };

/**
 * Purpose: gives the tensors of the caller the strides and offsets that a compilation is for.
 *
 * Requires: a program as it was lowered. Ensures: it means the same. No result has two indices for
 * one element, or shares a word of memory with what is not its own; a result with a layout is
 * written whole before it is read, so that its memory need not be zero.
 */
export function applyLayouts(program: Program, request: LayoutRequest): AppliedLayouts {
  const layouts = new Map<string, TensorLayout>();
  for (const [name, layout] of Object.entries(request.layouts)) {
    const tensor = findTensor(program, name);
    if (tensor === undefined || tensor.role === "temporary") {
      return { ok: false, tensor: name, fault: `${program.name} has no such tensor` };
    }
    const named = { shape: tensor.shape, role: tensor.role, type: elementTypeOf(tensor) };
    const fault = layoutFault(named, layout, request.float16);
    if (fault !== null) return { ok: false, tensor: name, fault };
    const dense = layout.offsetMultiple === null && isRowMajor(tensor.shape, layout.strides);
    if (dense || elementCount(tensor.shape) === 0) continue;
    layouts.set(name, { ...layout, strides: canonicalStrides(tensor.shape, layout.strides) });
  }
  const lost = request.shared.flat().find((name) => layouts.get(name)?.offsetMultiple == null);
  if (lost !== undefined) {
    return {
      ok: false,
      tensor: lost,
      fault: "in a shared buffer it needs a layout with an offset",
    };
  }
  const tensors = program.tensors.map((tensor): Tensor => {
    const layout = layouts.get(tensor.name);
    return layout === undefined ? tensor : { ...tensor, layout };
  });
  const shared = request.shared.length === 0 ? {} : { shared: request.shared };
  return { ok: true, program: zeroResults({ ...program, tensors, ...shared }) };
}

/** The program for tensors without a layout whose memory goes on to a multiple of 16 bytes. */
export function padTensors(program: Program): Program {
  const tensors = program.tensors.map((tensor): Tensor => {
    const isCallers = tensor.role !== "temporary" && tensor.layout === undefined;
    return isCallers ? { ...tensor, padded: true } : tensor;
  });
  return { ...program, tensors };
}

/**
 * Why a tensor cannot lie so; null if it can. Without `float16` on the device, elements of that type
 * share words.
 */
export function layoutFault(
  { shape, role, type }: Pick<Tensor, "shape" | "role"> & { readonly type: ElementType },
  { strides, offsetMultiple }: TensorLayout,
  float16: boolean,
): string | null {
  const given = `strides [${strides.join(", ")}]`;
  const whole = strides.every((stride) => Number.isSafeInteger(stride));
  if (!whole || strides.length !== shape.length) {
    return `it has rank ${shape.length} ([${shape.join(", ")}]), got ${given}`;
  }
  if (role === "input" || elementCount(shape) === 0) return null;
  if (overlapsItself(shape, strides)) {
    return `with ${given}, two indices are one element: write to a tensor of its own, and copy it`;
  }
  const per = elementsPerWord(type);
  if (per === 1 || (type === "float16" && float16)) return null;
  if (!sharesWords(shape, canonicalStrides(shape, strides), offsetMultiple, per)) return null;
  const words = `${type} is written in words of ${per} elements`;
  return `${words}, and with ${given} rows share words: give dense rows of whole words, at multiples of ${per}`;
}

/** Whether rows of a result begin or end within a word; rows are along the last dimension. */
function sharesWords(
  shape: readonly number[],
  strides: readonly number[],
  offsetMultiple: TensorLayout["offsetMultiple"],
  per: number,
): boolean {
  const dense = offsetMultiple === null && isRowMajor(shape, strides);
  if (dense) return false;
  const whole =
    strides.at(-1) === 1 &&
    (shape.at(-1) ?? 1) % per === 0 &&
    strides.slice(0, -1).every((stride, d) => stride % per === 0 || shape[d] === 1);
  return !whole || (offsetMultiple ?? per) % per !== 0;
}

/** Writes zeros first to results whose first contents matter: between them is what is not theirs. */
function zeroResults(program: Program): Program {
  const starting = readsStart(program);
  return program.tensors
    .filter(({ name, layout }) => layout !== undefined && starting.has(name))
    .reduce(zeroFirst, program);
}

function zeroFirst(program: Program, { name, shape, components, span }: Tensor): Program {
  const dims = shape.map((extent, d) => ({
    name: `i${d}`,
    lower: constant(0),
    upper: constant(extent),
    indices: [],
  }));
  const id = freshStatementId(program, `${name}.zero`);
  const zero = {
    id,
    domain: { dims, guards: [], quotients: [] },
    loops: [],
    write: { tensor: name, index: dims.map((d) => affineIndex(variable(d.name))) },
    reads: [],
    reduction: null,
    body: components.map((type) => literal(0, type)),
    span,
  };
  return {
    ...program,
    statements: [zero, ...program.statements],
    tree: [{ kind: "statement", statement: id }, ...program.tree],
  };
}
