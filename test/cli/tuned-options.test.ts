/** Options that tuning found, and what takes their place where they do not run. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { tuneWithStore } from "../../src/api/tuning/remember.ts";
import type { KnownOptions, Plan } from "../../src/cli/api.ts";
import { knownOptions } from "../../src/cli/tuning-tools.ts";
import { jsonlStore } from "../../src/store-node.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";
import { steadyBench } from "../api/tuning/support/steady-bench.ts";
import { execute, toolchain } from "./fakes.ts";
import { eventsOf } from "./tuning-fakes.ts";

const source = "def scale\n#! input A=arange\n#! input s=2";

test("runs, where tuned options do not run on the device, the next best ones, then the default", async () => {
  const known = [4, 1].map((width) => ({
    options: { version: 2, kernels: { width } },
    alternative: width === 1 ? "other" : null,
  }));
  const run = async (
    failing: number,
    kind: string,
    command = "run a.tc --options tuned --in A=ones --in s=2",
  ): Promise<readonly [number, string, number]> => {
    const ran: Plan[] = [];
    const tools = toolchain({
      known,
      events: eventsOf({ options: { version: 2, kernels: { width: 4 } } }),
      runFault: (plan) => {
        ran.push(plan);
        const why = Object.assign(new Error(`${plan.name} is refused`), { kind });
        return ran.length <= failing ? why : null;
      },
    });
    const { code, out, err } = await execute(command, { "a.tc": source }, tools);
    if (code === 0) expect(out).toContain("C  float32");
    return [code, err, ran.length];
  };
  const note = (who: string, next: string): string =>
    `note: tuned options do not run here (${who} is refused): ${next} their place\n`;
  const best = note("scale", "the next best ones that are known take");
  const last = note("other", "the default takes");
  expect(await run(0, "validation")).toEqual([0, expect.not.stringContaining("note"), 1]);
  expect(await run(1, "validation")).toEqual([0, expect.stringContaining(best), 2]);
  expect(await run(2, "out-of-memory")).toEqual([0, expect.stringContaining(best + last), 3]);
  // Where not even the default runs, or an input is wrong, it is no fault of the options.
  expect(await run(3, "out-of-memory")).toMatchObject([3, expect.stringContaining("error:"), 3]);
  expect(await run(1, "argument")).toMatchObject([2, expect.not.stringContaining("note"), 1]);
  expect(await run(1, "validation", "run a.tc --tune --in A=ones --in s=2")).toEqual([
    0,
    expect.stringContaining(best),
    2,
  ]);
  expect(await run(1, "out-of-memory", "run a.tc --in A=ones --in s=2")).toMatchObject([3, {}, 1]);
});

test("what is remembered is given the best first, none of what did not run", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tc-"));
  const db = join(folder, "tuned.jsonl");
  const text = "def mm(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";
  const sizes = { M: 32, N: 32, K: 32 };
  const adapter = {
    kind: "gpu",
    vendor: "",
    architecture: "",
    device: "",
    description: "",
  } as const;
  const runtime = { profile: baselineProfile, adapter };
  try {
    const options = { sizes, effort: "refine", budget: 60_000, bench: steadyBench() } as const;
    for await (const event of tuneWithStore(runtime, text, options, jsonlStore(db))) {
      expect(event.type).not.toBe("note");
    }
    const refused: KnownOptions[] = [];
    const request = { file: "mm.tc", sizes };
    for (let n = 0; n < 20; n++) {
      const { known, notes } = await knownOptions(runtime, text, request, db, refused);
      expect(notes).toEqual([]);
      if (known === null) break;
      refused.push(known);
    }
    expect(refused.length).toBeGreaterThan(1);
    expect(refused.length).toBeLessThan(20);
    expect(new Set(refused.map((one) => JSON.stringify(one))).size).toBe(refused.length);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
