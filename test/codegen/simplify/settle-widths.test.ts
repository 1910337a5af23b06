/** Widths of workgroup memory; those of storage are tested with what loads and stores wide. */
import { describe, expect, test } from "vitest";
import { interpretKernel } from "../../../src/codegen/interpret-kernel/interpret-kernel.ts";
import { initialisedMemory, poisonedMemory } from "../../../src/codegen/interpret-kernel/memory.ts";
import type {
  KernelExpression as E,
  Kernel,
  KernelStatement,
  Width,
} from "../../../src/codegen/kernel.ts";
import { printWgsl } from "../../../src/codegen/print-wgsl/print-wgsl.ts";
import { settleWidths } from "../../../src/codegen/simplify/settle-widths.ts";
import { widenLoads } from "../../../src/codegen/simplify/widen-loads.ts";
import { verifyKernel } from "../../../src/codegen/verify-kernel/verify-kernel.ts";
import { baselineProfile } from "../../../src/support/device-profile.ts";
import { allocate } from "../../../src/support/scalar-type.ts";
import {
  barrier,
  kernelOf,
  load,
  local,
  loop,
  memory,
  op,
  storage,
  store,
  u,
  variable,
  when,
} from "../support/kernels.ts";
import { wgslFaults } from "../support/validate-wgsl.ts";

const own = (width: number): E => op(local, "*", u(width));
const next: E = op(op(local, "+", u(1)), "%", u(4));
const kept = (index: E, width: Width = 1): E => load("kept", index, "float32", width);

/** Each of 4 invocations keeps a vector for the others. */
const keeps = (width: Width): KernelStatement =>
  store("kept", own(width), load("x", own(width), "float32", width));

/** Stores values side by side. */
const results = (values: readonly E[], from = 0): readonly KernelStatement[] =>
  values.map((v, n) => store("y", op(own(8), "+", u(from + n)), v));

function kernelWith(body: readonly KernelStatement[], length = 16): Kernel {
  const arrays = [storage("x", 16, "read"), storage("y", 32), memory("kept", "workgroup", length)];
  return kernelOf(arrays, body, { workgroupSize: 4 });
}

/** What a kernel leaves in `y` where `x` counts from 0; it has no faults. */
function run(kernel: Kernel): readonly number[] {
  const written = poisonedMemory(allocate("float32", 32), true);
  const x = initialisedMemory(
    Float32Array.from({ length: 16 }, (_, n) => n),
    true,
  );
  const buffers = new Map([
    ["x", x],
    ["y", written],
  ]);
  expect(interpretKernel(kernel, buffers, [])).toEqual([]);
  return [...written.data];
}

/** The width that the shared memory gets, and its loads in the text, after checks of the kernel. */
async function settled(
  kernel: Kernel,
): Promise<{ readonly width: number; readonly loads: number }> {
  const wide = settleWidths(widenLoads(kernel));
  expect(verifyKernel(wide, baselineProfile)).toEqual([]);
  expect(run(wide)).toEqual(run(kernel));
  const { wgsl } = printWgsl(wide, "table");
  expect(await wgslFaults(wgsl, "k")).toEqual([]);
  const width = wide.arrays.find((a) => a.id === "kept")?.width ?? 0;
  return { width, loads: wgsl.match(/= kept\[|\(kept\[| kept\[[^\]]*\] [+*]/g)?.length ?? 0 };
}

const row = (base: E, offsets: readonly number[]): readonly E[] =>
  offsets.map((n) => kept(op(op(base, "*", u(4)), "+", u(n))));

describe("workgroup memory", () => {
  test("that is stored and loaded in vectors of one width has it", async () => {
    for (const width of [2, 4] as const) {
      const loaded = kept(op(next, "*", u(width)), width);
      const stored = store("y", own(width), loaded);
      expect((await settled(kernelWith([keeps(width), barrier(), stored]))).width).toBe(width);
    }
  });

  test("has the width of its stores where loads take components that are known", async () => {
    const body = [keeps(4), barrier(), ...results(row(next, [2, 0]))];
    expect((await settled(kernelWith(body))).width).toBe(4);
  });

  test("stays scalar where a component is known only at run time", async () => {
    const any = kept(op(op(local, "*", u(3)), "+", u(1)));
    const body = [keeps(4), barrier(), ...results([any, ...row(next, [0])])];
    expect((await settled(kernelWith(body))).width).toBe(1);
  });

  test("stays scalar where a store is narrower, which may rewrite its neighbours", async () => {
    const one = store("kept", op(own(4), "+", u(3)), load("x", local));
    const body = [keeps(4), one, barrier(), ...results(row(next, [0, 1, 2, 3]))];
    expect((await settled(kernelWith(body))).width).toBe(1);
  });

  test("stays scalar where it is stored in one width and loaded in another", async () => {
    const loaded = kept(op(op(local, "%", u(2)), "*", u(4)), 4);
    const body = [keeps(2), barrier(), store("y", own(4), loaded)];
    expect((await settled(kernelWith(body))).width).toBe(1);
  });

  test("stays scalar where it is no whole number of vectors", async () => {
    const body = [keeps(4), barrier(), ...results(row(next, [0, 1]))];
    expect((await settled(kernelWith(body, 18))).width).toBe(1);
  });
});

describe("neighbours in workgroup memory", () => {
  const all = [0, 1, 2, 3];

  test("are one load where it is written in such vectors", async () => {
    const body = [keeps(4), barrier(), ...results(row(next, all))];
    expect(await settled(kernelWith(body))).toEqual({ width: 4, loads: 1 });
  });

  test("are loaded again after others may have written them", async () => {
    const again = store("kept", own(4), load("x", op(next, "*", u(4)), "float32", 4));
    const body = [
      keeps(4),
      barrier(),
      ...results(row(next, all)),
      barrier(),
      again,
      barrier(),
      ...results(row(next, all), 4),
    ];
    expect(await settled(kernelWith(body))).toEqual({ width: 4, loads: 2 });
  });

  test("are loaded in each trip of a loop that writes them", async () => {
    const turn = op(op(local, "+", variable("t")), "%", u(4));
    const fill = store("kept", own(4), load("x", op(turn, "*", u(4)), "float32", 4));
    const stores = row(next, all).map((v, n) =>
      store("y", op(op(own(8), "+", op(variable("t"), "*", u(4))), "+", u(n)), v),
    );
    const body = [
      keeps(4),
      barrier(),
      ...results(row(next, all)),
      barrier(),
      loop("t", 2, [fill, barrier(), ...stores, barrier()]),
    ];
    expect(await settled(kernelWith(body))).toEqual({ width: 4, loads: 2 });
  });

  test("are loaded once where a condition inside uses them, too", async () => {
    const inner = when(op(local, "<", u(2)), results(row(next, [3, 1]), 4));
    const body = [keeps(4), barrier(), ...results(row(next, all)), inner];
    const kernel = kernelWith(body);
    const wide = settleWidths(widenLoads(kernel));
    expect(run(wide)).toEqual(run(kernel));
    expect(printWgsl(wide, "table").wgsl.match(/kept\[/g)).toHaveLength(2);
  });

  test("stay apart where a barrier is between them", async () => {
    const [a = [], b = []] = [row(next, [0, 1]), row(next, [2, 3])];
    const body = [keeps(4), barrier(), ...results(a), barrier(), ...results(b, 2)];
    expect(await settled(kernelWith(body))).toEqual({ width: 4, loads: 4 });
  });

  test("stay apart beside an element of a vector that is known only at run time", async () => {
    const any = kept(op(op(local, "*", u(3)), "+", u(1)));
    const body = [keeps(4), barrier(), ...results([...row(next, all), any])];
    expect((await settled(kernelWith(body))).width).toBe(1);
  });

  test("stay apart where they are stored one by one", async () => {
    const ones = all.map((n) =>
      store("kept", op(own(4), "+", u(n)), load("x", op(own(4), "+", u(n)))),
    );
    const body = [...ones, barrier(), ...results(row(next, all))];
    expect((await settled(kernelWith(body))).width).toBe(1);
  });
});
