import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkSource, compileChecked } from "../../playground/src/compile/compile-source.ts";
import { type IndexRun, runsOf } from "../../playground/src/compile/index-runs.ts";
import { linksOf } from "../../playground/src/compile/links.ts";
import {
  type Choice,
  type Compiled,
  type DeviceProfile,
  mappingOf,
  originsOf,
  pathsOf,
} from "../../src/index.ts";
import { matrixUnitName } from "../../src/support/device-profile.ts";
import { profileWithUnits, unitOf } from "../support/matrix-profile.ts";
import { matmul } from "./support/page.ts";

function compiled(
  source: string,
  profile: DeviceProfile | string,
  options = "",
  previous: Compiled | null = null,
): Compiled {
  const job = { source, def: null, sizes: {}, shapes: {}, options, profile };
  const { whole } = compileChecked(job, checkSource(job), previous);
  if (whole === null) throw new Error("it does not compile");
  return whole;
}

function runsIn(whole: Compiled): readonly IndexRun[] {
  return linksOf(whole).runs;
}

function runOf(runs: readonly IndexRun[], { span, index }: IndexRun): IndexRun | undefined {
  return runs.find((run) => run.index === index && run.span.start === span.start);
}

/** The program with another value at one path, as near as is legal. */
function withOther(
  source: string,
  profile: string,
  whole: Compiled,
  path: string,
  value: Choice,
): Compiled {
  const paths = new Map([...pathsOf(whole.options), [path, value] as const]);
  const options = JSON.stringify(mappingOf(paths, "default"));
  return compiled(source, profile, options, whole);
}

/** Products one after the other, each with a map. */
function layers(count: number): string {
  const numbers = Array.from({ length: count }, (_, n) => n);
  const weights = numbers.map((n) => `float(D, D) W${n}`).join(", ");
  const statements = numbers.map(
    (n) => `  s${n}(b, i) +=! ${n === 0 ? "x" : `h${n - 1}`}(b, k) * W${n}(k, i)
  h${n}(b, i) = fmax(s${n}(b, i), 0.0)
`,
  );
  return `#! sizes B=8 D=512
def net(float(B, D) x, ${weights}) -> (${numbers.map((n) => `s${n}, h${n}`).join(", ")}) {
${statements.join("")}}
`;
}

/** Each element with a field that tells `onRead` of each look at it. */
function watched<T>(all: readonly T[], field: keyof T, onRead: () => void): readonly T[] {
  return all.map((one) =>
    Object.defineProperty({ ...one }, field, {
      get: () => {
        onRead();
        return one[field];
      },
    }),
  );
}

/** How often decisions and statements are looked at to find the choices of all indices. */
function looksIn(whole: Compiled): number {
  let looks = 0;
  const onRead = (): void => {
    looks += 1;
  };
  const { schedule, kernels } = originsOf(whole);
  const parts = [...schedule, ...kernels.flatMap(({ lines }) => lines)].flat();
  const { mapped, decisions } = whole;
  const statements = watched(mapped.program.statements, "id", onRead);
  const program = { ...mapped.program, statements };
  const counted = { ...mapped, program };
  const runs = runsOf(
    { ...whole, mapped: counted, decisions: watched(decisions, "path", onRead) },
    parts,
  );
  expect(runs).toEqual(runsOf(whole, parts));
  const ofStructure = runs.filter(({ choices }) => choices.some((c) => c.startsWith("structure/")));
  expect(ofStructure.length).toBeGreaterThan(0);
  return looks;
}

describe("the choices that make an index run as it does", () => {
  const large = matmul.replace("M=4 K=3 N=5", "M=64 K=64 N=64");

  it("are those that a mapping says of it", () => {
    const options = `{ "version": 2, "kernels": { "C": {
      "axes": [{ "workgroup": 8, "points": 4 }, { "workgroup": 4, "points": 1, "turns": [2] }],
      "points": "unroll", "unroll": 8, "reduced": [[16]] } } }`;
    const runs = runsIn(compiled(large, "baseline", options));
    expect(runs.map(({ index, loops, choices }) => [index, loops, choices])).toEqual([
      [
        "m",
        ["2 workgroups", "8 invocations", "4 written out"],
        [
          "kernels/C/axes/0/workgroup = 8",
          "kernels/C/axes/0/points = 4",
          "kernels/C/points = unroll",
        ],
      ],
      [
        "n",
        ["8 workgroups", "4 invocations", "a loop of 2"],
        ["kernels/C/axes/1/workgroup = 4", "kernels/C/axes/1/turns/0 = 2"],
      ],
      [
        "k",
        ["a loop of 4", "a loop of 2", "8 written out"],
        ["kernels/C/reduced/0/0 = 16", "kernels/C/unroll = 8"],
      ],
    ]);
  });

  it("are those of a matrix unit, where one computes it", () => {
    const fast = unitOf("float32", 4, 2, 3);
    const unit = matrixUnitName(fast);
    const profile = profileWithUnits(8, fast);
    const source = matmul.replace("M=4 K=3 N=5", "M=48 K=48 N=48");
    const options = JSON.stringify({
      version: 2,
      kernels: { C: { unit, axes: [{ fragments: 2, subgroups: 2 }, { fragments: 1 }] } },
    });
    const runs = runsIn(compiled(source, profile, options));
    const choices = new Map(runs.map((run) => [run.index, run.choices]));
    expect(choices.get("m")).toEqual([
      "kernels/C/axes/0/subgroups = 2",
      "kernels/C/axes/0/fragments = 2",
      `kernels/C/unit = ${unit}`,
    ]);
    expect(choices.get("k")).toEqual([`kernels/C/unit = ${unit}`]);
  });

  it("are those of the rewrite that divides a reduction, too", () => {
    const source = "#! sizes N=24 D=256\ndef f(float(N, D) x) -> (y) { y(n) +=! x(n, d) }\n";
    const options =
      '{ "version": 2, "structure": { "statements": { "y": { "factor": { "r0": "strided 32" } } } } }';
    const choices = runsIn(compiled(source, "baseline", options)).flatMap((run) => run.choices);
    expect(choices).toContain("structure/statements/y/factor/r0 = strided 32");
    const none = runsIn(compiled(source, "baseline")).flatMap((run) => run.choices);
    expect(none.filter((choice) => choice.startsWith("structure/"))).toEqual([]);
  });

  it("are found in time that grows with the program, not with its square", () => {
    const divided =
      '{ "version": 2, "structure": { "statements": { "s1": { "factor": { "r0": "strided 32" } } } } }';
    const [few = 0, more = 0, most = 0] = [20, 40, 80].map((count) =>
      looksIn(compiled(layers(count), "swiftshader", divided)),
    );
    expect(few).toBeGreaterThan(0);
    expect(most - more).toBeLessThan(2.1 * (more - few));
  });

  // Teams, subgroups, what lanes load for each other, vectors, loops on the host and in kernels.
  it.each([
    ["matmul", "nvidia"],
    ["matmul", "swiftshader"],
    ["rmsnorm", "nvidia"],
    ["rmsnorm", "swiftshader"],
    ["attention", "nvidia"],
    ["elman", "nvidia"],
    ["jacobi", "swiftshader"],
    ["conv2d", "swiftshader"],
    ["mandelbrot", "swiftshader"],
  ])("decide it in %s on %s: with another value it runs otherwise", (name, profile) => {
    const source = readFileSync(`examples/${name}.tc`, "utf8");
    const whole = compiled(source, profile);
    const offered = new Map(whole.decisions.map(({ path, values }) => [path, values]));
    const runs = runsIn(whole);
    expect(runs.length).toBeGreaterThan(0);
    const seen = new Map<string, readonly IndexRun[]>();
    const runsWith = (path: string, value: Choice): readonly IndexRun[] => {
      const key = `${path} ${value}`;
      const known = seen.get(key) ?? runsIn(withOther(source, profile, whole, path, value));
      seen.set(key, known);
      return known;
    };
    const idle = runs.flatMap((run) =>
      run.choices.filter((choice) => {
        const [path = ""] = choice.split(" = ");
        const isOther = (value: Choice): boolean =>
          runOf(runsWith(path, value), run)?.loops.join() !== run.loops.join();
        return offered.get(path)?.some(isOther) !== true;
      }),
    );
    expect(idle).toEqual([]);
    // Whatever is not one loop over all of an index was chosen.
    const unexplained = runs.filter(
      ({ loops, choices }) => choices.length === 0 && loops.some((l) => !l.startsWith("a loop")),
    );
    expect(unexplained).toEqual([]);
  });
});
