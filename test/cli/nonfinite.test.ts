/** `run --find-nonfinite` and `run --dump`, on the compiler as it is and without a device. */
import { describe, expect, it } from "vitest";
import type { Toolchain } from "../../src/cli/api.ts";
import { readNpy, writeNpy } from "../../src/cli/npy.ts";
import { toolchain } from "../../src/cli/toolchain.ts";
import { execute, records } from "./fakes.ts";

const source = {
  "f.tc": `#! sizes N=3
#! input x=full(1e20)
def f(float(N) x) -> (y) {
  h(n) = x(n) * x(n)
  y(n) = h(n) - h(n)
}`,
};
const tools: Toolchain = toolchain;
const run = (flags: string) => execute(`run f.tc --adapter reference ${flags}`, source, tools);

describe("run --find-nonfinite", () => {
  it("tells the statement, the element and the operands", async () => {
    const { code, out } = await run("--find-nonfinite");
    expect(code).toBe(0);
    expect(out.slice(out.indexOf("first"))).toBe(`first infinity: in h(0), at n = 0
  f.tc:4:3: h(n) = x(n) * x(n)
  x(n) * x(n) = inf
    x(n) = 1.00000002e+20
    x(n) = 1.00000002e+20
first NaN: in y(0), at n = 0
  f.tc:5:3: y(n) = h(n) - h(n)
  h(n) - h(n) = nan
    h(n) = inf
    h(n) = inf
`);
  });

  it("is a record with --json", async () => {
    const { out } = await run("--find-nonfinite --json");
    const found = records(out).find(({ type }) => type === "nonfinite");
    expect(found).toMatchObject({
      searched: "program",
      inputs: [],
      infinity: { tensor: "h", index: [0], value: "Infinity", line: 4, column: 3 },
      nan: { tensor: "y", at: { n: 0 }, value: "NaN", line: 5, column: 3 },
    });
  });

  it("says so where nothing is made, and where nothing was searched", async () => {
    expect((await run("--find-nonfinite --in x=ones")).out).toContain(
      "no NaN and no infinity is made",
    );
    const { out } = await run("--find-nonfinite --verify-budget 0s");
    expect(out).toContain("the search takes longer than 0 s: nothing was searched");
  });

  it("says so where they come from the inputs", async () => {
    const sums = {
      "f.tc": "#! sizes N=3\ndef f(float(N) x) -> (y) { s +=! x(i)\n y(i) = x(i) / s }",
      "x.npy": writeNpy("float32", [3], Float32Array.of(1, Number.NaN, 2)),
    };
    const args = "run f.tc --adapter reference --find-nonfinite --in x=x.npy";
    const { out } = await execute(args, sums, tools);
    expect(out).toContain("input x: 1 element not finite, the first x(1) = nan");
    expect(out).toContain("those of the outputs come from the inputs");
    expect(out).not.toContain("the device's order");
  });

  it("says so where only the device makes one", async () => {
    const fake: Toolchain = {
      ...tools,
      interpret: () => ({ y: { data: Float32Array.of(0, Number.NaN, 0), shape: [3] } }),
    };
    const args = "run f.tc --adapter reference --find-nonfinite --in x=ones";
    const { out } = await execute(args, source, fake);
    expect(out).toContain("output y: 1 element not finite, the first y(1) = nan");
    expect(out).toContain("no operation makes one in float32, in the order of the program");
  });
});

describe("run --dump", () => {
  it("writes temporaries, to a name of their own or the one that is given", async () => {
    for (const [flag, file] of [
      ["h", "h.npy"],
      ["h=there.npy", "there.npy"],
    ]) {
      const { code, err, files } = await run(`--in x=full(3) --dump ${flag}`);
      expect([code, err]).toEqual([0, expect.stringContaining(`wrote ${file}`)]);
      const array = readNpy(files.get(file ?? "") as Uint8Array, "");
      expect(array).toMatchObject({ ok: true, value: { shape: [3] } });
      expect(array.ok ? [...array.value.values] : []).toEqual([9, 9, 9]);
    }
  });

  it("refuses names that the definition does not make, and other endings", async () => {
    const unknown = await run("--dump hh");
    expect([unknown.code, unknown.err]).toEqual([
      2,
      'error: --dump: "f" makes no tensor "hh"; did you mean "h"?\n' +
        "  next: name a tensor that the definition makes\n",
    ]);
    const ending = await run("--dump h=h.txt");
    expect([ending.code, ending.err]).toEqual([
      2,
      "error: --dump h=h.txt: temporaries are written as .npy files\n  next: write --dump h=h.npy\n",
    ]);
  });
});
