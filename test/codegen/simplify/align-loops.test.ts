import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { componentOf } from "../../../src/codegen/build.ts";
import { interpretKernel } from "../../../src/codegen/interpret-kernel/interpret-kernel.ts";
import { initialisedMemory } from "../../../src/codegen/interpret-kernel/memory.ts";
import type {
  KernelExpression as E,
  Kernel,
  KernelArray,
  KernelStatement as S,
} from "../../../src/codegen/kernel.ts";
import { printKernel } from "../../../src/codegen/print-kernel.ts";
import { alignLoops } from "../../../src/codegen/simplify/align-loops.ts";
import { settleWidths } from "../../../src/codegen/simplify/settle-widths.ts";
import { verifyKernel } from "../../../src/codegen/verify-kernel/verify-kernel.ts";
import { eachKernelStatement } from "../../../src/codegen/walk-kernel.ts";
import { swiftshaderProfile } from "../../../src/support/device-profile.ts";
import { allocate } from "../../../src/support/scalar-type.ts";
import {
  assign,
  barrier,
  declare,
  f,
  groupX,
  kernelOf,
  load,
  local,
  loop,
  op,
  storage,
  store,
  typed,
  u,
  variable,
  when,
} from "../support/kernels.ts";

const r = variable("r");
const s = variable("s", "float32");
const [lanes, groups] = [4, 2];

const sum = (...parts: readonly E[]): E => parts.reduce((a, b) => op(a, "+", b));
const invocation = sum(op(groupX, "*", u(lanes)), local);

/** A marked loop. */
function marked(extent: number, body: readonly S[]): S {
  const made = loop("r", extent, body);
  return made.kind === "loop" ? { ...made, aligned: true } : made;
}

/** Depends on the order of what is added. */
const mix = (e: E): S => assign("s", op(op(s, "*", f(0.5)), "+", e));

/** `x` as memory with room for whole vectors, if there is `padding`. */
function input(id: string, length: number, padding: boolean): KernelArray {
  return storage(id, length, "read", padding ? { room: 4 * Math.ceil(length / 4) } : {});
}

/** A kernel whose invocations each go along a row of `x`. */
function rows(arrays: readonly KernelArray[], ...body: readonly S[]): Kernel {
  return kernelOf(
    [...arrays, storage("y", lanes * groups)],
    [declare("s", f(0), true), ...body, store("y", invocation, s)],
    { workgroupSize: lanes, grid: [groups, 1, 1] },
  );
}

/** What a kernel leaves in the elements of `y`; what it reads after the elements of an array has no value. */
function results(kernel: Kernel): readonly number[] {
  const memory = new Map(
    kernel.arrays.map(({ id, access, length, elements = length }) => {
      const data = allocate("float32", length);
      for (let n = 0; n < elements; n++) data[n] = ((n * 7) % 23) - 11;
      const used = access === "read" ? elements : 0;
      return [id, initialisedMemory(data, true, used)] as const;
    }),
  );
  expect(interpretKernel(kernel, memory, [])).toEqual([]);
  const y = kernel.arrays.find((a) => a.id === "y");
  return [...(memory.get("y")?.data ?? [])].slice(0, y?.elements ?? y?.length);
}

const isMarked = (kernel: Kernel): boolean =>
  eachKernelStatement(kernel.body).some((each) => each.kind === "loop" && each.aligned === true);

/** The kernel with its loops in blocks, checked: it means the same, bit by bit, and is well-formed. */
function aligned(kernel: Kernel): Kernel {
  const after = settleWidths(alignLoops(kernel));
  expect(isMarked(after)).toBe(false);
  const text = `${printKernel(kernel)}\n${printKernel(after)}`;
  expect(verifyKernel(after, swiftshaderProfile), text).toEqual([]);
  expect(results(after), text).toEqual(results(kernel));
  return after;
}

/** The widths of loads from `x`, those in loops first. */
const widthOf = (kernel: Kernel): number => kernel.arrays.find((a) => a.id === "x")?.width ?? 0;

/** Whether a loop was left as it was. */
const isPlain = (kernel: Kernel): boolean => widthOf(aligned(kernel)) === 1;

/** `s` over a row of `extent` elements out of every `pitch`, from `start` on. */
function overRows(
  extent: number,
  {
    pitch = extent,
    start = 0,
    padding = true,
  }: Partial<Record<"pitch" | "start", number>> & {
    readonly padding?: boolean;
  } = {},
): Kernel {
  const x = input("x", start + pitch * (lanes * groups - 1) + extent, padding);
  return rows(
    [x],
    marked(extent, [mix(load("x", sum(op(invocation, "*", u(pitch)), u(start), r)))]),
  );
}

test("a row of odd length is whole vectors between two that are not", () => {
  const text = printKernel(aligned(overRows(13)))
    .split("\n")
    .slice(3, -2)
    .join("\n");
  expect(text).toMatchInlineSnapshot(`
    "  var s: float32 = 0
      let r_outside: uint32 = (workgroup-x * 4u + local-index) * 13u % 4u
      let x_first: uint32 = (workgroup-x * 4u + local-index) * 13u / 4u
      let x_vector: float32x4 = x[x_first * 4u]:4
      if r_outside <= 0u
        s = s * 0.5 + x_vector.0
      if r_outside <= 1u
        s = s * 0.5 + x_vector.1
      if r_outside <= 2u
        s = s * 0.5 + x_vector.2
      s = s * 0.5 + x_vector.3
      loop r_vector in 0..2
        let x_vector_1: float32x4 = x[(x_first + (r_vector + 1u)) * 4u]:4
        s = s * 0.5 + x_vector_1.0
        s = s * 0.5 + x_vector_1.1
        s = s * 0.5 + x_vector_1.2
        s = s * 0.5 + x_vector_1.3
      let x_vector_2: float32x4 = x[(x_first + 3u) * 4u]:4
      s = s * 0.5 + x_vector_2.0
      if r_outside > 0u
        s = s * 0.5 + x_vector_2.1
      if r_outside > 1u
        s = s * 0.5 + x_vector_2.2
      if r_outside > 2u
        s = s * 0.5 + x_vector_2.3"
  `);
});

test("of rows that begin at every other element, half of the conditions are known", () => {
  const kernel = aligned(overRows(14));
  expect(eachKernelStatement(kernel.body).filter((each) => each.kind === "if")).toHaveLength(4);
});

test("rows that all begin alike need no conditions", () => {
  for (const start of [0, 1, 2, 3]) {
    const kernel = aligned(overRows(13, { pitch: 16, start, padding: true }));
    expect(widthOf(kernel)).toBe(4);
    expect(eachKernelStatement(kernel.body).filter((each) => each.kind === "if")).toEqual([]);
  }
});

test("it means the same whatever the length, the pitch and the start of rows", () => {
  const offset = fc.integer({ min: 0, max: 9 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), offset, offset, (extent, gap, start) => {
      const wide = aligned(overRows(extent, { pitch: extent + gap, start }));
      if (extent >= 8) expect(widthOf(wide)).toBe(4);
      if (extent < 4) expect(widthOf(wide)).toBe(1);
    }),
    { seed: 12, numRuns: 150 },
  );
});

test("several rows share blocks if they begin alike, the others are loaded one by one", () => {
  const at = op(invocation, "*", u(13));
  const body = ["x", "z", "w"].map((id, n) => mix(load(id, sum(at, u(n === 2 ? 6 : 4 * n), r))));
  const arrays = ["x", "z", "w"].map((id) => input(id, 13 * lanes * groups + 8, true));
  const kernel = aligned(rows(arrays, marked(13, body)));
  expect(kernel.arrays.slice(0, 3).map((a) => a.width)).toEqual([4, 4, 1]);
});

test("the trip has its value beside the loads", () => {
  const at = op(invocation, "*", u(11));
  const trip: E = { kind: "cast", operand: r, type: typed("float32") };
  const body = [mix(op(load("x", sum(at, r)), "*", trip)), mix(load("w", op(u(10), "-", r)))];
  const arrays = [input("x", 11 * lanes * groups, false), input("w", 11, true)];
  expect(widthOf(aligned(rows(arrays, marked(11, body))))).toBe(4);
});

test("names that the loop declares stay unique", () => {
  const at = op(invocation, "*", u(9));
  const body = [declare("v", load("x", sum(at, r))), mix(variable("v", "float32"))];
  const kernel = aligned(rows([input("x", 9 * lanes * groups, true)], marked(9, body)));
  const names = eachKernelStatement(kernel.body).flatMap((each) =>
    each.kind === "declare" ? [each.name] : [],
  );
  expect(new Set(names).size).toBe(names.length);
});

describe("a loop stays as it is", () => {
  const at = op(invocation, "*", u(13));
  const row = load("x", sum(at, r));
  const x = input("x", 13 * lanes * groups, true);

  test("where memory may end within a vector", () => {
    expect(isPlain(overRows(13, { start: 1, padding: false }))).toBe(true);
  });

  test("where the kernel writes what it reads, or it may be a view", () => {
    const changed = storage("x", 13 * lanes * groups);
    const body = [mix(row), store("x", sum(at, r), s)];
    const after = settleWidths(alignLoops(rows([changed], marked(13, body))));
    expect([isMarked(after), widthOf(after)]).toEqual([false, 1]);
    const view = storage("x", 13 * lanes * groups, "read", { view: true });
    expect(isPlain(rows([view], marked(13, [mix(row)])))).toBe(true);
  });

  test("where every other element is read, or none that the trip chooses", () => {
    const other = load("x", sum(op(invocation, "*", u(5)), op(r, "*", u(2))));
    expect(isPlain(rows([x], marked(13, [mix(other)])))).toBe(true);
    expect(isPlain(rows([x], marked(13, [mix(load("x", at))])))).toBe(true);
    const half = load("x", sum(at, op(r, "/", u(2))));
    expect(isPlain(rows([x], marked(13, [mix(half)])))).toBe(true);
  });

  test("where the row is chosen in it", () => {
    const chosen = sum(op(op(variable("at"), "%", u(4)), "*", u(13)), r);
    const gathered = [declare("at", op(r, "*", u(3))), mix(load("x", chosen))];
    expect(isPlain(rows([x], marked(13, gathered)))).toBe(true);
    const before = declare("at", invocation, true);
    const moved = [assign("at", op(variable("at"), "+", u(1))), mix(load("x", chosen))];
    expect(isPlain(rows([x], before, marked(13, moved)))).toBe(true);
  });

  test("where only a condition keeps a load in bounds", () => {
    const beyond = load("x", sum(at, r, u(40)));
    const guarded = when(op(sum(at, r), "<", u(60)), [mix(beyond)]);
    expect(isPlain(rows([x], marked(13, [guarded])))).toBe(true);
  });

  test("where it may end earlier, or a barrier is in it", () => {
    const made = marked(13, [mix(row)]);
    const ending: S = made.kind === "loop" ? { ...made, end: sum(groupX, u(3)) } : made;
    expect(isPlain(rows([x], ending))).toBe(true);
    expect(isPlain(rows([x], marked(13, [barrier("storage"), mix(row)])))).toBe(true);
  });

  test("where it is too short, too large, or nobody asked", () => {
    expect(isPlain(overRows(3))).toBe(true);
    const large = Array.from({ length: 40 }, () => mix(row));
    expect(isPlain(rows([x], marked(13, large)))).toBe(true);
    expect(isPlain(rows([x], loop("r", 13, [mix(row)])))).toBe(true);
  });
});

test("rows of what is loaded in vectors of two widths are loaded in none", () => {
  const count = 7;
  const row = op(op(invocation, "min", u(count - 1)), "*", u(10));
  const pair = componentOf(load("x", op(invocation, "*", u(2)), "float32", 2), 1);
  const x = input("x", 10 * count, true);
  const after = aligned(rows([x], marked(10, [mix(load("x", sum(row, r)))]), mix(pair)));
  const declared = after.arrays.find((a) => a.id === "x");
  expect(declared).toMatchObject({ width: 1, length: 72, elements: 70 });
});

test("loops in conditions and in other loops are found", () => {
  const body = [mix(load("x", sum(op(invocation, "*", u(39)), op(variable("q"), "*", u(13)), r)))];
  const inner = loop("q", 3, [when(op(variable("q"), "<", u(2)), [marked(13, body)])]);
  const kernel = aligned(rows([input("x", 39 * lanes * groups, true)], inner));
  expect(widthOf(kernel)).toBe(4);
});

/** Rows that are stored. */
interface StoredRows {
  readonly extent: number;
  readonly pitch?: number;
  readonly start?: number;
  /** How many rows there are. */
  readonly count?: number;
  /** The elements of `y`. */
  readonly length?: number;
  /** What is stored to at the end. */
  readonly after?: readonly S[];
  /** A part of the number of a row, in the place of the invocation's. */
  readonly row?: E;
}

/** The kernel whose invocations each store twice a row of `x`, in memory with room for whole vectors. */
function storing({ extent, pitch = extent, start = 0, ...more }: StoredRows): Kernel {
  const { count = lanes * groups, row = invocation, after = [] } = more;
  const size = start + pitch * (count - 1) + extent;
  const { length = size } = more;
  const at = sum(op(row, "*", u(pitch)), u(start), r);
  const twice = [store("y", at, op(load("x", at), "*", f(2)))];
  const isAll = count === lanes * groups;
  const body = isAll ? twice : [when(op(row, "<=", u(count - 1)), twice)];
  const y = storage("y", length, "read_write", { room: 4 * Math.ceil(length / 4) });
  const shape = { workgroupSize: lanes, grid: [groups, 1, 1] } as const;
  return kernelOf([input("x", size, true), y], [marked(extent, body), ...after], shape);
}

/** The widths under which `y` is declared, and of what is stored to it. */
function storesOf(kernel: Kernel): readonly number[] {
  return eachKernelStatement(kernel.body).flatMap((each) =>
    each.kind === "store" && each.array === "y" ? [each.value.type.width] : [],
  );
}

const hasBarrier = (kernel: Kernel): boolean =>
  eachKernelStatement(kernel.body).some((each) => each.kind === "barrier");

/** Whether all that is stored is vectors, and whether a barrier keeps them apart. */
function howStored(kernel: Kernel): readonly boolean[] {
  const after = aligned(kernel);
  return [storesOf(after).every((width) => width === 4), hasBarrier(after)];
}

const inVectors = [true, true];
const oneByOne = [false, false];

describe("what is stored along rows", () => {
  test("is vectors, of which those at the ends wait for the ones at the beginnings", () => {
    const text = printKernel(aligned(storing({ extent: 9, count: 7 })));
    expect(text.slice(text.indexOf("  let r_outside"))).toMatchInlineSnapshot(`
      "  let r_outside: uint32 = (workgroup-x * 4u + local-index) * 9u % 4u
        let x_first: uint32 = (workgroup-x * 4u + local-index) * 9u / 4u
        let y_first: uint32 = (workgroup-x * 4u + local-index) * 9u / 4u
        if workgroup-x * 4u + local-index <= 6u
          let x_vector: float32x4 = x[x_first * 4u]:4
          var y_part: float32 = 0
          if r_outside <= 0u
            y_part = x_vector.0 * 2
          var y_part_1: float32 = 0
          if r_outside <= 1u
            y_part_1 = x_vector.1 * 2
          var y_part_2: float32 = 0
          if r_outside <= 2u
            y_part_2 = x_vector.2 * 2
          let y_part_3: float32 = x_vector.3 * 2
          y[y_first * 4u]:4 = vector4(y_part, y_part_1, y_part_2, y_part_3)
          loop r_vector in 0..1
            let x_vector_1: float32x4 = x[(x_first + (r_vector + 1u)) * 4u]:4
            let y_part_4: float32 = x_vector_1.0 * 2
            let y_part_5: float32 = x_vector_1.1 * 2
            let y_part_6: float32 = x_vector_1.2 * 2
            let y_part_7: float32 = x_vector_1.3 * 2
            y[(y_first + (r_vector + 1u)) * 4u]:4 = vector4(y_part_4, y_part_5, y_part_6, y_part_7)
        barrier storage
        if workgroup-x * 4u + local-index <= 6u
          let x_vector_2: float32x4 = x[min(x_first + 2u, 15u) * 4u]:4
          let y_vector: float32x4 = y[min(y_first + 2u, 15u) * 4u]:4
          let y_part_8: float32 = x_vector_2.0 * 2
          var y_part_9: float32 = y_vector.1
          if r_outside > 0u
            y_part_9 = x_vector_2.1 * 2
          var y_part_10: float32 = y_vector.2
          if r_outside > 1u
            y_part_10 = x_vector_2.2 * 2
          var y_part_11: float32 = y_vector.3
          if r_outside > 2u
            y_part_11 = x_vector_2.3 * 2
          y[min(y_first + 2u, 15u) * 4u]:4 = vector4(y_part_8, y_part_9, y_part_10, y_part_11)
      "
    `);
  });

  test("is the same whatever the length and the number of rows", () => {
    const count = fc.integer({ min: 1, max: lanes * groups });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), count, (extent, n) => {
        const after = aligned(storing({ extent, count: n }));
        if (extent < 8) return;
        expect(new Set(storesOf(after))).toEqual(new Set([4]));
        expect(hasBarrier(after)).toBe(extent % 4 !== 0);
      }),
      { seed: 5, numRuns: 150 },
    );
  });

  test("would be a race without the barrier", () => {
    const after = aligned(storing({ extent: 13 }));
    const body = after.body.filter((each) => each.kind !== "barrier");
    const memory = new Map(
      after.arrays.map(({ id, access, length, elements = length }) => {
        const used = access === "read" ? elements : 0;
        return [id, initialisedMemory(allocate("float32", length), true, used)] as const;
      }),
    );
    const faults = interpretKernel({ ...after, body }, memory, []);
    expect(faults.map((fault) => fault.kind)).toContain("race");
  });

  test("is vectors in loops around, which have other rows", () => {
    const [q, blocks] = [variable("q"), lanes * groups];
    const row = sum(op(q, "*", u(blocks)), invocation);
    const { body, arrays, ...kernel } = storing({ extent: 13, row, length: 13 * 3 * blocks });
    const longer = arrays.map((a) => ({ ...a, length: 13 * 3 * blocks, room: 13 * 3 * blocks }));
    expect(howStored({ ...kernel, arrays: longer, body: [loop("q", 3, body)] })).toEqual(inVectors);
  });

  test("is one by one where rows of workgroups share a vector", () => {
    const [extent, row] = [13, sum(op(groupX, "*", u(lanes)), local)];
    const kernel = { ...storing({ extent, row }), workgroupSize: lanes - 1 };
    const apart = sum(op(groupX, "*", u(lanes - 1)), local);
    const own = { ...storing({ extent, row: apart }), workgroupSize: lanes - 1 };
    expect(howStored(kernel)).toEqual(oneByOne);
    expect(howStored(own)).toEqual(oneByOne);
    expect(howStored(storing({ extent, start: 1 }))).toEqual(oneByOne);
  });

  test("is one by one where workgroups have rows in common, which begin where vectors do", () => {
    // They race as it is, so that this is not executed.
    const row = sum(op(groupX, "*", u(lanes / 2)), local);
    expect(new Set(storesOf(alignLoops(storing({ extent: 14, row }))))).toEqual(new Set([1]));
    expect(new Set(storesOf(alignLoops(storing({ extent: 14 }))))).toEqual(new Set([4]));
  });

  test("is one by one where something is between rows, or after the last", () => {
    expect(howStored(storing({ extent: 13, pitch: 14 }))).toEqual(oneByOne);
    expect(howStored(storing({ extent: 13, pitch: 16 }))).toEqual(oneByOne);
    expect(howStored(storing({ extent: 13, count: 5, length: 90 }))).toEqual(oneByOne);
    expect(howStored(storing({ extent: 14, count: 6, length: 90 }))).toEqual(inVectors);
  });

  test("is one by one where the kernel stores there elsewhere, or loads from it", () => {
    const [at, two] = [op(invocation, "*", u(13)), f(2)];
    const again = storing({ extent: 13, after: [store("y", at, two)] });
    expect(howStored(again)).toEqual(oneByOne);
    const z = storage("z", lanes * groups);
    const read = storing({ extent: 13, after: [store("z", invocation, load("y", at))] });
    expect(howStored({ ...read, arrays: [...read.arrays, z] })).toEqual(oneByOne);
  });

  test("is one by one where some invocations do not come, or a condition is not of rows", () => {
    const { body, ...kernel } = storing({ extent: 13 });
    const inside = [when(op(local, "<", u(9)), body)];
    expect(howStored({ ...kernel, body: inside })).toEqual(oneByOne);
    const other = body.map((each): S => {
      if (each.kind !== "loop") return each;
      return { ...each, body: [when(op(op(local, "+", groupX), "<", u(9)), each.body)] };
    });
    expect(howStored({ ...kernel, body: other })).toEqual(oneByOne);
  });

  test("is one by one where the memory ends within a vector", () => {
    const { arrays, ...kernel } = storing({ extent: 13, count: 7 });
    const exact = arrays.map(({ room: _, ...a }) => a);
    expect(howStored({ ...kernel, arrays: exact })).toEqual(oneByOne);
  });
});

test("a condition on the row, in all iterations, is one on the loop", () => {
  const at = op(invocation, "*", u(13));
  const body = [when(op(invocation, "<=", u(5)), [mix(load("x", sum(at, r)))])];
  const kernel = aligned(rows([input("x", 13 * 6, true)], marked(13, body)));
  expect(widthOf(kernel)).toBe(4);
  expect(kernel.body.filter((each) => each.kind === "if")).toHaveLength(1);
});
