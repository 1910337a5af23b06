/** What lines mean: whatever they are, nothing throws; merging is a union; pruning keeps what is worth it. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  contentId,
  databaseOf,
  faultsText,
  type Known,
  linesOf,
  pruned,
  sizesId,
  withRecords,
} from "../../src/tuner/database.ts";
import { printRecord } from "../../src/tuner/record.ts";
import type { TuningRecord } from "../../src/tuner/store.ts";
import { type Given, lines, record } from "./support/records.ts";

function bestOf(text: readonly string[], like: TuningRecord = record()): Known | null {
  const known = databaseOf(text).contents.get(contentId(like.key));
  return known?.get(sizesId(like.key.sizes))?.best ?? null;
}

function faultsOf(text: readonly string[]): readonly string[] {
  return databaseOf(text).faults.map(({ line, kind }) => `${line} ${kind}`);
}

describe("the best of a size", () => {
  it("is the fastest where no duel was held", () => {
    const found = bestOf(
      lines({ text: "a", us: 90 }, { text: "b", us: 80 }, { text: "c", us: 85 }),
    );
    expect(found?.record.text).toBe("b");
  });

  it("is the winner of a duel, though another one had a lucky sample", () => {
    const found = bestOf(lines({ text: "a", us: 90, won: true }, { text: "b", us: 80 }));
    expect(found?.record.text).toBe("a");
  });

  it("is the winner of the greater effort, then the later one", () => {
    const all = lines(
      { text: "a", won: true, effort: "full", at: 1 },
      { text: "b", won: true, effort: "quick", at: 9 },
      { text: "c", won: true, effort: "full", at: 2 },
    );
    expect(bestOf(all)?.record.text).toBe("c");
  });

  it("is none that was refused later, or that nobody came back from", () => {
    const wrong = { kind: "wrong", gate: "sizes", why: "x" } as const;
    const all = lines(
      { text: "a", us: 50, won: true, at: 1 },
      { text: "a", outcome: wrong, at: 2 },
      { text: "b", outcome: { kind: "trying" } },
      { text: "c", us: 99 },
    );
    expect(bestOf(all)?.record.text).toBe("c");
  });

  it("is none of another device, driver, generator, alignment or type", () => {
    const others: readonly Given[] = [
      { device: { driver: "25.1" } },
      { device: { profile: "p1" } },
      { generator: "2" },
      { alignment: 4 },
      { kernel: "def:1" },
    ];
    for (const other of others) expect(bestOf(lines(other))).toBeNull();
  });
});

describe("a candidate", () => {
  const stateOf = (...given: readonly Given[]): string | undefined => {
    const known = databaseOf(lines(...given)).contents.get(contentId(record().key));
    return known?.get("64 64 64")?.candidates.get("a")?.state;
  };

  it("that was tried, and of which nothing came back, crashed", () => {
    expect(stateOf({ outcome: { kind: "trying" } })).toBe("crashed");
  });

  it("whose outcome came in the same second did not", () => {
    expect(stateOf({ outcome: { kind: "trying" } }, {})).toBe("ok");
    expect(stateOf({}, { outcome: { kind: "trying" } })).toBe("ok");
  });

  it("that ran once, and was then tried again until the process was ended, still runs", () => {
    expect(stateOf({ at: 1 }, { outcome: { kind: "trying" }, at: 2 })).toBe("ok");
  });

  it("that was given up is one that nothing is known of", () => {
    const trying: Given = { outcome: { kind: "trying" }, at: 1 };
    expect(stateOf(trying, { outcome: { kind: "unfinished" }, at: 1 })).toBe("unfinished");
    expect(stateOf(trying, { outcome: { kind: "unfinished" }, at: 2 }, { ...trying, at: 3 })).toBe(
      "crashed",
    );
  });
});

describe("a line", () => {
  const [whole = ""] = lines({});

  it.each([
    ["without its end", whole.slice(0, -10), "torn"],
    ["of a later version", whole.replace('"schema":1', '"schema":2'), "newer"],
    ["of something else", '{"name":"tc-wgsl"}', "foreign"],
    ["of bytes", "\u0000\u0001\u00ff", "foreign"],
    ["with a time that is none", whole.replace('"us":100', '"us":"fast"'), "corrupt"],
    ["with a time below 0", whole.replace('"us":100', '"us":-1'), "corrupt"],
    ["with a seal that is none", whole.replace('"text":', '"seal":5,"text":'), "corrupt"],
    ["without a device", whole.replace('"device"', '"advice"'), "corrupt"],
    ["with choices that are none", whole.replace('"unroll":"a"', '"unroll":null'), "corrupt"],
    ["with an outcome that is none", whole.replace('"kind":"ok"', '"kind":"fine"'), "corrupt"],
  ])("%s is told, and those around it count", (_, line, kind) => {
    const around = lines({ text: "b", us: 10 }, { text: "c", us: 20 });
    const all = [around[0] ?? "", line, around[1] ?? ""];
    expect(faultsOf(all)).toEqual([`2 ${kind}`]);
    expect(bestOf(all)?.record.text).toBe("b");
    expect(faultsText("db.jsonl", databaseOf(all))).toMatch(/^db\.jsonl, line 2: passed over, /);
  });

  it("of any text never throws, and a record cut anywhere is torn, not misread", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.json())), (text) => {
        const { records, faults } = databaseOf(text);
        return records.length === 0 && faults.length === text.filter((t) => t.trim() !== "").length;
      }),
      { seed: 7 },
    );
    for (let end = 1; end < whole.length; end++) {
      expect(faultsOf([whole.slice(0, end)])).toEqual(["1 torn"]);
    }
  });

  it("of a later version is kept by those that rewrite", () => {
    const newer = whole.replace('"schema":1', '"schema":2');
    const database = databaseOf([newer, whole, "{"]);
    expect(linesOf(database)).toEqual([whole, newer]);
  });
});

describe("a file of something else", () => {
  it("is foreign; an empty one, or one of a later version, is not", () => {
    const foreign = databaseOf(["{", '"name": "tc-wgsl"', "}"]);
    expect(foreign.isForeign).toBe(true);
    expect(faultsText("package.json", foreign)).toMatch(/nothing is written to it/);
    expect(databaseOf([]).isForeign).toBe(false);
    expect(databaseOf(['{"schema":2}']).isForeign).toBe(false);
    expect(databaseOf([...lines({}), "{"]).isForeign).toBe(false);
  });
});

const some: fc.Arbitrary<Given> = fc.record({
  text: fc.constantFrom("a", "b", "c"),
  us: fc.integer({ min: 1, max: 4 }),
  won: fc.boolean(),
  at: fc.integer({ min: 1, max: 3 }),
  generator: fc.constantFrom("1", "2"),
  effort: fc.constantFrom("quick", "normal"),
  sizes: fc.constantFrom([8], [16]),
  outcome: fc.constantFrom<Given["outcome"]>(undefined, { kind: "trying" }, { kind: "unfinished" }),
});

/** Equal for databases that give the same answers. */
function answersOf(all: readonly string[]): readonly string[] {
  const { contents } = databaseOf(all);
  const found = [...contents.entries()].flatMap(([content, sizes]) =>
    [...sizes.entries()].flatMap(([size, { best, candidates }]) => [
      `${content} ${size} ${best?.record.text}`,
      ...[...candidates].map(([text, k]) => `${content} ${size} ${text} ${k.state}`),
    ]),
  );
  return found.sort();
}

describe("merging", () => {
  it("is a union: order and repetition make no difference", () => {
    fc.assert(
      fc.property(fc.array(some), fc.array(some), (a, b) => {
        const [x, y] = [lines(...a), lines(...b)];
        expect(answersOf([...y, ...x, ...y])).toEqual(answersOf([...x, ...y]));
        const parts = withRecords(databaseOf(x), databaseOf(y).records);
        expect(linesOf(parts)).toEqual(linesOf(databaseOf([...x, ...y])));
      }),
      { seed: 11 },
    );
  });
});

describe("pruning", () => {
  it("keeps every answer, every crash, and nothing twice as good", () => {
    fc.assert(
      fc.property(fc.array(some, { maxLength: 40 }), (given) => {
        const all = databaseOf(lines(...given));
        const kept = pruned(all, "1").map(printRecord);
        const now = (text: readonly string[]): readonly string[] =>
          answersOf(text.filter((line) => line.includes('"generator":"1"')));
        const crashes = now(linesOf(all)).filter((a) => /crashed|\d [abc]$/.test(a));
        expect(now(kept)).toEqual(expect.arrayContaining(crashes));
        expect(pruned(databaseOf(kept), "1").map(printRecord)).toEqual(kept);
      }),
      { seed: 13 },
    );
  });

  it("drops losers, and what another generator found where this one has an answer", () => {
    const all = lines(
      ...[5, 6, 7, 8, 9].map((us): Given => ({ text: `t${us}`, us })),
      { text: "w", us: 20, won: true },
      { text: "old", generator: "0", us: 1 },
      { text: "seed", generator: "0", us: 2, sizes: [8, 8, 8] },
      { text: "slow", generator: "0", us: 3, sizes: [8, 8, 8] },
    );
    const kept = pruned(databaseOf(all), "1").map((r) => r.text);
    expect(kept).toEqual(["t5", "t6", "t7", "w", "seed"]);
  });
});
