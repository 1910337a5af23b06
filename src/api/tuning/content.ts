/** What kernels and definitions compute, as stores name it: content, extents, types and alignment. */
import { boundingBox } from "../../ir/domain.ts";
import { extentOf } from "../../ir/mapping/group/axes.ts";
import type { Group } from "../../ir/mapping/group/group.ts";
import { kernelKey } from "../../ir/mapping/kernel-key.ts";
import { type KernelNodes, kernelText, namesOf } from "../../ir/mapping/kernel-text.ts";
import {
  callerShape,
  elementTypeOf,
  type Program,
  type Statement,
  type Tensor,
  tensorOf,
} from "../../ir/program.ts";
import { defined } from "../../support/assert.ts";
import { elementBytes, rowMajorStrides } from "../../support/scalar-type.ts";
import { textHash } from "../../support/text-hash.ts";
import type { Content, KernelNames } from "../../tuner/candidate.ts";

/** The most bytes that an alignment is told of: those of the widest load. */
const widestLoad = 16;

/** The greatest power of two, up to 16 bytes, that all rows of a tensor begin at. */
function alignmentOf(tensor: Tensor): number {
  const shape = callerShape(tensor);
  const strides = tensor.layout?.strides ?? rowMajorStrides(shape);
  const offset = tensor.layout?.offsetMultiple ?? widestLoad;
  const bytes = elementBytes(elementTypeOf(tensor));
  const steps = strides.filter((_, d) => d < shape.length - 1 && (shape[d] ?? 0) > 1);
  let alignment = widestLoad;
  for (const elements of [...steps, offset]) {
    while ((elements * bytes) % alignment !== 0) alignment /= 2;
  }
  return alignment;
}

function typesAndAlignment(
  nodes: KernelNodes,
  program: Program,
): Pick<Content, "types" | "alignment"> {
  const tensors = [...namesOf(nodes).tensors.keys()].map((name) => tensorOf(program, name));
  const types = tensors.map(elementTypeOf);
  return { types, alignment: Math.min(widestLoad, ...tensors.map(alignmentOf)) };
}

/** The extents of the dims of a statement that are on no axis of its kernel. */
function otherExtents(statement: Statement, { axes }: Group): readonly number[] {
  const onAxes = new Set(axes.map(({ dims }) => dims.get(statement.id)));
  const box = boundingBox(statement.domain);
  return statement.domain.dims.flatMap(({ name }) => {
    if (onAxes.has(name)) return [];
    const { lo, hi } = defined(box.get(name), "dim", name);
    return [Math.max(0, hi - lo + 1)];
  });
}

/** The content of a kernel: its extents are those of its axes, then of each statement's other dims. */
export function contentOfKernel(group: Group): Content {
  const { axes, statements, program } = group;
  const extents = [...axes.map(extentOf), ...statements.flatMap((s) => otherExtents(s, group))];
  return { key: kernelKey(group), extents, ...typesAndAlignment(group, program) };
}

/** The content of a program before any rewrite: its extents are its sizes, in the order in which they occur. */
export function contentOfProgram(program: Program): Content {
  const whole: KernelNodes = {
    program,
    nodes: program.tree,
    host: [],
    statements: program.statements,
  };
  return {
    key: `def:${textHash(kernelText(whole))}`,
    extents: program.sizes.map(({ value }) => value),
    ...typesAndAlignment(whole, program),
  };
}

/** The canonical names of a kernel's statements and tensors, as data. */
export function kernelNamesOf(group: Group): KernelNames {
  const { statements, tensors } = namesOf(group);
  return { statements: Object.fromEntries(statements), tensors: Object.fromEntries(tensors) };
}
