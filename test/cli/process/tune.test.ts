/** `tune`, and what else tunes or times, in the program as it is published. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { readNpy, writeNpy } from "../../../src/cli/npy.ts";
import { readRecord } from "../../../src/tuner/record.ts";
import { buildPackage } from "../../support/built-package.ts";
import { example, openWorkplace, type Started } from "../support.ts";

// Drivers compile each candidate, on a machine that may be busy.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const place = openWorkplace();

beforeAll(() => {
  buildPackage();
  place.write("mm.tc", example("matmul"));
});

afterAll(() => place.remove());

const software = ["--adapter", "software"];
const sized = ["--size", "M=48,N=40,K=32", ...software];

/** The records of a file, all of which can be read. */
function recordsIn(name: string): readonly { readonly outcome: { readonly kind: string } }[] {
  const lines = place.read(name).trimEnd().split("\n");
  return lines.map((line, n) => {
    const found = readRecord(line, n + 1);
    if (!("outcome" in found)) throw new Error(`${line}: ${found.why}`);
    return found;
  });
}

describe("what updates its tensors", () => {
  const x = Float32Array.from({ length: 100 }, (_, n) => 1 + (n % 7));
  const at = Int32Array.from({ length: 300 }, (_, n) => (n * n) % 5);
  const counts = [0, 1, 2, 3, 4].map((v) => 10 + at.filter((a) => a === v).length);
  const cases = {
    scale: {
      source: "def f(float(N) x, float s) -> (x) { x(i) = x(i) * s }",
      inputs: { x: writeNpy("float32", [100], x) },
      scalars: ["s=3"],
      updated: "x",
      once: [...x].map((v) => 3 * v),
    },
    accumulate: {
      source: "def f(float(K) A, float(K, N) B, float(N) C) -> (C) { C(n) += A(k) * B(k, n) }",
      inputs: {
        A: writeNpy("float32", [2], Float32Array.of(1, 2)),
        B: writeNpy("float32", [2, 2], Float32Array.of(1, 2, 3, 4)),
        C: writeNpy("float32", [2], Float32Array.of(5, 6)),
      },
      scalars: [],
      updated: "C",
      once: [12, 16],
    },
    scatter: {
      source: "def f(int(N) at, int(V) h) -> (h) { h(at(i)) += 1 }",
      inputs: {
        at: writeNpy("int32", [300], at),
        h: writeNpy("int32", [5], new Int32Array(5).fill(10)),
      },
      scalars: [],
      updated: "h",
      once: counts,
    },
  } as const;

  test.each(Object.entries(cases))(
    "%s: is updated once by run --tune, and its files are left alone by all",
    (name, one) => {
      place.write(`${name}.tc`, one.source);
      const files = Object.entries(one.inputs).map(([tensor, content]) => {
        place.write(`${name}-${tensor}.npy`, content);
        return [tensor, `${name}-${tensor}.npy`, content] as const;
      });
      const given = [...files.map(([tensor, file]) => `${tensor}=${file}`), ...one.scalars].flatMap(
        (text) => ["--in", text],
      );
      const own = [...given, ...software, "--db", `${name}.jsonl`];
      const out = (file: string): readonly number[] => {
        const read = readNpy(bytesOf(file), file);
        return read.ok ? [...read.value.values].map(Number) : [];
      };

      const tuned = place.run([
        "run",
        `${name}.tc`,
        "--tune",
        "--time",
        ...own,
        "--out",
        `${one.updated}=a.npy`,
      ]);
      expect([tuned.status, tuned.stderr]).toEqual([0, expect.not.stringContaining("wrong")]);
      expect(out("a.npy")).toEqual(one.once);
      const known = place.run([
        "run",
        `${name}.tc`,
        "--options",
        "tuned",
        ...own,
        "--out",
        `${one.updated}=b.npy`,
      ]);
      expect([known.status, out("b.npy")]).toEqual([0, one.once]);
      const timed = place.run(["bench", `${name}.tc`, ...own]);
      expect([timed.status, timed.stdout]).toEqual([0, expect.stringContaining("tuned")]);
      for (const [, file, content] of files) expect(bytesOf(file)).toEqual(content);
    },
  );

  const bytesOf = (file: string): Uint8Array => Uint8Array.from(readFileSync(place.path(file)));
});

test("a file of records that cannot be written is told, and the result is printed all the same", () => {
  const done = place.run([
    "tune",
    "mm.tc",
    ...sized,
    "--budget",
    "4s",
    "--db",
    "mm.tc/tuned.jsonl",
  ]);
  expect(done.status).toBe(0);
  expect(done.stdout).toMatch(/^default +\d.*\ntuned +\d.*\n.*M=48/m);
  expect(done.stderr).toMatch(/note: .*tuned\.jsonl/);
  expect(place.read("mm.tc")).toBe(example("matmul"));
});

/** The processes that one has started, and those that they have. */
function below(id: number): readonly number[] {
  const all = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" });
  const pairs = all
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  const own = pairs.flatMap(([pid = 0, parent]) => (parent === id ? [pid] : []));
  return own.flatMap((pid) => [pid, ...below(pid)]);
}

/** Whether it runs: one that has ended may still be listed, as defunct. */
function isAlive(id: number): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(id)], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.startsWith("Z");
}

describe("a signal to tune", () => {
  /** Starts a search that takes long, and waits until candidates have run. */
  async function started(db: string): Promise<Started> {
    const run = place.start([
      ...["tune", "mm.tc", ...sized, "--effort", "full", "--json", "--db", db],
      ...["--options-out", `${db}.json`],
    ]);
    await run.until("out", '"status":"ok"', 3);
    return run;
  }

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)("%s keeps the best so far, and ends with %i", async (signal, code) => {
    const db = `${signal}.jsonl`;
    const run = await started(db);
    onTestFinished(() => void run.child.kill("SIGKILL"));
    const begun = below(run.child.pid ?? 0);
    expect(begun.length).toBeGreaterThan(0);
    run.child.kill(signal);
    expect(await run.exit).toEqual({ code, signal: null });
    const told = run
      .out()
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(told.at(-1)).toMatchObject({ type: "summary", exit: code });
    expect(told.filter(({ type }) => type === "best").length).toBeGreaterThan(0);
    expect(JSON.parse(place.read(`${db}.json`))).toMatchObject({ version: 2 });
    const kinds = recordsIn(db).map(({ outcome }) => outcome.kind);
    expect(kinds.filter((kind) => kind === "ok").length).toBeGreaterThanOrEqual(3);
    await expect.poll(() => begun.filter(isAlive)).toEqual([]);
  });
});
