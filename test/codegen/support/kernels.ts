/** Short constructors for hand-written kernels, and some kernels that several tests use. */
import type {
  BinaryOperator,
  Builtin,
  KernelExpression as E,
  Exchange,
  Kernel,
  KernelArray,
  KernelType,
  KernelStatement as S,
  Width,
} from "../../../src/codegen/kernel.ts";
import type { ScalarType } from "../../../src/support/scalar-type.ts";

export const typed = (scalar: ScalarType, width: Width = 1): KernelType => ({ scalar, width });
export const u = (value: number): E => ({ kind: "literal", value, type: typed("uint32") });
export const i = (value: number): E => ({ kind: "literal", value, type: typed("int32") });
export const f = (value: number, width: Width = 1): E => ({
  kind: "literal",
  value,
  type: typed("float32", width),
});
export const variable = (name: string, scalar: ScalarType = "uint32", width: Width = 1): E => ({
  kind: "variable",
  name,
  type: typed(scalar, width),
});
export const builtin = (name: Builtin): E => ({
  kind: "builtin",
  builtin: name,
  type: typed("uint32"),
});
export const local: E = builtin("local-index");
export const groupX: E = builtin("workgroup-x");

const comparisons: readonly BinaryOperator[] = ["<", "<=", ">", ">=", "==", "!="];

export const op = (left: E, operator: BinaryOperator, right: E): E => ({
  kind: "binary",
  operator,
  left,
  right,
  type: comparisons.includes(operator) ? typed("bool", left.type.width) : left.type,
});
export const load = (
  array: string,
  index: E,
  scalar: ScalarType = "float32",
  width: Width = 1,
): E => ({ kind: "load", array, index, type: typed(scalar, width) });
export const call = (
  name: string,
  parts: readonly E[],
  type: KernelType | undefined = parts[0]?.type,
): E => ({
  kind: "call",
  function: name,
  arguments: parts,
  type: type ?? typed("float32"),
});
export const cast = (operand: E, scalar: ScalarType): E => ({
  kind: "cast",
  operand,
  type: typed(scalar, operand.type.width),
});
export const select = (condition: E, whenTrue: E, whenFalse: E): E => ({
  kind: "select",
  condition,
  whenTrue,
  whenFalse,
  type: whenTrue.type,
});

export const declare = (name: string, value: E, mutable = false): S => ({
  kind: "declare",
  name,
  type: value.type,
  value,
  mutable,
});
export const assign = (name: string, value: E): S => ({ kind: "assign", name, value });
export const store = (array: string, index: E, value: E): S => ({
  kind: "store",
  array,
  index,
  value,
});
export const loop = (name: string, extent: number, body: readonly S[], end?: E): S => ({
  kind: "loop",
  variable: name,
  extent,
  ...(end === undefined ? {} : { end }),
  body,
});
export const when = (condition: E, yes: readonly S[], no: readonly S[] = []): S => ({
  kind: "if",
  condition,
  then: yes,
  else: no,
});
export const exchange = (name: string, value: E, how: Exchange): S => ({
  kind: "exchange",
  name,
  type: value.type,
  value,
  how,
});
export const barrier = (memory: "workgroup" | "storage" | "both" = "workgroup"): S => ({
  kind: "barrier",
  memory,
});

export const storage = (
  id: string,
  length: number,
  access: "read" | "read_write" = "read_write",
  options: Partial<KernelArray> = {},
): KernelArray => ({
  id,
  scalar: "float32",
  space: "storage",
  length,
  buffer: id,
  access,
  atomic: false,
  width: 1,
  ...options,
});
export const memory = (
  id: string,
  space: "workgroup" | "private",
  length: number,
  options: Partial<KernelArray> = {},
): KernelArray => ({
  id,
  scalar: "float32",
  space,
  length,
  access: "read_write",
  atomic: false,
  width: 1,
  ...options,
});

export const kernelOf = (
  arrays: readonly KernelArray[],
  body: readonly S[],
  options: Partial<Kernel> = {},
): Kernel => ({
  name: "k",
  arrays,
  workgroupSize: 1,
  grid: [1, 1, 1],
  steps: [],
  body,
  ...options,
});

/**
 * `C = A B` for square matrices of size `n`, a multiple of 8: 64 invocations make an 8 by 8 tile
 * and stage tiles of A and B in workgroup memory. `change` may spoil the statements of the k loop.
 */
export function tiledMatmul(
  n: number,
  change = (body: readonly S[]): readonly S[] => body,
): Kernel {
  const tiles = n / 8;
  const row = op(op(builtin("workgroup-y"), "*", u(8)), "+", op(local, "/", u(8)));
  const column = op(op(groupX, "*", u(8)), "+", op(local, "%", u(8)));
  const at = (y: E, pitch: number, x: E): E => op(op(y, "*", u(pitch)), "+", x);
  const k8 = op(variable("ko"), "*", u(8));
  const product = op(
    load("sa", at(op(local, "/", u(8)), 8, variable("ki"))),
    "*",
    load("sb", at(variable("ki"), 8, op(local, "%", u(8)))),
  );
  const tile = change([
    store("sa", local, load("A", at(variable("row"), n, op(k8, "+", op(local, "%", u(8)))))),
    store("sb", local, load("B", at(op(k8, "+", op(local, "/", u(8))), n, variable("column")))),
    barrier(),
    loop("ki", 8, [assign("acc", op(variable("acc", "float32"), "+", product))]),
    barrier(),
  ]);
  return kernelOf(
    [
      storage("A", n * n, "read"),
      storage("B", n * n, "read"),
      storage("C", n * n),
      memory("sa", "workgroup", 64),
      memory("sb", "workgroup", 64),
    ],
    [
      declare("row", row),
      declare("column", column),
      declare("acc", f(0), true),
      loop("ko", tiles, tile),
      store("C", at(variable("row"), n, variable("column")), variable("acc", "float32")),
    ],
    { name: "matmul", workgroupSize: 64, grid: [tiles, tiles, 1] },
  );
}
