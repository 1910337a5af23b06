import { expect, test } from "vitest";
import { printKernel, printKernelExpression } from "../../src/codegen/print-kernel.ts";
import {
  barrier,
  builtin,
  call,
  declare,
  f,
  i,
  kernelOf,
  load,
  local,
  loop,
  memory,
  op,
  select,
  storage,
  store,
  tiledMatmul,
  typed,
  u,
  variable,
  when,
} from "./support/kernels.ts";

test("a tiled matmul prints readably", () => {
  expect(printKernel(tiledMatmul(16))).toMatchInlineSnapshot(`
    "kernel matmul: 64 x [2, 2, 1]
      read storage A: float32[256] = buffer A
      read storage B: float32[256] = buffer B
      read_write storage C: float32[256] = buffer C
      workgroup sa: float32[64]
      workgroup sb: float32[64]
      let row: uint32 = workgroup-y * 8u + local-index / 8u
      let column: uint32 = workgroup-x * 8u + local-index % 8u
      var acc: float32 = 0
      loop ko in 0..2
        sa[local-index] = A[row * 16u + (ko * 8u + local-index % 8u)]
        sb[local-index] = B[(ko * 8u + local-index / 8u) * 16u + column]
        barrier workgroup
        loop ki in 0..8
          acc = acc + sa[local-index / 8u * 8u + ki] * sb[ki * 8u + local-index % 8u]
        barrier workgroup
      C[row * 16u + column] = acc
    "
  `);
});

test("all statements and kinds of arrays print", () => {
  const kernel = kernelOf(
    [
      storage("x", 8, "read", { width: 4 }),
      storage("n", 1, "read_write", { scalar: "int32", atomic: true, buffer: "counter" }),
      memory("p", "private", 2, { scalar: "bool" }),
    ],
    [
      declare("v", load("x", u(4), "float32", 4), true),
      when(
        op(local, "==", u(0)),
        [barrier("both")],
        [store("p", u(0), { ...f(1), type: typed("bool") } as never)],
      ),
      loop("k", 3, [{ kind: "atomic", operator: "max", array: "n", index: u(0), value: i(-4) }]),
      loop("m", 9, [], op(builtin("workgroup-y"), "+", u(1))),
    ],
    { steps: ["t"], workgroupSize: 32, grid: [2, 3, 1] },
  );
  expect(printKernel(kernel)).toMatchInlineSnapshot(`
    "kernel k: 32 x [2, 3, 1] steps t
      read storage x: float32[8]x4 = buffer x
      read_write storage n: atomic int32[1] = buffer counter
      private p: bool[2]
      var v: float32x4 = x[4u]:4
      if local-index == 0u
        barrier both
      else
        p[0u] = true
      loop k in 0..3
        atomic n[0u] max= -4i
      loop m in 0..9 to workgroup-y + 1u
    "
  `);
});

test("expressions have the parentheses that they need and no others", () => {
  const x = variable("x", "float32");
  const minus = op(x, "-", op(x, "-", x));
  expect(printKernelExpression(op(minus, "*", x))).toBe("(x - (x - x)) * x");
  expect(printKernelExpression(op(op(x, "+", x), "<", f(-0)))).toBe("x + x < -0");
  expect(printKernelExpression(op(op(x, "<", x), "==", op(x, ">", x)))).toBe("(x < x) == (x > x)");
  const negated = { kind: "unary", operator: "negate", operand: minus, type: x.type } as const;
  expect(printKernelExpression(call("sqrt", [negated]))).toBe("sqrt(-(x - (x - x)))");
  expect(printKernelExpression(select(op(x, ">", x), f(1, 4), f(2, 4)))).toBe(
    "select(x > x, 1:4, 2:4)",
  );
  const cast = { kind: "cast", operand: x, type: typed("int32") } as const;
  const vector = { kind: "vector", components: [x], type: typed("float32", 2) } as const;
  const part = { kind: "component", vector, index: 1, type: typed("float32") } as const;
  expect(printKernelExpression(cast)).toBe("int32(x)");
  expect(printKernelExpression(part)).toBe("vector2(x).1");
});
