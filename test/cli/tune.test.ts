/** `tune`, `bench` and `db`, on a device that tells what it is told to. */
import { describe, expect, it } from "vitest";
import type { TuneRequest } from "../../src/cli/api.ts";
import { execute, records, toolchain, world } from "./fakes.ts";
import { eventsOf, held, merged, options } from "./tuning-fakes.ts";

const source = { "f.tc": "def scale\n#! input A=ones\n#! input s=2" };

describe("tune", () => {
  it("tells improvements while it runs, and a table in the end", async () => {
    const tools = toolchain({ events: eventsOf() });
    const { code, out, err } = await execute("tune f.tc", source, tools);
    expect(code).toBe(0);
    expect(out).toBe(`         samples  median  mean  variance  min  max
default        3      41    41         1   40   42
tuned          3    20.5  20.5      0.25   20   21
scale N=4: 2x as fast
`);
    expect(err).toBe(`tuning scale N=4 on a fake device
candidate 2: 20.5 us, 2x as fast as the default
note: the disk is full
3 candidates (1 wrong) in 2.5 s; the budget is spent
`);
  });

  it("says that what was known is known, with no counts and times of nothing", async () => {
    const known = { source: { kind: "exact" }, default: null, tuned: null, why: "known" } as const;
    const all = eventsOf({ ...known, elapsedMs: 0 });
    const events = all.filter(({ type }) => type === "start" || type === "done");
    const { code, err } = await execute("tune f.tc", source, toolchain({ events }));
    expect(code).toBe(0);
    expect(err).toBe("tuning scale N=4 on a fake device\nit was known: nothing was launched\n");
  });

  it("says with -v why candidates are refused", async () => {
    const tools = toolchain({ events: eventsOf() });
    const { err } = await execute("tune f.tc -v", source, tools);
    expect(err).toContain("candidate 1: wrong, C(0) is 3\n");
  });

  it("shows one line that changes on a terminal, and takes it away", async () => {
    const made = world(source);
    const io = { ...made.io, stderr: { ...made.io.stderr, isTerminal: true } };
    const tools = toolchain({ events: eventsOf() });
    await execute("tune f.tc", source, tools, { ...made, io });
    const lines = made.err.split("\r\u001b[2K");
    expect(lines.slice(1, 3)).toEqual([
      "[############------------] 12/24 measure  3 s left",
      "[########################] 24/24 duel  best 20.5 us (2x)  0 s left",
    ]);
    expect(made.err).not.toContain("candidate 2:");
    expect(lines.slice(-1)).toEqual([
      "note: the disk is full\n3 candidates (1 wrong) in 2.5 s; the budget is spent\n",
    ]);
  });

  it("gives lines of JSON: candidates, improvements, and a summary at the end", async () => {
    const tools = toolchain({ events: eventsOf() });
    const { code, out, err } = await execute("tune f.tc --json", source, tools);
    expect([code, err]).toEqual([0, ""]);
    const found = records(out);
    expect(found.map(({ type }) => type)).toEqual([
      "candidate",
      "candidate",
      "best",
      "note",
      "timing",
      "timing",
      "best",
      "summary",
    ]);
    expect(found[1]).toMatchObject({ schema: 1, def: "scale", i: 1, options, status: "wrong" });
    expect(found[2]).toMatchObject({
      def: "scale",
      us: 20.5,
      defaultUs: 41,
      options,
      source: "tuned",
    });
    expect(found[4]).toMatchObject({ which: "default", us: 41, mean: 41, variance: 1, n: 3 });
    expect(found.at(-2)).toMatchObject({ us: 20.5, defaultUs: 41, options, source: "tuned" });
    expect(found.at(-1)).toMatchObject({ exit: 0 });
  });

  it("hands on what the flags say", async () => {
    const requests: TuneRequest[] = [];
    const tools = toolchain({ events: eventsOf(), onRequest: (one) => requests.push(one) });
    const args = "--effort refine --budget 1500ms --seed 7 --db a.jsonl --approximate --size N=4";
    await execute(`tune f.tc ${args}`, source, tools);
    await execute("tune f.tc", source, tools);
    expect(requests).toMatchObject([
      { effort: "refine", budgetMs: 1500, seed: 7, db: "a.jsonl", approximate: true, def: "scale" },
      { effort: null, budgetMs: null, seed: 1, db: null, approximate: false },
    ]);
  });

  it("writes the report and the options", async () => {
    const tools = toolchain({ events: eventsOf() });
    const args = "tune f.tc --report r.html --options-out o.json";
    const { code, files } = await execute(args, source, tools);
    expect(code).toBe(0);
    expect(files.get("r.html")).toBe("<!doctype html>");
    expect(JSON.parse(String(files.get("o.json")))).toEqual(options);
    const second = await execute("tune f.tc --report r.json", source, tools);
    const data = JSON.parse(String(second.files.get("r.json")));
    expect(data).toMatchObject({ events: 8, adapter: "a fake device", file: "f.tc" });
  });

  it("writes what it found into the file of locked options beside the source", async () => {
    const tools = toolchain({ events: eventsOf() });
    const files = { "a/f.tc": source["f.tc"] };
    const first = await execute("tune a/f.tc --lock", files, tools);
    expect(first.err).toContain("wrote a/tc.lock.json");
    const text = String(first.files.get("a/tc.lock.json"));
    expect(JSON.parse(text)).toEqual({ before: null, ...options });
    const again = await execute("tune a/f.tc --lock", { ...files, "a/tc.lock.json": text }, tools);
    expect(JSON.parse(String(again.files.get("a/tc.lock.json")))).toMatchObject({ before: text });
    const bad = await execute("tune a/f.tc --lock", { ...files, "a/tc.lock.json": "bad" }, tools);
    expect([bad.code, bad.err]).toEqual([2, expect.stringContaining("holds no locked options")]);
    expect(bad.files.get("a/tc.lock.json")).toBe("bad");
  });

  it.each([
    ["interrupted", 130],
    ["terminated", 143],
    ["hungUp", 129],
  ] as const)("keeps the best so far when it is %s, and ends with %i", async (exit, expected) => {
    const made = world(source);
    const aborted: boolean[] = [];
    const tools = toolchain({
      events: eventsOf({ why: "aborted", complete: false }),
      onRequest: ({ signal }) => {
        made.interrupt(exit);
        aborted.push(signal.aborted);
      },
    });
    const { code, out, err } = await execute("tune f.tc --options-out o.json", source, tools, made);
    expect(aborted).toEqual([true]);
    expect(code).toBe(expected);
    expect(out).toContain("2x as fast");
    expect(err).toContain("interrupted: the best so far is kept");
    expect(made.files.has("o.json")).toBe(true);
  });

  it("ends with 3 where the device was lost again and again", async () => {
    const tools = toolchain({ events: eventsOf({ why: "lost", complete: false }) });
    const { code, err } = await execute("tune f.tc", source, tools);
    expect(code).toBe(3);
    expect(err).toContain("try --adapter software");
  });

  it.each(["tune", "bench"])("%s refuses the reference: it has no kernels", async (command) => {
    const { code, err } = await execute(`${command} f.tc --adapter reference`, source);
    expect(code).toBe(2);
    expect(err).toContain(`${command} with --adapter reference`);
  });

  it("says what is wrong with its flags, and with the source", async () => {
    const errs = await Promise.all(
      ["--effort much", "--budget soon", "--seed x", "--report r.txt", "--report no/r.html"].map(
        async (flag) => await execute(`tune f.tc ${flag}`, source),
      ),
    );
    expect(errs.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2]);
    expect(errs.map(({ err }) => err.split("\n")[0])).toEqual([
      "error: --effort much: expected refine, quick, normal, full",
      "error: --budget soon: no duration",
      "error: --seed x: no whole number",
      "error: --report r.txt: reports are pages or JSON",
      "error: cannot write no/r.html: there is no folder no",
    ]);
    const bad = await execute("tune g.tc", { "g.tc": "def scale\nerror: no" });
    expect(bad.code).toBe(1);
  });
});

describe("bench", () => {
  it("times default and naive; tuned where options are known", async () => {
    const plain = await execute("bench f.tc", source, toolchain({ us: [1000, 3000] }));
    expect(plain.out).toBe(
      "default  1 ms +- 20 us, the median of 11\n" +
        "naive    3 ms +- 20 us, the median of 11  0.333x\n",
    );
    expect(plain.err).toContain("tc-compile tune finds some");
    const tools = toolchain({ us: [1000, 500, 3000], known: { options, alternative: null } });
    const { code, out } = await execute("bench f.tc", source, tools);
    expect(code).toBe(0);
    expect(out).toContain("tuned    500 us +- 20 us, the median of 11  2x\n");
    const json = records((await execute("bench f.tc --json", source, tools)).out);
    expect(json.map(({ type, which, us }) => [type, which, us])).toEqual([
      ["timing", "default", 1000],
      ["timing", "tuned", 500],
      ["timing", "naive", 3000],
      ["summary", undefined, undefined],
    ]);
  });

  it("compares with times that were saved, and ends with 5 for a regression", async () => {
    const saved = await execute(
      "bench f.tc --save base.json",
      source,
      toolchain({ us: [1000, 3000] }),
    );
    const files = { ...source, "base.json": saved.files.get("base.json") ?? "" };
    const run = async (us: readonly number[], flags = ""): Promise<readonly [number, string]> => {
      const { code, err } = await execute(
        `bench f.tc --compare base.json${flags}`,
        files,
        toolchain({ us }),
      );
      return [code, err];
    };
    expect((await run([1000, 3000]))[0]).toBe(0);
    expect((await run([1500, 3000]))[0]).toBe(5);
    expect((await run([1500, 3000]))[1]).toContain(
      "default: 1 ms before, 50% slower: a regression",
    );
    expect((await run([1500, 3000], " --fail-over 60%"))[0]).toBe(0);
    expect((await run([900, 3000]))[1]).toContain("default: 1 ms before, 10% faster\n");
    // Within what both vary by.
    expect((await run([1100, 3000]))[0]).toBe(0);
  });

  it("refuses what it cannot compare", async () => {
    const other = { schema: 1, def: "mm", sizes: {}, adapter: "a fake device", times: {} };
    const files = { ...source, "base.json": JSON.stringify(other), "none.json": "{}" };
    const [wrong, none] = await Promise.all(
      ["base", "none"].map((name) => execute(`bench f.tc --compare ${name}.json`, files)),
    );
    expect([wrong?.code, none?.code]).toEqual([2, 2]);
    expect(wrong?.err).toContain("base.json has times of mm");
    expect(none?.err).toContain("none.json holds no times");
  });
});

describe("db", () => {
  const tools = toolchain({ records: held });

  it("lists what was tuned", async () => {
    const { code, out, err } = await execute("db ls", {}, tools);
    expect([code, err]).toEqual([0, "2 entries in a.jsonl\n"]);
    expect(out).toBe(
      "def:abcdef  4x8  20 us (2.5x)  24 tried  google swiftshader\n" +
        "key:0123  4x8  nothing ran  24 tried  google swiftshader\n",
    );
    const json = records((await execute("db ls --json", {}, tools)).out);
    expect(json[0]).toMatchObject({ type: "entry", key: "def:abcdef", us: 20, options });
  });

  it("shows the options of an entry, by the beginning of its key", async () => {
    const { out } = await execute("db show abc", {}, tools);
    expect(out).toContain(JSON.stringify(options, null, 2));
    expect(out).not.toContain("key:0123");
    const none = await execute("db show zzz", {}, tools);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining("begins with zzz")]);
  });

  it("merges, exports, imports and prunes", async () => {
    const files = { "b.jsonl": "{}\n{}\n", "c.jsonl": "[]\n" };
    const all = await execute("db merge b.jsonl c.jsonl", files, tools);
    expect(all.err).toBe("took 1 new record into a.jsonl\n");
    expect(merged[0]?.filter((line) => line !== "")).toEqual(["{}", "{}", "[]"]);
    expect((await execute("db import b.jsonl", files, tools)).code).toBe(0);
    const out = await execute("db export d.jsonl", {}, tools);
    expect([out.files.get("d.jsonl"), out.err]).toEqual([
      "{}\n{}\n",
      "wrote 2 records to d.jsonl\n",
    ]);
    expect((await execute("db prune", {}, tools)).err).toBe("dropped 3 lines of a.jsonl\n");
  });

  it("warns of a file that is not all records", async () => {
    const torn = toolchain({ records: { ...held, fault: "a.jsonl, line 3: passed over, torn" } });
    const { code, err } = await execute("db ls", {}, torn);
    expect([code, err]).toEqual([0, expect.stringContaining("warning: a.jsonl, line 3")]);
  });

  it("says how it is used", async () => {
    for (const args of [
      "db",
      "db list",
      "db merge",
      "db ls x",
      "db show a b",
      "db merge no.jsonl",
    ]) {
      const { code } = await execute(args, {}, tools);
      expect([args, code]).toEqual([args, 2]);
    }
    expect((await execute("db ls --db /x", {}, toolchain())).err).toContain("/x cannot be read");
  });
});
