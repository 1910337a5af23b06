import { describe, expect, test } from "vitest";
import { readNpy, writeNpy } from "../../src/cli/npy.ts";
import { readOptions } from "../../src/cli/read-files.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";
import { execute, records, toolchain, world } from "./fakes.ts";

const source = "def scale\n#! input A=arange\n#! input s=2";

describe("build", () => {
  test("WGSL goes to stdout, nothing to stderr", async () => {
    const { code, out, err } = await execute("a.tc --profile baseline", { "a.tc": source });
    expect([code, out, err]).toEqual([0, "// baseline\nfn main() {}\n", ""]);
  });

  test("files go where -o says", async () => {
    const { code, out, files } = await execute("a.tc -o dir --emit wgsl,json,ast", {
      "a.tc": source,
    });
    expect([code, out]).toEqual([0, ""]);
    expect([...files.keys()]).toEqual([
      "a.tc",
      "dir/scale.wgsl",
      "dir/scale.json",
      "dir/scale.ast.txt",
    ]);
    expect(files.get("dir/scale.ast.txt")).toBe("the ast\n");
    expect(JSON.parse(String(files.get("dir/scale.json")))).toMatchObject({ name: "scale" });
    const one = await execute("a.tc -o dir/x.wgsl", { "a.tc": source });
    expect(one.files.get("dir/x.wgsl")).toContain("fn main");
    const many = await execute("a.tc -o x.wgsl --emit wgsl,json", { "a.tc": source });
    expect([many.code, many.err]).toEqual([
      2,
      "error: 2 files do not fit into x.wgsl\n" +
        "  next: give -o a folder, or --emit js or json for all in one file\n",
    ]);
  });

  test("errors in the source are exit code 1, with the stages before them", async () => {
    const { code, out, err } = await execute("a.tc --emit ast,wgsl", {
      "a.tc": `${source}\nerror: bad`,
    });
    expect([code, out]).toEqual([1, "the ast\n"]);
    expect(err).toBe("a.tc:1:1: error: bad\n1 error in a.tc\n");
  });

  test("profiles by name and from a file that is checked", async () => {
    const named = await execute("a.tc --profile swiftshader", { "a.tc": source });
    expect(named.out).toContain("// swiftshader");
    const misspelt = await execute("a.tc --profile swiftshade", { "a.tc": source });
    expect([misspelt.code, misspelt.err]).toEqual([
      2,
      "error: there is no profile swiftshade\n  next: did you mean swiftshader?\n",
    ]);
    const files = {
      "a.tc": source,
      "good.json": JSON.stringify({ ...baselineProfile, name: "mine" }),
      "bad.json": JSON.stringify({ ...baselineProfile, limits: {} }),
    };
    expect((await execute("a.tc --profile good.json", files)).out).toContain("// mine");
    const bad = await execute("a.tc --profile bad.json", files);
    expect(bad.err).toContain("limits.maxInvocationsPerWorkgroup must be a number");
  });

  test("options are a policy's name, or what a file says", async () => {
    const file = { version: 2, policy: "together", kernels: { C: { team: 4 } } };
    const { io } = world({ "a.tc": source, "o.json": JSON.stringify(file) });
    const of = (options: string): Promise<unknown> =>
      readOptions(io, { options, command: "build" });
    for (const name of ["default", "naive", "apart", "together", "plain"]) {
      expect(await of(name)).toEqual({ ok: true, value: name });
    }
    expect(await of("o.json")).toEqual({ ok: true, value: file });
    const misspelt = await execute("a.tc --options apartt", { "a.tc": source });
    expect(misspelt.code).toBe(2);
    expect(misspelt.err).toContain("did you mean apart?");
  });

  test("options are a word or a file with choices", async () => {
    const files = { "a.tc": source, "o.json": '{"version":2,"kernels":{"width":4}}' };
    expect((await execute("a.tc --options naive", files)).code).toBe(0);
    expect((await execute("a.tc --options o.json", files)).code).toBe(0);
    const faults: readonly (readonly [string, string])[] = [
      ["[]", "it is an array, no object"],
      ["{}", "there is no `version`"],
      ['{"version":3}', "`version` is 3; this version reads 2"],
      ['{"version":1,"choices":{}}', "it is of version 1"],
      ['{"version":2,"kernels":7}', "`kernels` is 7, no object"],
      ['{"version":2,"policy":"some"}', "`policy` is one of default, naive"],
      ['{"version":2,"kernels":{"a":null}}', "`kernels/a` is null"],
      ['{"version":2,"choices":{}}', "there is no `choices` in one"],
    ];
    for (const [text, message] of faults) {
      const { err } = await execute("a.tc --options b.json", { ...files, "b.json": text });
      expect(err).toContain(`b.json holds no options: ${message}`);
    }
    expect((await execute("a.tc --options fast", files)).err).toContain("write default, naive");
  });
});

describe("the definition", () => {
  test("is the one that no other calls", async () => {
    const { out } = await execute("a.tc --emit json", { "a.tc": "def cell\ndef net calls cell" });
    expect(JSON.parse(out)).toMatchObject({ name: "net" });
  });

  test("must be chosen when there are several", async () => {
    const files = { "a.tc": "def one\ndef two" };
    const open = await execute("a.tc", files);
    expect([open.code, open.err]).toEqual([
      2,
      "error: several definitions: one, two\n  next: choose one with --def one\n",
    ]);
    expect((await execute("a.tc --def twi", files)).err).toContain("did you mean --def two?");
    expect((await execute("a.tc --def two", files)).code).toBe(0);
  });
});

describe("check", () => {
  test("reports all files and counts", async () => {
    const files = { "a.tc": "warning: odd", "b.tc": "error: bad\nwarning: odd" };
    const { code, err } = await execute("check a.tc b.tc", files);
    expect(code).toBe(1);
    expect(err).toContain("b.tc:1:1: error: bad\n");
    expect(err).toContain("1 error, 2 warnings in 2 files\n");
    expect((await execute("check a.tc", files)).code).toBe(0);
    expect((await execute("check -", files)).err).toBe("no errors in -\n");
  });

  test("knows GitHub's workflow commands", async () => {
    const { err } = await execute("check a.tc --format github -q", { "a.tc": "error: 100% bad" });
    expect(err).toBe("::error ::100% bad\n");
    const failed = await execute("check no.tc --format github -q");
    expect(failed.err).toBe(
      "::error title=usage::cannot read no.tc: there is no such file%0Anext: check the path\n",
    );
  });

  test("missing files and missing arguments are usage errors", async () => {
    expect(await execute("check no.tc")).toMatchObject({
      code: 2,
      err: "error: cannot read no.tc: there is no such file\n  next: check the path\n",
    });
    expect((await execute("check")).code).toBe(2);
    expect((await execute("run")).err).toContain("write tc-compile run FILE.tc");
    expect((await execute("run a.tc b.tc")).err).toContain("run takes one file, not 2");
  });
});

describe("run", () => {
  test("shows name, type, shape and elements, and says where it ran", async () => {
    const { code, out, err } = await execute("run a.tc --size N=3", { "a.tc": source });
    expect([code, out]).toEqual([0, "C  float32  (3,)\n[0. 2. 4.]\n"]);
    expect(err).toBe("ran scale N=3 on a fake device\n");
  });

  test("flags win over what the file says", async () => {
    const { out } = await execute("run a.tc --in s=0.5,A=full(3)", { "a.tc": source });
    expect(out).toContain("[1.5 1.5 1.5 1.5]");
  });

  test("arrays come from files, sizes from arrays, outputs go to files", async () => {
    const files = { "a.tc": source, "a.npy": writeNpy("int32", [2], Int32Array.of(3, 4)) };
    const { code, err, files: after } = await execute("run a.tc --in A=a.npy --out C=c.npy", files);
    expect([code, err]).toEqual([
      0,
      "note: a.npy: int32 converted to float32, exactly\n" +
        "ran scale N=2 on a fake device\nwrote c.npy\n",
    ]);
    const array = readNpy(after.get("c.npy") as Uint8Array, "c.npy");
    expect(array).toMatchObject({ ok: true, value: { values: Float32Array.of(6, 8) } });
  });

  test("inputs that are missing, unknown or of another shape are named", async () => {
    const files = { "a.tc": "def scale", "a.npy": writeNpy("float32", [2], new Float32Array(2)) };
    const missing = await execute("run a.tc --in s=1", files);
    expect([missing.code, missing.err]).toEqual([
      2,
      "error: nothing is given for A of type float32 and shape (4,)\n" +
        "  next: write --in A=a.npy or --in 'A=randn(1)'\n",
    ]);
    const unknown = await execute("run a.tc --in a=ones,s=1", files);
    expect(unknown.err).toContain("scale has no input a\n  next: did you mean A?");
    const shape = await execute("run a.tc --in A=a.npy,s=1 --size N=3", files);
    expect(shape.err).toContain("A has shape (3,), a.npy has (2,)");
    const output = await execute("run a.tc --in A=ones,s=1 --out D=d.npy", files);
    expect(output.err).toContain("scale has no output D\n  next: its outputs are C");
  });

  test("runs on the reference without a device", async () => {
    const { err } = await execute("run a.tc --adapter reference", { "a.tc": source });
    expect(err).toBe("ran scale N=4 on the float64 reference\n");
  });

  test("no adapter is exit code 3, and says what works without", async () => {
    const { code, err } = await execute("run a.tc --adapter none", { "a.tc": source });
    expect(code).toBe(3);
    expect(err).toContain("next: try --adapter auto, or --adapter reference");
  });

  test("--verify compares, and a wrong result is exit code 4", async () => {
    const good = await execute("run a.tc --verify", { "a.tc": source });
    expect([good.code, good.err]).toEqual([
      0,
      "ran scale N=4 on a fake device\n" +
        "verified all 4 elements: within 4e-6 of values around 3.7; measured 1e-6\n",
    ]);
    const bad = await execute("run a.tc --verify", { "a.tc": source }, toolchain({ wrong: 1 }));
    expect(bad.code).toBe(4);
    expect(bad.err).toContain("wrong result: C[0] is 1, the reference 0");
  });

  test("says which judge decided, and what is not finite", async () => {
    const all = await execute("run a.tc --verify", { "a.tc": source }, toolchain({ sampled: 4 }));
    expect(all.err).toContain(
      "measured 1e-6; all judged by random rounding; not finite: 4, 2 of them the same in both\n",
    );
    const one = await execute("run a.tc --verify", { "a.tc": source }, toolchain({ sampled: 1 }));
    expect(one.err).toContain("; 1 judged by random rounding; not finite: 1, the same in both\n");
  });

  test("--rtol and --atol stand for the judges, and are numbers for --verify", async () => {
    const files = { "a.tc": source };
    const tools = toolchain({ wrong: 0.5 });
    expect((await execute("run a.tc --verify --atol 0.6", files, tools)).code).toBe(0);
    expect((await execute("run a.tc --verify --atol 0.4", files, tools)).code).toBe(4);
    const bad = await execute("run a.tc --verify --rtol=-1", files);
    expect([bad.code, bad.err]).toEqual([
      2,
      "error: --rtol -1: no number from 0 on\n  next: write --rtol 1e-5\n",
    ]);
    const alone = await execute("run a.tc --rtol 0.1", files);
    expect([alone.code, alone.err]).toEqual([
      2,
      "error: --rtol is for --verify\n  next: write --verify --rtol 0.1\n",
    ]);
  });

  test("the reference is not compared with itself", async () => {
    const { code, out, err } = await execute("run a.tc --adapter reference --verify", {
      "a.tc": source,
    });
    expect([code, out]).toEqual([2, ""]);
    expect(err).toBe(
      "error: --verify would compare the reference with itself: --adapter reference runs it, too\n" +
        "  next: leave out --verify, or --adapter reference\n",
    );
  });

  test("elements that rounding decides do not count as verified", async () => {
    const files = { "a.tc": source };
    const some = await execute("run a.tc --verify", files, toolchain({ close: 1 }));
    expect(some.code).toBe(0);
    expect(some.err).toContain(
      "verified 3 of 4 elements (75 %); rounding may decide 1 either way: within",
    );
    const all = await execute("run a.tc --verify", files, toolchain({ close: 4 }));
    expect([all.code, all.err]).toEqual([
      6,
      expect.stringContaining(
        "error: not decided: rounding may decide all 4 elements of C either way; compared 0 of 4 elements",
      ),
    ]);
  });

  test("a spent budget is said", async () => {
    const some = await execute("run a.tc --verify --verify-budget 3ms", { "a.tc": source });
    expect(some.err).toContain(
      "verified a sample of 3 of 4 elements (75 %), for which the budget sufficed: within",
    );
    const none = await execute("run a.tc --verify --verify-budget 0s", { "a.tc": source });
    expect([none.code, none.err]).toEqual([
      6,
      expect.stringContaining(
        "nothing of C was compared\n  next: give more time with --verify-budget",
      ),
    ]);
  });
});

describe("sources that are none", () => {
  test("a binary file is refused before it reaches the terminal", async () => {
    const { code, err } = await execute("check a.tc", { "a.tc": Uint8Array.of(127, 69, 0, 27) });
    expect([code, err]).toEqual([
      2,
      "error: a.tc is not a text\n  next: give a file with definitions, saved as UTF-8\n",
    ]);
  });

  test("a misspelt command is not taken for a file", async () => {
    const { code, err } = await execute("runn a.tc", { "a.tc": source });
    expect([code, err]).toEqual([
      2,
      "error: there is no command runn\n  next: did you mean run?\n",
    ]);
    const two = await execute("a.tc b.tc", { "a.tc": source });
    expect(two.err).toContain("build takes one file, not 2");
  });

  test("what is wrong with JSON is told in one line", async () => {
    const files = { "a.tc": source, "o.json": "not\njson\n" };
    const { code, err } = await execute("a.tc --options o.json", files);
    expect(code).toBe(2);
    expect(err).toMatch(/^error: o\.json is not JSON: .*\n {2}next: correct the file\n$/);
  });
});

describe("--json", () => {
  test("stdout is lines of JSON that end with a summary, stderr is empty", async () => {
    const { out, err } = await execute("run a.tc --verify --json", {
      "a.tc": `${source}\nwarning: odd`,
    });
    expect(err).toBe("");
    const lines = records(out);
    expect(lines.map((line) => [line["schema"], line["type"]])).toEqual([
      [1, "diagnostic"],
      [1, "output"],
      [1, "verification"],
      [1, "summary"],
    ]);
    expect(lines[1]).toMatchObject({
      name: "C",
      dtype: "float32",
      shape: [4],
      values: [0, 2, 4, 6],
    });
    expect(lines[3]).toEqual({ schema: 1, type: "summary", errors: 0, warnings: 1, exit: 0 });
  });

  test("usage errors are records, too", async () => {
    const { code, out, err } = await execute("run a.tc --jsno --json");
    expect([code, err]).toEqual([2, ""]);
    expect(records(out)).toEqual([
      {
        schema: 1,
        type: "diagnostic",
        severity: "error",
        code: "usage",
        message: "unknown flag --jsno",
        hint: "did you mean --json?",
      },
      { schema: 1, type: "summary", errors: 1, warnings: 0, exit: 2 },
    ]);
  });

  test("numbers that JSON lacks are strings", async () => {
    const files = {
      "a.tc": source,
      "a.npy": writeNpy("float32", [2], Float32Array.of(NaN, -Infinity)),
    };
    const { out } = await execute("run a.tc --in A=a.npy --json", files);
    expect(records(out)[0]?.["values"]).toEqual(["NaN", "-Infinity"]);
  });
});

describe("everything else", () => {
  test("help and version", async () => {
    expect(await execute("--version")).toMatchObject({ code: 0, out: "1.2.3\n" });
    expect(await execute("--help")).toMatchObject({ code: 0, err: "" });
    expect((await execute("run --help")).out).toContain("--verify-budget 10s");
    expect((await execute("")).code).toBe(2);
  });

  test("info shows versions, adapter and profile", async () => {
    expect((await execute("info")).out).toContain("adapter  a fake device\n");
    expect(records((await execute("info --json")).out)[0]).toMatchObject({
      type: "info",
      version: "1.2.3",
      profile: { name: "fake" },
    });
    expect((await execute("info --adapter none")).code).toBe(3);
  });

  test("what a command throws is an internal error", async () => {
    const tools = {
      ...toolchain(),
      compile: () => {
        throw new Error("a broken invariant");
      },
    };
    const { code, err } = await execute("a.tc", { "a.tc": source }, tools);
    expect(code).toBe(70);
    expect(err).toContain("a broken invariant");
    expect(err).toContain("next: report it as a bug");
  });
});
