/** `run --time` and `run --trace`. */
import { describe, expect, it } from "vitest";
import { execute, records } from "./fakes.ts";

const source = { "f.tc": "def scale\n#! input A=ones\n#! input s=2" };

describe("run --time", () => {
  it("shows a table of kernels beside what the adapter can do", async () => {
    const { code, out } = await execute("run f.tc --time", source);
    expect(code).toBe(0);
    const table = out.slice(out.indexOf("once"));
    expect(table).toBe(`once     compile 1 ms, pipelines 12.3 ms, first run 8 ms
a run    1 ms +- 20 us, the median of 11
clock    timestamp-query, in steps of 65.5 us
at most  10 GB/s copied, 20 GFLOP/s

kernel        time  share  dispatches  bytes  GB/s   of  flop  GFLOP/s   of
scale_0     750 us    75%           3     3M     4  40%  7.5M       10  50%
zero fill*  500 ns     0%           1
(between)   250 us    25%
* alone, again and again: a step of the clock is too long for one dispatch
`);
  });

  it("says nothing of it unless it is asked", async () => {
    const { out } = await execute("run f.tc", source);
    expect(out).not.toContain("GFLOP");
    expect(records((await execute("run f.tc --json", source)).out)).toHaveLength(2);
  });

  it("is a record with --json", async () => {
    const { out } = await execute("run f.tc --time --json --options naive", source);
    const found = records(out).find(({ type }) => type === "timing");
    expect(found).toMatchObject({
      schema: 1,
      def: "scale",
      which: "naive",
      us: 1000,
      mad: 20,
      n: 11,
      clock: "timestamp-query",
      quantumNs: 65536,
      adapter: "a fake device",
      compileMs: 1,
      pipelinesMs: 12.345,
      firstMs: 8,
      ceilings: { gflops: 20, gigabytes: 10 },
    });
    expect(found?.["kernels"]).toEqual([
      {
        kernel: "scale_0",
        us: 750,
        mad: 10,
        n: 10,
        dispatches: 3,
        measured: "in-order",
        bytes: 3_000_000,
        operations: 7_500_000,
      },
      {
        kernel: "zero fill",
        us: 0.5,
        mad: 0,
        n: 10,
        dispatches: 1,
        measured: "alone",
        bytes: null,
        operations: null,
      },
    ]);
  });

  it("refuses the reference, which has no kernels", async () => {
    for (const flag of ["--time", "--trace t.json"]) {
      const { code, err, files } = await execute(`run f.tc ${flag} --adapter reference`, source);
      expect(code).toBe(2);
      expect(err).toContain(`error: ${flag.split(" ")[0]} with --adapter reference`);
      expect(files.has("t.json")).toBe(false);
    }
  });
});

describe("run --trace", () => {
  it("writes JSON, without a table", async () => {
    const { code, out, err, files } = await execute("run f.tc --trace t.json", source);
    expect(code).toBe(0);
    expect(out).not.toContain("GFLOP");
    expect(err).toContain("wrote t.json");
    expect(JSON.parse(String(files.get("t.json")))).toEqual({
      traceEvents: [{ name: "compile", dur: 1000 }],
    });
  });
});
