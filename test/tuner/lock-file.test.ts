/** Tuned options that are committed: what is written is read, what does not fit is named. */
import { describe, expect, it } from "vitest";
import { lockEntryOf, lockedEntry } from "../../src/api/tuning/locked.ts";
import { compile } from "../../src/compile.ts";
import { gpuProfile, llvmpipeProfile } from "../../src/support/device-profile.ts";
import type { TuneResult } from "../../src/tuner/events.ts";
import {
  emptyLockFile,
  type LockEntry,
  type LockFile,
  printLockFile,
  readLockFile,
  withEntries,
} from "../../src/tuner/lock-file.ts";
import { figures } from "./support/records.ts";

const source = `def mm(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }
def twice(float(N) x) -> (y) { y(i) = 2 * x(i) }`;
const sizes = { M: 64, K: 48, N: 80 };
const counts = { ok: 1, vetoed: 0, invalid: 0, wrong: 0, timeout: 0, "out-of-memory": 0, lost: 0 };

function resultOf(def: string, own: Readonly<Record<string, number>>): TuneResult {
  const compiled = compile(source, { def, sizes: own, profile: gpuProfile, options: "naive" });
  if (!compiled.ok) throw new Error("it does not compile");
  return {
    def,
    sizes: own,
    options: compiled.options,
    alternative: null,
    source: { kind: "tuned" },
    default: { ...figures(20), samples: [] },
    ratio: 0.5,
    tuned: { ...figures(10), samples: [] },
    complete: true,
    swept: false,
    why: "budget",
    counts,
    elapsedMs: 1,
  };
}

function entryOf(def: string, own: Readonly<Record<string, number>>, profile = gpuProfile) {
  return lockEntryOf(resultOf(def, own), source, { profile, generator: "1" });
}

const all: readonly LockEntry[] = [
  entryOf("twice", { N: 100 }),
  entryOf("mm", sizes),
  entryOf("mm", { M: 8, K: 8, N: 8 }),
  entryOf("mm", sizes, llvmpipeProfile),
];
const lock = withEntries(emptyLockFile, all);
const asked = { def: "mm", sizes, profile: gpuProfile, generator: "1" };

function read(text: string): LockFile {
  const found = readLockFile(text);
  if ("fault" in found) throw new Error(found.fault);
  return found;
}

describe("a lock file", () => {
  it("is read as it was written, and is the same in whatever order it was made", () => {
    const text = printLockFile(lock);
    expect(read(text)).toEqual(lock);
    expect(printLockFile(read(text))).toBe(text);
    expect(printLockFile(withEntries(emptyLockFile, [...all].reverse()))).toBe(text);
    expect(read(printLockFile(emptyLockFile))).toEqual(emptyLockFile);
  });

  it("has one entry for each definition, set of sizes and profile: the last one", () => {
    const [first] = all;
    const again = { ...entryOf("mm", sizes), us: 5 };
    const replaced = withEntries(lock, [again]);
    expect(replaced.entries).toHaveLength(lock.entries.length);
    expect(replaced.entries).toContainEqual(again);
    expect(replaced.entries).toContainEqual(first);
  });

  it("gives options that compile to what was found, also after tensors were renamed", () => {
    for (const text of [source, source.replaceAll("C(", "Z(").replace("(C)", "(Z)")]) {
      const entry = lockedEntry(lock, text, asked);
      if ("missing" in entry) throw new Error(entry.missing);
      const request = { def: "mm", sizes, profile: gpuProfile };
      const compiled = compile(text, { ...request, options: entry.options });
      const naive = compile(text, { ...request, options: "naive" });
      if (!compiled.ok || !naive.ok) throw new Error("it does not compile");
      expect(compiled.unusedChoices).toEqual([]);
      expect(compiled.plan.kernels[0]?.wgsl).toBe(naive.plan.kernels[0]?.wgsl);
    }
  });

  it.each([
    [
      "other sizes",
      source,
      { ...asked, sizes: { ...sizes, M: 65 } },
      "no entry for mm at K=48 M=65",
    ],
    [
      "another device",
      source,
      { ...asked, profile: { ...gpuProfile, name: "apple" } },
      "for apple; there is one with --profile gpu, --profile llvmpipe",
    ],
    ["another definition", source, { ...asked, def: "twice", sizes: { N: 7 } }, "twice at N=7"],
    ["another generator", source, { ...asked, generator: "2" }, "of generator 1, this is 2"],
    ["another text", source.replace("A(m, k) *", "A(m, k) +"), asked, "of another text of mm"],
    ["a source with errors", "def mm(", asked, "the source has errors"],
  ])("has no entry for %s, and says so", (_, text, request, why) => {
    const found = lockedEntry(lock, text, request);
    expect("missing" in found && found.missing).toContain(why);
  });

  it.each([
    ["no JSON", "{", "it is no JSON object"],
    ["a list", "[]", "it is no JSON object"],
    ["a later version", '{"schema":2,"entries":[]}', "`schema` is 2; this version reads 1"],
    ["no entries", '{"schema":1}', "`entries` is undefined"],
    ["an entry that is none", '{"schema":1,"entries":[7]}', "entry 0: it is 7, no object"],
    ["a conflict", printLockFile(lock).replace("  ]\n", "<<<<<<< HEAD\n"), "it is no JSON object"],
    [
      "a size that is none",
      printLockFile(lock).replace('"K":8', '"K":"8"'),
      "entry 2: `sizes` are",
    ],
    [
      "options that are none",
      printLockFile(lock).replace('"version":2', '"version":9'),
      "`options`: ",
    ],
  ])("that is %s is told", (_, text, why) => {
    const found = readLockFile(text);
    expect("fault" in found && found.fault).toContain(why);
  });
});
