import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { interpretKernel } from "../../../src/codegen/interpret-kernel/interpret-kernel.ts";
import { initialisedMemory, poisonedMemory } from "../../../src/codegen/interpret-kernel/memory.ts";
import type {
  KernelExpression as E,
  Kernel,
  KernelStatement,
} from "../../../src/codegen/kernel.ts";
import { printKernel } from "../../../src/codegen/print-kernel.ts";
import { printWgsl } from "../../../src/codegen/print-wgsl/print-wgsl.ts";
import { settleWidths } from "../../../src/codegen/simplify/settle-widths.ts";
import { widenLoads } from "../../../src/codegen/simplify/widen-loads.ts";
import { verifyKernel } from "../../../src/codegen/verify-kernel/verify-kernel.ts";
import { swiftshaderProfile } from "../../../src/support/device-profile.ts";
import { allocate } from "../../../src/support/scalar-type.ts";
import {
  declare,
  f,
  kernelOf,
  load,
  local,
  loop,
  op,
  select,
  storage,
  store,
  u,
  variable,
  when,
} from "../support/kernels.ts";

/** `x[scale * i + offset]` of the invocation or a loop. */
const at = (base: E, scale: number, offset: number): E =>
  load("x", op(op(base, "*", u(scale)), "+", u(offset)));

/** A kernel of 4 invocations that stores values side by side. */
function storing(values: readonly E[], x: Parameters<typeof storage>[3] = {}, length = 64): Kernel {
  const body = values.map((value, n) =>
    store("y", op(op(local, "*", u(values.length)), "+", u(n)), value),
  );
  const y = storage("y", 4 * values.length);
  return kernelOf([storage("x", length, "read", x), y], body, { workgroupSize: 4 });
}

/** What a kernel leaves in `y` where `x` counts from 0; it has no faults. */
function results(kernel: Kernel): readonly number[] {
  const [x, y] = ["x", "y"].map((id) => kernel.arrays.find((a) => a.id === id));
  const counting = Float32Array.from({ length: x?.length ?? 0 }, (_, n) => n);
  const written = poisonedMemory(allocate("float32", y?.length ?? 0), true);
  const buffers = new Map([
    ["x", initialisedMemory(counting, true)],
    ["y", written],
  ]);
  expect(interpretKernel(kernel, buffers, [])).toEqual([]);
  return [...written.data];
}

/** The kernel with wider loads, checked: it means the same and is well-formed. */
function widened(kernel: Kernel): Kernel {
  const wide = settleWidths(widenLoads(kernel));
  expect(verifyKernel(wide, swiftshaderProfile)).toEqual([]);
  expect(results(wide)).toEqual(results(kernel));
  return wide;
}

const widthOf = (kernel: Kernel): number => kernel.arrays.find((a) => a.id === "x")?.width ?? 0;
const run = (offsets: readonly number[], scale = 8): E[] => offsets.map((n) => at(local, scale, n));

describe("loads become wide", () => {
  test("four in a row from a multiple of four are one", () => {
    const kernel = widened(storing(run([0, 1, 2, 3])));
    expect(widthOf(kernel)).toBe(4);
    expect(printKernel(kernel).match(/x\[/g)).toHaveLength(1);
  });

  test("two in a row are one where there are no four", () => {
    expect(widthOf(widened(storing(run([0, 1], 2), {}, 8)))).toBe(2);
    expect(widthOf(widened(storing(run([2, 3, 6, 7]))))).toBe(2);
  });

  test("what was named once is not named again, and whole vectors stay whole", () => {
    const names = [0, 1, 2, 3].map((n) => variable(`v${n}`, "float32"));
    const vector: E = {
      kind: "vector",
      components: names,
      type: { scalar: "float32", width: 4 },
    };
    const body = [
      ...names.map((_, n) => declare(`v${n}`, at(local, 4, n))),
      store("y", op(local, "*", u(4)), vector),
    ];
    const arrays = [storage("x", 16, "read"), storage("y", 16)];
    const kernel = widened(kernelOf(arrays, body, { workgroupSize: 4 }));
    expect(printKernel(kernel)).not.toContain("v0");
    const { wgsl } = printWgsl(kernel, "table");
    expect(wgsl).toContain("let x_wide_1 = x[local_index];\n  y[local_index] = x_wide_1;");
  });

  test("a vector that was loaded whole further on is the same one, also by its name", () => {
    const type = { scalar: "float32", width: 4 } as const;
    const whole: E = { kind: "load", array: "x", index: op(local, "*", u(4)), type };
    const sum: E = {
      kind: "binary",
      operator: "+",
      left: whole,
      right: variable("again", "float32", 4),
      type,
    };
    const start = op(local, "*", u(8));
    const body = [
      ...[0, 1, 2, 3].map((n) => store("y", op(start, "+", u(n)), at(local, 4, n))),
      { kind: "declare", name: "again", type, value: whole, mutable: false } as const,
      store("y", op(start, "+", u(4)), sum),
    ];
    const arrays = [storage("x", 16, "read"), storage("y", 32)];
    const kernel = widened(kernelOf(arrays, body, { workgroupSize: 4 }));
    expect(printKernel(kernel).match(/x\[/g)).toHaveLength(1);
    expect(printKernel(kernel)).not.toContain("again");
  });

  test("blocks inside use what a block around them has loaded", () => {
    const inside: KernelStatement[] = [
      store("y", op(op(local, "*", u(2)), "+", variable("n")), at(local, 4, 2)),
    ];
    const body = [
      store(
        "z",
        local,
        op(
          op(at(local, 4, 0), "+", at(local, 4, 1)),
          "+",
          op(at(local, 4, 2), "+", at(local, 4, 3)),
        ),
      ),
      loop("n", 2, inside),
    ];
    const arrays = [storage("x", 16, "read"), storage("y", 8), storage("z", 4)];
    const kernel = settleWidths(widenLoads(kernelOf(arrays, body, { workgroupSize: 4 })));
    expect(printKernel(kernel).match(/x\[/g)).toHaveLength(1);
  });

  test("an index that is a multiple by its name counts", () => {
    const body = [
      declare("row", op(local, "*", u(12))),
      ...[0, 1, 2, 3].map((n) =>
        store("y", op(op(local, "*", u(4)), "+", u(n)), load("x", op(variable("row"), "+", u(n)))),
      ),
    ];
    const arrays = [storage("x", 48, "read"), storage("y", 16)];
    expect(widthOf(widened(kernelOf(arrays, body, { workgroupSize: 4 })))).toBe(4);
  });

  test("a few others find their component at run time", () => {
    const edge = load("x", op(op(op(local, "*", u(8)), "+", u(5)), "min", u(17)));
    expect(widthOf(widened(storing([...run([0, 1, 2, 3]), edge])))).toBe(4);
  });
});

describe("loads stay as they are", () => {
  const truths = [0, 1, 2, 3].map((n) => {
    const truth = load("x", op(op(local, "*", u(4)), "+", u(n)), "bool");
    return select(truth, f(1), f(0));
  });
  const stays: readonly (readonly [string, Kernel])[] = [
    ["three of four", storing(run([0, 1, 2]))],
    ["four across a boundary", storing(run([2, 3, 4, 5].map((n) => n + 1)))],
    ["rows of an odd length", storing(run([0, 1, 2, 3], 9))],
    ["a length that is no multiple", storing(run([0, 1, 2, 3], 4), {}, 17)],
    ["memory that the kernel may write", storing(run([0, 1, 2, 3]), { access: "read_write" })],
    ["truth values", storing(truths, { scalar: "bool" })],
    ["pairs beside others", storing(run([0, 1, 2, 5]))],
    ["the end of a view", storing(run([0, 1, 2, 3, 4]), { view: true })],
    ["more others than neighbours", storing(run([0, 1, 2, 3, 9, 13, 17, 21, 25]))],
  ];
  for (const [name, kernel] of stays) {
    test(name, () => {
      expect(widenLoads(kernel)).toBe(kernel);
    });
  }

  test("neighbours in blocks that do not both run", () => {
    const halves = [
      [0, 1],
      [2, 3],
    ].map((offsets) =>
      offsets.map((n) => store("y", op(op(local, "*", u(4)), "+", u(n)), at(local, 4, n))),
    );
    const body = [when(op(local, "<", u(2)), halves[0] ?? [], halves[1] ?? [])];
    const kernel = kernelOf([storage("x", 16, "read"), storage("y", 16)], body, {
      workgroupSize: 4,
    });
    expect(printKernel(widenLoads(kernel))).not.toContain(":4");
  });
});

test("whatever the loads are, the kernel computes the same", () => {
  const scale = fc.constantFrom(1, 2, 3, 4, 6, 8);
  const row = fc.record({ scale, start: fc.nat(9), count: fc.integer({ min: 1, max: 5 }) });
  const edge = fc.record({ scale, start: fc.nat(9), limit: fc.constantFrom(9, 7) });
  const rows = fc.array(row, { minLength: 1, maxLength: 4 });
  const edges = fc.array(edge, { maxLength: 3 });
  const seen = new Set<number>();
  fc.assert(
    fc.property(rows, edges, fc.constantFrom(40, 41, 42), (runs, clamped, length) => {
      const plain = runs.flatMap(({ scale: by, start, count }) =>
        Array.from({ length: count }, (_, n) => at(local, by, start + n)),
      );
      const others = clamped.map(({ scale: by, start, limit }) =>
        load("x", op(op(op(local, "*", u(by)), "+", u(start)), "min", u(limit))),
      );
      seen.add(widthOf(widened(storing([...plain, ...others], {}, length))));
    }),
    { seed: 11, numRuns: 400 },
  );
  expect([...seen].sort()).toEqual([1, 2, 4]);
});

test("wide loads have names of their own where others were made before", () => {
  const first = storing([0, 1, 2, 3].map((n) => at(local, 4, n)));
  const once = widenLoads(first);
  const more = [4, 5, 6, 7].map((n) => load("x", u(n)));
  const both = {
    ...once,
    arrays: once.arrays.map((a) => (a.id === "y" ? { ...a, length: 32 } : a)),
    body: [
      ...once.body,
      ...more.map((value, n) => store("y", op(op(local, "*", u(4)), "+", u(16 + n)), value)),
    ],
  };
  expect(printKernel(once)).toContain("x.wide.1");
  expect(verifyKernel(settleWidths(widenLoads(both)), swiftshaderProfile)).toEqual([]);
});
