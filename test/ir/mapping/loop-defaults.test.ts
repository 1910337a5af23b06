import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compile } from "../../../src/compile.ts";
import { elementCount } from "../../../src/support/scalar-type.ts";

/** What the default takes out of loops of an example: statements, by path. */
function leaving(name: string, profile: string, sizes: Readonly<Record<string, number>>) {
  const source = readFileSync(`examples/${name}.tc`, "utf8");
  const compiled = compile(source, { sizes, profile });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
  const out = compiled.decisions.filter((d) => d.path.includes("/leave/") && d.value === true);
  return out.map((d) => d.path.split("/")[2]);
}

describe("products that need not wait for a loop", () => {
  const sizes = { T: 128, B: 16, I: 128, H: 128 };

  it.each(["nvidia", "apple", "swiftshader"])(
    "leave it by default on %s",
    (profile) => {
      expect(leaving("lstm", profile, sizes)).toContain("z");
      expect(leaving("stacked_lstm", profile, sizes)).toEqual(
        expect.arrayContaining(["cell_gate", "cell_gate_2"]),
      );
      expect(leaving("elman", profile, { T: 128, B: 16, Ci: 128, Co: 128 })).toContain(
        "hidden#2.fixed",
      );
    },
    60_000,
  );

  it("stay where launching them takes longer", () => {
    expect(leaving("elman", "swiftshader", { T: 2, B: 1, Ci: 2, Co: 2 })).toEqual([]);
  });
});

/** The temporaries of the mapped program with their elements, and what left its loop. */
function kept(source: string, sizes: Readonly<Record<string, number>>) {
  const compiled = compile(source, { sizes, profile: "nvidia" });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
  const { tensors } = compiled.mapped.program;
  const made = tensors.filter((t) => t.role === "temporary");
  const out = compiled.decisions.filter((d) => d.path.includes("/leave/") && d.value === true);
  return {
    elements: Object.fromEntries(made.map((t) => [t.name, elementCount(t.shape)])),
    left: out.map((d) => d.path.split("/")[2]),
  };
}

describe("what temporaries of loops keep", () => {
  const state = (after: string): string =>
    `def f(float(T, N) x, float(N, N) w, float(N, N) u, float(N) start) -> (y) {
      s(n) = start(n)
      for t in T {
        z(n) +=! w(n, k) * x(t, k)
        r(n) +=! u(n, k) * s(k)
        s(n) = tanh(z(n) + r(n))
        ${after.startsWith("y(t") ? after : ""}
      }
      ${after.startsWith("y(t") ? "" : after}
    }`;
  const [T, N] = [64, 128];

  it("a product for all steps has its results for each of them, within a cap of bytes", () => {
    expect(kept(state("y(n) = s(n)"), { T, N })).toMatchObject({
      left: ["z"],
      elements: { z: T * N },
    });
    // 2 ** 18 steps would take 128 MB.
    expect(kept(state("y(n) = s(n)"), { T: 2 ** 18, N })).toMatchObject({
      left: [],
      elements: { z: N },
    });
  });

  it("a state has a history where later statements read it, and none where they read its end", () => {
    expect(kept(state("y(n) = s(n)"), { T, N }).elements["s"]).toBe(N);
    const read = kept(state("y(t, n) +=! w(k, n) * s(k)"), { T, N });
    expect(read.left).toContain("y");
    expect(read.elements["s"]).toBe((T + 1) * N);
  });
});

describe("gates beside each other", () => {
  const sizes = [
    { T: 10, B: 3, I: 8, H: 8 },
    { T: 32, B: 512, I: 64, H: 64 },
    { T: 128, B: 32, I: 256, H: 256 },
  ];
  const profiles = ["nvidia", "apple", "amd-rdna", "intel-xe", "adreno", "mali"];

  it.each(["gru", "lstm"])("are a default of %s where all steps are one dispatch alone", (name) => {
    const source = readFileSync(`examples/${name}.tc`, "utf8");
    const choices = sizes.flatMap((at) =>
      profiles.map((profile) => {
        const compiled = compile(source, { sizes: at, profile });
        if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
        const has = (path: RegExp, value: unknown): boolean =>
          compiled.decisions.some((d) => path.test(d.path) && d.value === value);
        return { parts: has(/\/parts\//, true), host: has(/^structure\/loops\/.*\/on$/, "host") };
      }),
    );
    expect(choices.filter(({ parts, host }) => parts && host)).toEqual([]);
    expect(choices.some(({ parts }) => parts)).toBe(true);
    expect(choices.some(({ host }) => host)).toBe(true);
  });

  it.each(["0", "B - 1 - b", "pad"])("are none where a step reads another row: %s", (row) => {
    const source = readFileSync("examples/lstm.tc", "utf8").replaceAll(
      "hidden(t - 1, b, j)",
      row === "pad" ? "pad(hidden(t - 1, b + 1, j))" : `hidden(t - 1, ${row}, j)`,
    );
    const compiled = compile(source, { sizes: { T: 16, B: 16, I: 32, H: 32 }, profile: "nvidia" });
    if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
    const { decisions } = compiled;
    expect(decisions.filter((d) => d.path.includes("/parts/") && d.value === true)).toEqual([]);
  });
});

describe("loops whose steps are several dispatches", () => {
  function decided(name: string, sizes: Record<string, number>, profile: string, path: RegExp) {
    const source = readFileSync(`examples/${name}.tc`, "utf8");
    const compiled = compile(source, { sizes, profile });
    if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
    return compiled.decisions.filter((d) => path.test(d.path)).map((d) => d.value);
  }

  it("run in one workgroup where its work takes less than the launches", () => {
    const path = /^structure\/loops\/k\/with$/;
    expect(decided("lu", { N: 256 }, "adreno", path)).toEqual(["A"]);
    expect(decided("lu", { N: 1024 }, "adreno", path)).toEqual([false]);
    expect(decided("lu", { N: 256 }, "nvidia", path)).toEqual([false]);
  });

  it.each(["intel-xe", "mali"])("of 32 rows on few cores turn the weights on %s", (profile) => {
    const sizes = { T: 32, B: 32, I: 128, H: 128 };
    expect(decided("lstm", sizes, profile, /^structure\/loops\/t\/on$/)).toEqual(["serial"]);
    expect(decided("lstm", sizes, profile, /\/turn\//)).toContain(true);
  });
});

describe("wavefronts", () => {
  const source = readFileSync("examples/edit_distance.tc", "utf8");
  const families = ["nvidia", "apple", "amd-rdna", "intel-xe", "adreno", "mali"];

  it.each([
    ["of few tables on every family", { P: 64, M: 256, N: 256 }, families],
    [
      "where a table for each invocation leaves cores idle",
      { P: 640, M: 64, N: 64 },
      ["nvidia", "amd-rdna"],
    ],
    ["never of many tables", { P: 4096, M: 32, N: 32 }, []],
    ["never where they are narrow", { P: 16, M: 8, N: 256 }, []],
  ])("are chosen %s", (_, sizes, wanted) => {
    const chosen = [...families, "swiftshader"].filter((profile) => {
      const compiled = compile(source, { sizes, profile });
      if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
      return compiled.decisions.some((d) => d.path.includes("/skew/") && d.value === true);
    });
    expect(chosen).toEqual(wanted);
  });
});
