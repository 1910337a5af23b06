/** Kernels that compute the same get what the first of them got: the same as if each were asked about anew. */
import { describe, expect, it } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import type { Group } from "../../../src/ir/mapping/group/group.ts";
import { sameKernelText } from "../../../src/ir/mapping/like-kernels.ts";
import { type MappingResult, mapWith } from "../../../src/ir/mapping/map-program.ts";
import { type Policy, policyOf } from "../../../src/ir/mapping/policy/policies.ts";
import { printProgram } from "../../../src/ir/print-program.ts";
import type { Program } from "../../../src/ir/program.ts";
import { printSchedule } from "../../../src/ir/schedule.ts";
import { gpuProfile, llvmpipeProfile } from "../../../src/support/device-profile.ts";

const sizes = { B: 40, N: 48 };

function lowered(source: string): Program {
  const result = lowerSource(source, { def: "f", sizes });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join("; "));
  return result.program;
}

/** So many times a product with a bias and a softmax, of which a kernel has temporaries, joins and copies. */
function layers(count: number): string {
  const layer = (n: number): string => `  p${n}(b, m) +=! x${n}(b, k) * W(k, m)
  top${n}(b) max=! p${n}(b, m)
  e${n}(b, m) = exp(p${n}(b, m) - top${n}(b))
  s${n}(b) +=! e${n}(b, m)
  x${n + 1}(b, m) = e${n}(b, m) / s${n}(b)`;
  const text = Array.from({ length: count }, (_, n) => layer(n)).join("\n");
  return `def f(float(B, N) x0, float(N, N) W) -> (x${count}) {\n${text}\n}`;
}

/** A policy, and how many kernels it was asked about. */
function counting(policy: Policy): { readonly policy: Policy; asked: number } {
  const counts = {
    asked: 0,
    policy: {
      ...policy,
      kernel: (group: Group) => {
        counts.asked++;
        return policy.kernel(group);
      },
    },
  };
  return counts;
}

function textsOf({ mapped, mapping, decisions, repairs }: MappingResult): unknown {
  const [program, schedule] = [printProgram(mapped.program), printSchedule(mapped.schedule)];
  return { program, schedule, mapping, decisions, repairs };
}

describe.each([gpuProfile, llvmpipeProfile])("layers of a network for $name", (profile) => {
  it.each(["default", "naive", "apart"] as const)("are asked about once: %s", (name) => {
    const program = lowered(layers(4));
    const usual = policyOf(name, profile);
    const [once, anew] = [counting(usual), counting({ ...usual, repeats: false })];
    const found = mapWith(program, profile, new Map(), once.policy);
    const again = mapWith(program, profile, new Map(), anew.policy);
    expect(textsOf(found)).toEqual(textsOf(again));
    expect(anew.asked).toBe(found.kernels.length);
    // The first layer reads an input, the last one writes an output: these have kernels of their own.
    expect(once.asked).toBeLessThanOrEqual((3 * found.kernels.length) / 4);
  });
});

it("a kernel of which something is given is no example for others, nor takes from them", () => {
  const program = lowered(layers(4));
  const usual = policyOf("apart", gpuProfile);
  const given = new Map([["kernels/x2/axes/0/workgroup", 4]]);
  const found = mapWith(program, gpuProfile, given, usual);
  const plain = mapWith(program, gpuProfile, new Map(), usual);
  expect(found.unused).toEqual([]);
  const values = (result: MappingResult, kernel: string): unknown =>
    result.mapping.kernels?.[kernel];
  expect(values(found, "x2")).not.toEqual(values(plain, "x2"));
  for (const kernel of ["x1", "x3"]) expect(values(found, kernel)).toEqual(values(plain, kernel));
});

/** The texts of the kernels of two definitions. */
function texts(a: string, b: string): readonly (string | null)[] {
  return [a, b].map((source) => {
    const { kernels } = mapWith(
      lowered(source),
      gpuProfile,
      new Map(),
      policyOf("plain", gpuProfile),
    );
    const [first] = kernels;
    return first === undefined ? null : sameKernelText(first.group);
  });
}

describe("kernels differ", () => {
  const row = "def f(float(B, N) x) -> (y) { y(b, n) = 2.0 * x(b, n) }";

  it.each([
    ["in a size", row, "def f(float(N, B) x) -> (y) { y(b, n) = 2.0 * x(b, n) }"],
    [
      "in an exponent",
      "def f(float(B, N) x) -> (y) { y(b, n) = pow(x(b, n), 2.0) }",
      "def f(float(B, N) x) -> (y) { y(b, n) = pow(x(b, n), 2.5) }",
    ],
    [
      "in the constant of an access",
      "def f(float(B, N) x) -> (y) { y(b, n) = x(b, n + 1) where n in 0:N - 2 }",
      "def f(float(B, N) x) -> (y) { y(b, n) = x(b, n + 2) where n in 0:N - 2 }",
    ],
    ["in an access", row, "def f(float(B, N) x) -> (y) { y(b, n) = 2.0 * x(b, N - 1 - n) }"],
    ["in a type", row, "def f(int32(B, N) x) -> (y) { y(b, n) = 2 * x(b, n) }"],
    [
      "in what is an output",
      row,
      "def f(float(B, N) x) -> (z) { y(b, n) = 2.0 * x(b, n)\n z(b) +=! y(b, n) }",
    ],
  ])("%s", (_, a, b) => {
    const [left, right] = texts(a, b);
    expect(left).not.toBeNull();
    expect(left).not.toBe(right);
  });

  it("not in constants", () => {
    const [left, right] = texts(row, "def f(float(B, N) x) -> (y) { y(b, n) = 3.0 * x(b, n) }");
    expect(left).toBe(right);
  });

  it("not in names", () => {
    const [left, right] = texts(row, "def f(float(B, N) u) -> (v) { v(b, n) = 2.0 * u(b, n) }");
    expect(left).toBe(right);
  });
});
