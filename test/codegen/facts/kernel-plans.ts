/** Plans of kernels that no mapping made: by hand, and random ones. */
import type { Kernel } from "../../../src/codegen/kernel.ts";
import type { Plan } from "../../../src/codegen/plan.ts";
import {
  barrier,
  builtin,
  declare,
  f,
  groupX,
  kernelOf,
  load,
  local,
  loop,
  memory,
  op,
  select,
  storage,
  store,
  u,
  variable,
  when,
} from "../support/kernels.ts";

/** One dispatch of a kernel, whose buffers the caller gives. */
export function planOfKernel(kernel: Kernel): Plan {
  const stored = kernel.arrays.filter((a) => a.space === "storage");
  const buffers = stored.map(({ id, buffer = id, length }) => ({
    id: buffer,
    name: buffer,
    role: "inout" as const,
    type: "float32" as const,
    shape: [length],
    live: [0, 0] as const,
  }));
  return {
    name: "by hand",
    buffers: buffers.filter((b, n) => buffers.findIndex((other) => other.id === b.id) === n),
    kernels: [{ kernel, wgsl: "", entryPoint: "main", bindings: [] }],
    steps: [{ kind: "dispatch", kernel: 0 }],
    stepIndices: "table",
  };
}

const y = builtin("workgroup-y");
const k = variable("k");
const group = op(op(y, "*", u(2)), "+", groupX);

/**
 * What mappings seldom make, in 2x3 workgroups of 40: lanes take different sides of a condition, a loop ends
 * at the number of the workgroup, an index is a selection, vectors in workgroup memory, two loads at once.
 */
export const branchingKernel: Kernel = kernelOf(
  [
    storage("x", 200, "read"),
    storage("out", 384),
    storage("odd", 384),
    memory("shared", "workgroup", 160, { width: 4 }),
  ],
  [
    declare("at", select(op(local, "<", u(10)), op(local, "*", u(3)), op(u(199), "-", local))),
    store("shared", op(local, "*", u(4)), f(1, 4)),
    barrier(),
    loop(
      "k",
      5,
      [
        when(
          op(op(local, "+", k), "<", u(11)),
          [
            store(
              "out",
              op(op(group, "*", u(64)), "+", local),
              op(load("x", variable("at")), "+", load("x", op(local, "*", u(5)))),
            ),
          ],
          [declare("v", load("shared", op(op(local, "%", u(9)), "*", u(8)), "float32", 4))],
        ),
        when(op(op(k, "%", u(2)), "==", u(0)), [
          store("odd", op(op(group, "*", u(64)), "+", local), f(1)),
        ]),
      ],
      op(y, "+", u(1)),
    ),
  ],
  { workgroupSize: 40, grid: [2, 3, 1] },
);
