/** Two buffers whose roles change with each step, instead of a copy in each. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Step } from "../../../src/codegen/plan.ts";
import { type Compiled, compile } from "../../../src/compile.ts";
import { type GivenChoices, given } from "../../support/given.ts";

type Sizes = Readonly<Record<string, number>>;

function compiled(
  source: string,
  sizes: Sizes,
  choices: GivenChoices = {},
  profile = "nvidia",
): Compiled {
  const result = compile(source, { sizes, profile, options: given(choices) });
  if (!result.ok) throw new Error(result.diagnostics.map((d) => d.message).join());
  return result;
}

function dispatches(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => {
    if (step.kind === "repeat") return sum + step.extent * dispatches(step.body);
    return sum + (step.kind === "dispatch" ? 1 : 0);
  }, 0);
}

const example = (name: string): string => readFileSync(`examples/${name}.tc`, "utf8");

/** A dispatch for each step of whatever loop. */
const each: GivenChoices = Object.fromEntries(
  ["s", "t", "k"].flatMap((loop) => [
    [`structure/loops/${loop}/on`, "host"],
    [`structure/loops/${loop}/with`, false],
  ]),
);

describe("what reads neighbours in its own tensor", () => {
  const stencils = [
    ["heat_equation", "u#1", { N: 4096, S: 100 }, 100],
    ["jacobi", "heat#1", { H: 256, W: 256, T: 50 }, 50],
    ["floyd_warshall", "d#1", { N: 256 }, 256],
    ["odd_even_sort", "x", { R: 64, N: 128 }, 128],
  ] as const;

  /** Where a step leaves the border as it is. */
  const copiedOnCpus: readonly string[] = ["heat_equation", "jacobi"];

  it.each(stencils)(
    "takes one dispatch for each step of %s, and no copy",
    (name, id, sizes, steps) => {
      for (const profile of ["nvidia", "swiftshader"]) {
        const { decisions, plan } = compiled(example(name), sizes, each, profile);
        const path = `structure/statements/${id}/own`;
        const isCopied = profile === "swiftshader" && copiedOnCpus.includes(name);
        expect(decisions.find((d) => d.path === path)?.value).toBe(isCopied ? "stage" : "2 slots");
        if (isCopied) continue;
        // What there is at first, and what is handed to the caller.
        const others = dispatches(plan.steps) - steps;
        expect([others >= 0, others <= 3], `${others}`).toEqual([true, true]);
      }
    },
  );

  it.each(stencils)("takes two in %s where a copy is asked for", (name, id, sizes, steps) => {
    const copied = { ...each, [`structure/statements/${id}/own`]: "stage" };
    const { plan, repairs } = compiled(example(name), sizes, copied);
    expect(repairs).toEqual([]);
    expect(dispatches(plan.steps)).toBeGreaterThanOrEqual(2 * steps);
  });

  it("is copied where steps write little of it", () => {
    const little = `def f(float(N) x, int S) -> (u) {
      u(i) = x(i)
      for s in 0:S { u(i) = u(i - 1) + u(i + 1) where i in 1:8 }
    }`;
    const { decisions } = compiled(little, { N: 4096, S: 9 });
    const own = decisions.find((d) => d.path === "structure/statements/u#1/own");
    expect([own?.values, own?.value]).toEqual([["stage", "2 slots", "3 slots"], "stage"]);
  });
});

describe("what others read before a step overwrites it", () => {
  const life = example("game_of_life");
  const sizes = { H: 256, W: 256, T: 20 };

  it("has two buffers, so that a step of a game of life is one dispatch", () => {
    const path = "structure/statements/cell#1/own";
    const { decisions, plan } = compiled(life, sizes, each);
    const own = decisions.find((d) => d.path === path);
    expect([own?.values, own?.value]).toEqual([["in place", "2 slots"], "2 slots"]);
    expect(dispatches(plan.steps)).toBeLessThanOrEqual(sizes.T + 3);
    const inPlace = compiled(life, sizes, { ...each, [path]: "in place" });
    expect(dispatches(inPlace.plan.steps)).toBeGreaterThanOrEqual(2 * sizes.T);
  });

  it("stays in place where rows are workgroups of their own", () => {
    const layer = { T: 16, B: 64, I: 64, H: 128 };
    const own = compiled(example("gru"), layer).decisions.find(
      (d) => d.path === "structure/statements/h/own",
    );
    expect(own?.value).toBe("in place");
  });
});

describe("turns that would not be legal", () => {
  const planted = (more: string): Compiled =>
    compiled(
      `def f(float(N) x, int S) -> (y) {
        u(i) = x(i)
        for s in 0:S { u(i) = u(N - 1 - i) + x(i)  ${more} }
        y(i) = u(i)
      }`,
      { N: 512, S: 7 },
      { "structure/statements/u#1/own": "2 slots" },
    );
  const repaired = ({ repairs }: Compiled) =>
    repairs.filter((r) => r.path === "structure/statements/u#1/own");

  it("are a copy: of what another statement of the loop writes, too", () => {
    expect(repaired(planted("v(i) = u(i)"))).toEqual([]);
    expect(repaired(planted("u(i) = 2.0 * u(i) + 1.0 where i in 0:3"))).toEqual([
      { path: "structure/statements/u#1/own", asked: "2 slots", used: "stage" },
    ]);
  });
});
