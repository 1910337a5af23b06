/**
 * Rows that begin anywhere in vectors of memory, in all executions, against plain loops; and that other
 * rows, whatever is in them, make no difference.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import { verifyKernel } from "../../src/codegen/verify-kernel/verify-kernel.ts";
import { type Compiled, compile, interpret } from "../../src/index.ts";
import { openRuntime, type Runtime } from "../../src/node.ts";
import { type DeviceProfile, namedProfiles } from "../../src/support/device-profile.ts";
import type { Choice } from "../../src/support/mapping-file.ts";
import { seededRandom } from "../../src/support/random.ts";
import type { TensorData } from "../../src/support/scalar-type.ts";
import { given } from "../support/given.ts";
import { someOf } from "../support/sweep.ts";
import { type RowCase, rowCases } from "./cases.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

type Choices = Readonly<Record<string, Choice>>;

/** Invocations go along rows, and all loops along rows are to be aligned, whichever kernels there are. */
const aligned: Choices = {
  "kernels/$0/rows": true,
  ...Object.fromEntries(
    ["$0", "$0#1", "$1", "$1#1", "$2", "$3"].map((kernel) => [`kernels/${kernel}/align`, true]),
  ),
};

/** An invocation has one row; it has two of them; a team shares a row. */
const shapes: readonly Choices[] = [
  { "kernels/$0/axes/0/workgroup": 4, "kernels/$0/axes/0/points": 1, "kernels/$0/unroll": 1 },
  { "kernels/$0/axes/0/workgroup": 2, "kernels/$0/axes/0/points": 2, "kernels/$0/unroll": 1 },
  { "kernels/$0/team": 4 },
];

interface Request {
  readonly source: string;
  readonly sizes: { readonly N: number; readonly M: number };
  readonly padded: boolean;
  readonly profile: DeviceProfile;
  readonly choices: Choices;
}

function compiled({ source, choices, ...request }: Request): Compiled {
  const options = given({ ...choices, ...aligned });
  const result = compile(source, { ...request, options });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join("\n"));
  const others = result.decisions.filter((d) => /\/align$/.test(d.path) && d.value !== true);
  expect(others).toEqual([]);
  return result;
}

/** Whole numbers of which some are negative. */
function draw(count: number, seed: number): Float32Array {
  const random = seededRandom(seed);
  return Float32Array.from({ length: count }, () => random.integer(-4, 5));
}

function rowsOf(x: Float32Array, M: number): readonly (readonly number[])[] {
  return Array.from({ length: x.length / M }, (_, i) => [...x.subarray(i * M, (i + 1) * M)]);
}

/** What the results of some rows have to be, and are. */
function expectRows(
  one: RowCase,
  found: Readonly<Record<string, ArrayLike<number>>>,
  { x, w }: { readonly x: Float32Array; readonly w: Float32Array },
  isAsked: (row: number) => boolean = () => true,
): void {
  const weights = [...w];
  for (const [name, resultOf] of Object.entries(one.results)) {
    const got = Array.from(found[name] ?? [], Number);
    const rows = rowsOf(x, w.length);
    const per = got.length / rows.length;
    for (const [number, values] of rows.entries()) {
      if (!isAsked(number)) continue;
      const expected = resultOf({ values, weights, number });
      const own = got.slice(number * per, (number + 1) * per);
      expect(own).toHaveLength(expected.length);
      const off = own.findIndex((v, j) => {
        const meant = expected[j] ?? Number.NaN;
        const room = one.exact === true ? 0 : 2e-5 * Math.max(1, Math.abs(meant));
        return !(Math.abs(v - meant) <= room);
      });
      const at = `${name} of row ${number} of ${w.length}, element ${off}`;
      expect(off < 0 ? "" : `${at} is ${own[off]}, not ${expected[off]}`).toBe("");
    }
  }
}

/** In memory that ends with a whole vector, and in memory that ends with the last element. */
function interpreted(request: Request, inputs: Readonly<Record<string, Float32Array>>) {
  const { plan } = compiled(request);
  for (const { kernel } of plan.kernels) {
    expect(verifyKernel(kernel, request.profile)).toEqual([]);
  }
  const { outputs, faults } = interpretPlan(plan, inputs);
  expect(faults).toEqual([]);
  return outputs;
}

const { llvmpipe, swiftshader } = namedProfiles;
const profiles = [llvmpipe, swiftshader].flatMap((p) => p ?? []);

async function onDevice(
  source: string,
  choices: Choices,
  inputs: Readonly<
    Record<string, { readonly data: TensorData; readonly shape: readonly number[] }>
  >,
): Promise<Readonly<Record<string, TensorData>>> {
  const options = given({ ...choices, ...aligned });
  const [kernel] = Object.values(runtime.define(source, { options }));
  if (kernel === undefined) throw new Error("no definition");
  const found: Record<string, TensorData> = {};
  for (const [name, tensor] of Object.entries(await kernel(inputs))) {
    found[name] = await tensor.read();
    tensor.dispose();
  }
  kernel.dispose();
  return found;
}

const lengths = [1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 31] as const;

describe.each(rowCases)("$name", (one) => {
  const place = rowCases.indexOf(one);
  /** Lengths of which the definition makes sense. */
  const shortest = /M - 1/.test(one.source) ? 3 : 1;

  test("of rows of all lengths", async () => {
    for (const [n, M] of lengths.filter((length) => length >= shortest).entries()) {
      for (const [turn, N] of [4, [1, 11, 7][n % 3] ?? 1].entries()) {
        const [x, w] = [draw(N * M, 17 * n + N), draw(M, n)];
        const sizes = { N, M };
        const shaped = { x: { data: x, shape: [N, M] }, w: { data: w, shape: [M] } };
        const reference = interpret(one.source, shaped, { sizes });
        const meant = Object.entries(reference).map(([name, { data }]) => [name, data] as const);
        expectRows(one, Object.fromEntries(meant), { x, w });
        for (const [s, choices] of someOf([...shapes.entries()], 1, place + n + turn)) {
          const profile = profiles[(n + s) % profiles.length] ?? runtime.profile;
          const request = { source: one.source, sizes, padded: N !== 4, profile, choices };
          expectRows(one, interpreted(request, { x, w }), { x, w });
        }
      }
    }
  });

  const onDevices = [
    [5, 509, 0],
    [7, 1021, 0],
    [6, 31, 1],
    [4, 13, 2],
    [3, 9, 0],
  ] as const;

  test.each(someOf(onDevices, 3, place))(
    "%i rows of %i on the device, in shape %i",
    async (N, M, shape) => {
      const [x, w] = [draw(N * M, M), draw(M, N)];
      const shaped = { x: { data: x, shape: [N, M] }, w: { data: w, shape: [M] } };
      expectRows(one, await onDevice(one.source, shapes[shape] ?? {}, shaped), { x, w });
    },
  );

  test("rows beside it that are no numbers, or infinite, make no difference", async () => {
    const sizes = [
      [9, 13],
      [8, 31],
      [5, 30],
    ] as const;
    for (const [n, [N, M]] of sizes.entries()) {
      const [x, w] = [draw(N * M, N + M), draw(M, N)];
      const isOwn = (row: number): boolean => row % 3 === 1;
      for (const row of rowsOf(x, M).keys()) {
        if (isOwn(row)) continue;
        const spoiled = [Number.NaN, Infinity, -Infinity];
        x.subarray(row * M, (row + 1) * M).fill(spoiled[row % 5] ?? Number.NaN);
      }
      const shaped = { x: { data: x, shape: [N, M] }, w: { data: w, shape: [M] } };
      const [choices = {}] = shapes;
      for (const profile of someOf(profiles, 1, place + n)) {
        const request = { source: one.source, sizes: { N, M }, padded: true, profile, choices };
        expectRows(one, interpreted(request, { x, w }), { x, w }, isOwn);
      }
      expectRows(one, await onDevice(one.source, choices, shaped), { x, w }, isOwn);
    }
  });
});
