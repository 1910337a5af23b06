/** Workgroups in bands: a renumbering of the grid, in the order that bands are for. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KernelExpression } from "../../../src/codegen/kernel.ts";
import { gridOf } from "../../../src/codegen/lower/grid.ts";
import { compile } from "../../../src/compile.ts";
import type { Loop } from "../../../src/ir/schedule.ts";
import { given } from "../../support/given.ts";
import { wgslFaults } from "../support/validate-wgsl.ts";

/** The value of index arithmetic for the workgroup with these numbers. */
function evaluate(e: KernelExpression, at: readonly [number, number, number]): number {
  const of = (part: KernelExpression): number => evaluate(part, at);
  if (e.kind === "literal") return e.value;
  if (e.kind === "builtin") return at["xyz".indexOf(e.builtin.slice(-1))] ?? Number.NaN;
  if (e.kind === "select") return of(e.condition) === 1 ? of(e.whenTrue) : of(e.whenFalse);
  if (e.kind !== "binary") throw new Error(`${e.kind} in index arithmetic`);
  const [a, b] = [of(e.left), of(e.right)];
  switch (e.operator) {
    case "+":
      return (a + b) % 2 ** 32;
    case "-":
      return (a - b + 2 ** 32) % 2 ** 32;
    case "*":
      return a * b;
    case "/":
      return Math.floor(a / b);
    case "%":
      return a % b;
    case "min":
      return Math.min(a, b);
    case "<":
      return a < b ? 1 : 0;
    default:
      throw new Error(`${e.operator} in index arithmetic`);
  }
}

/** The iterations of two loops, in the order of the workgroups' numbers. */
function walkOf(loops: readonly Loop[], limit = 65535): readonly (readonly number[])[] {
  const grid = gridOf(loops, limit);
  const all: (readonly number[])[] = [];
  for (let z = 0; z < grid.extents[2]; z++) {
    for (let y = 0; y < grid.extents[1]; y++) {
      for (let x = 0; x < grid.extents[0]; x++) {
        const at = [x, y, z] as const;
        if (grid.guard !== null && evaluate(grid.guard.linear, at) >= grid.guard.count) continue;
        all.push(
          loops.map(({ id, extent }) => {
            const v = grid.computed.get(id) ?? grid.variables.get(id);
            return extent <= 1 || v === undefined ? 0 : evaluate(v.expression, at);
          }),
        );
      }
    }
  }
  return all;
}

/** Bands of `size` lines, each walked along the lines first: written down by loops. */
function bandsOf(lines: number, length: number, size: number): readonly (readonly number[])[] {
  const all: (readonly number[])[] = [];
  for (let first = 0; first < lines; first += size) {
    for (let place = 0; place < length; place++) {
      for (let line = first; line < Math.min(lines, first + size); line++) all.push([line, place]);
    }
  }
  return all;
}

const grid = (id: string, extent: number, bands?: number): Loop =>
  bands === undefined ? { id, extent, on: "grid" } : { id, extent, on: "grid", bands };

describe("bands of a grid", () => {
  const count = fc.integer({ min: 2, max: 13 });
  const size = fc.integer({ min: 1, max: 16 });

  it("of rows walk so many rows together, however many are left at the end", () => {
    fc.assert(
      fc.property(count, count, size, (m, n, g) => {
        const walk = walkOf([grid("m", m, g), grid("n", n)]);
        const expected = g === 1 ? bandsOf(m, n, 1) : bandsOf(m, n, g);
        expect(walk).toEqual(expected);
      }),
      { seed: 11 },
    );
  });

  it("of columns walk so many columns together", () => {
    fc.assert(
      fc.property(count, count, size, (m, n, g) => {
        const walk = walkOf([grid("m", m), grid("n", n, g)]);
        const along = bandsOf(n, m, g).map(([line = 0, place = 0]) => [place, line]);
        const plain = bandsOf(m, n, 1);
        expect(walk).toEqual(g === 1 ? plain : along);
      }),
      { seed: 12 },
    );
  });

  it("leave out and repeat nothing beside other loops, and where a dimension is too long", () => {
    fc.assert(
      fc.property(count, count, count, size, fc.constantFrom(5, 65535), (b, m, n, g, limit) => {
        const walk = walkOf([grid("b", b), grid("m", m, g), grid("n", n)], limit);
        const all = Array.from({ length: b * m * n }, (_, at) =>
          [Math.floor(at / (m * n)), Math.floor(at / n) % m, at % n].join(),
        );
        expect(walk.map((p) => p.join()).sort()).toEqual(all.sort());
      }),
      { seed: 13 },
    );
  });

  it("are nothing for a grid of one row", () => {
    expect(walkOf([grid("m", 1, 4), grid("n", 3)])).toEqual([
      [0, 0],
      [0, 1],
      [0, 2],
    ]);
  });
});

describe("the decision", () => {
  const source = "def f(float(M, K) a, float(K, N) b) -> (c) { c(m, n) +=! a(m, k) * b(k, n) }";
  const shape = {
    "kernels/$0/axes/0/workgroup": 4,
    "kernels/$0/axes/0/points": 1,
    "kernels/$0/axes/1/workgroup": 4,
    "kernels/$0/axes/1/points": 1,
  };
  const compiled = (sizes: Readonly<Record<string, number>>, bands?: string) => {
    const choices = bands === undefined ? shape : { ...shape, "kernels/$0/bands": bands };
    const result = compile(source, { sizes, profile: "gpu", options: given(choices) });
    if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
    expect([result.repairs, result.unusedChoices]).toEqual([[], []]);
    return result;
  };

  it("is off by default, and offers bands below the count of tiles", () => {
    const { decisions } = compiled({ M: 20, N: 12, K: 8 });
    const asked = decisions.find((d) => d.path === "kernels/c/bands");
    expect(asked?.value).toBe("no");
    expect(asked?.values).toEqual(["no", "rows 2", "rows 4", "columns 2"]);
  });

  it("is not asked of a grid of one row or column", () => {
    const { decisions } = compiled({ M: 20, N: 4, K: 8 });
    const paths = decisions.map((d) => d.path);
    expect(paths).toContain("kernels/c/order/0");
    expect(paths).not.toContain("kernels/c/bands");
  });

  it.each(["rows 2", "rows 4", "columns 2"])("%s is taken by the WGSL compiler", async (bands) => {
    const { plan } = compiled({ M: 19, N: 11, K: 8 }, bands);
    for (const { wgsl, entryPoint } of plan.kernels) {
      expect(await wgslFaults(wgsl, entryPoint)).toEqual([]);
    }
  });
});
