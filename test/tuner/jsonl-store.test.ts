/** Files of lines: what is appended stays, whoever else writes, and whatever becomes of the process. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { jsonlStore } from "../../src/runtime/node/jsonl-store.ts";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "jsonl-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe("a file of lines", () => {
  it("holds nothing before it is made, then what was appended, in order", async () => {
    const store = jsonlStore(join(folder, "in", "a folder", "db.jsonl"));
    expect(await store.read()).toEqual([]);
    await store.append(["a", "b"]);
    await store.append([]);
    await store.append(["c"]);
    expect(await store.read()).toEqual(["a", "b", "c"]);
    expect(readFileSync(store.name, "utf8")).toBe("a\nb\nc\n");
  });

  it("gives the same list again while nobody changes the file", async () => {
    const store = jsonlStore(join(folder, "db.jsonl"));
    await store.append(["a"]);
    // What was changed just now may change again without another time.
    expect(await store.read()).not.toBe(await store.read());
    utimesSync(store.name, 1_000, 1_000);
    const first = await store.read();
    expect(await store.read()).toBe(first);
    writeFileSync(store.name, "b\n");
    utimesSync(store.name, 1_000, 1_000);
    expect(await store.read()).toEqual(["b"]);
    await store.append(["c"]);
    expect(await store.read()).toEqual(["b", "c"]);
  });

  it("keeps a line apart from one that lost its end", async () => {
    const store = jsonlStore(join(folder, "db.jsonl"));
    await store.append(["a"]);
    appendFileSync(store.name, "torn");
    await store.append(["b"]);
    expect(await store.read()).toEqual(["a", "torn", "b"]);
  });

  it("is rewritten whole, and leaves nothing beside it", async () => {
    const store = jsonlStore(join(folder, "db.jsonl"));
    await store.append(["a", "b", "c"]);
    expect(await store.rewrite((all) => all.filter((line) => line !== "b"))).toEqual(["a", "c"]);
    expect(await store.read()).toEqual(["a", "c"]);
    expect(readdirSync(folder)).toEqual(["db.jsonl"]);
  });

  it("stays as it is if what rewrites it throws", async () => {
    const store = jsonlStore(join(folder, "db.jsonl"));
    await store.append(["a"]);
    const failing = store.rewrite(() => {
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await store.read()).toEqual(["a"]);
    expect(readdirSync(folder)).toEqual(["db.jsonl"]);
  });

  it("loses nothing when several write, append and rewrite at once", async () => {
    const path = join(folder, "db.jsonl");
    const writers = ["a", "b", "c"].map(async (name) => {
      const store = jsonlStore(path);
      for (let n = 0; n < 20; n++) {
        await store.append([`${name}${n}`]);
        if (n % 5 === 0) await store.rewrite((all) => [...all].sort());
      }
    });
    await Promise.all(writers);
    expect(new Set(await jsonlStore(path).read()).size).toBe(60);
  });
});

describe("a lock", () => {
  it("of a process that is gone, or of half a minute ago, is taken over", async () => {
    const store = jsonlStore(join(folder, "db.jsonl"));
    const lock = `${store.name}.lock`;
    const child = spawn(process.execPath, ["-e", "0"]);
    const { pid } = child;
    await once(child, "exit");

    writeFileSync(lock, JSON.stringify({ pid, host: hostname(), nonce: "x" }));
    await store.append(["a"]);
    writeFileSync(lock, JSON.stringify({ pid: process.pid, host: hostname(), nonce: "x" }));
    const old = Date.now() / 1_000 - 60;
    utimesSync(lock, old, old);
    await store.append(["b"]);
    writeFileSync(lock, "");
    utimesSync(lock, old, old);
    await store.append(["c"]);
    expect(await store.read()).toEqual(["a", "b", "c"]);
    expect(readdirSync(folder)).toEqual(["db.jsonl"]);
  });

  it("of a process that lives is waited for", async () => {
    const store = jsonlStore(join(folder, "db.jsonl"));

    const lock = `${store.name}.lock`;
    writeFileSync(lock, JSON.stringify({ pid: process.pid, host: hostname(), nonce: "x" }));
    let isDone = false;
    const done = store.append(["a"]).then(() => {
      isDone = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isDone).toBe(false);
    rmSync(lock);
    await done;
    expect(await store.read()).toEqual(["a"]);
  });
});

describe("a file that cannot be written", () => {
  it.each([
    ["a full disk", "/dev/full", /db\.jsonl cannot be written: the disk is full/],
    ["a folder", "..", /db\.jsonl cannot be written: it is a folder; name a file in it/],
  ])("is told: %s", async (_, target, message) => {
    const path = join(folder, "db.jsonl");
    symlinkSync(target, path);
    await expect(jsonlStore(path).append(["a"])).rejects.toThrow(message);
    expect(readdirSync(folder)).toEqual(["db.jsonl"]);
  });

  it("is told: in a folder that is a file", async () => {
    writeFileSync(join(folder, "file"), "");
    const store = jsonlStore(join(folder, "file", "db.jsonl"));
    await expect(store.append(["a"])).rejects.toThrow(/db\.jsonl cannot be written: /);
    expect(await store.read()).toEqual([]);
  });

  it("is told when it cannot be read, either", async () => {
    await expect(jsonlStore(folder).read()).rejects.toThrow(/cannot be read: it is a folder/);
  });
});
