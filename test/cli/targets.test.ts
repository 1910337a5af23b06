/** Where commands write, and words that they do not take. */
import { describe, expect, it } from "vitest";
import { execute, records, toolchain } from "./fakes.ts";

const source = "def scale\n#! input A=ones\n#! input s=2";
const files = { "f.tc": source, "there/x": "", file: "" };

describe("run", () => {
  it.each([
    ["--out C=no/such/c.npy", "there is no folder no/such", "make it: mkdir -p no/such"],
    ["--dump C=no/c.npy", "there is no folder no", "make it: mkdir -p no"],
    ["--trace no/t.json", "there is no folder no", "make it: mkdir -p no"],
    ["--out C=file/c.npy", "file is a file, not a folder", "check the path"],
    ["--out C=there", "it is a folder", "give a file in it"],
  ])("with %s ends before it opens a device", async (flag, why, next) => {
    const tools = {
      ...toolchain(),
      openRuntime: async () => {
        throw new Error("the device was opened");
      },
    };
    const found = await execute(`run f.tc ${flag}`, files, tools);
    const path = flag.replace(/^.*[ =]/, "");
    expect([found.code, found.err]).toEqual([
      2,
      `error: cannot write ${path}: ${why}\n  next: ${next}\n`,
    ]);
  });

  it("writes into folders that are there", async () => {
    const found = await execute("run f.tc --out C=there/c.npy", files);
    expect([found.code, found.files.has("there/c.npy")]).toEqual([0, true]);
  });

  it("writes no tensor to standard output, nor to a file of the name -", async () => {
    const found = await execute("run f.tc --out C=-", files);
    expect(found.code).toBe(2);
    expect(found.err).toContain("cannot write to standard output");
    expect(found.files.has("-")).toBe(false);
  });
});

describe("build", () => {
  it("writes to standard output with -o -, as without it", async () => {
    const plain = await execute("f.tc", files);
    for (const flags of ["-o -", "--output -", "-o - --emit wgsl"]) {
      const found = await execute(`f.tc ${flags}`, files);
      expect([found.code, found.out]).toEqual([0, plain.out]);
      expect([...found.files.keys()]).toEqual(Object.keys(files));
    }
    const [first] = records((await execute("f.tc -o - --json", files)).out);
    expect(first).toMatchObject({ type: "output", stage: "wgsl" });
  });
});

describe("words that a command does not take", () => {
  it.each([
    ["info x y", "info takes no words, it was given x y"],
    ["completions bash zsh", "completions takes one shell, not 2"],
    ["run f.tc --in A=randn(1", "A=randn(1 is neither a number, a generator nor a .npy file"],
    ["run f.tc --size ,", "--size ,: NAME=VALUE is expected"],
  ])("%s is refused", async (args, message) => {
    const { code, out, err } = await execute(args, files);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(`error: ${message}\n`);
  });
});
