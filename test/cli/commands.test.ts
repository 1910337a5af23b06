/** What the commands do beside compiling: fixes, validation, formatting, explanations, options. */

import { describe, expect, test } from "vitest";
import type { CompileRequest } from "../../src/cli/api.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";
import { execute, records, toolchain } from "./fakes.ts";

const source = "def scale\n#! input A=arange\n#! input s=2";

describe("build", () => {
  test("makes what the name of the file tells, unless --emit says otherwise", async () => {
    const files = { "a.tc": source };
    const text = async (args: string, path: string): Promise<unknown> =>
      (await execute(args, files)).files.get(path);
    expect(await text("a.tc -o x.js", "x.js")).toBe("// js\n");
    expect(await text("a.tc -o x.mjs", "x.mjs")).toBe("// js\n");
    expect(await text("a.tc -o x.d.ts", "x.d.ts")).toBe("// dts\n");
    expect(await text("a.tc -o x.json", "x.json")).toContain('"name":"scale"');
    expect(await text("a.tc -o x.txt", "x.txt")).toContain("fn main");
    expect(await text("a.tc -o x.js --emit wgsl", "x.js")).toContain("fn main");
    expect(await text("a.tc -o out --emit js,dts", "out/scale.d.ts")).toBe("// dts\n");
    expect((await execute("a.tc -o x.txt/", files)).files.has("x.txt/scale.wgsl")).toBe(true);
  });

  test("says which profile it took where none is named, and what others there are", async () => {
    const files = { "a.tc": source };
    const { err } = await execute("a.tc", files);
    expect(err).toMatch(/^for baseline, any device; --profile gpu, nvidia, apple, .*swiftshader$/m);
    expect((await execute("a.tc --profile nvidia", files)).err).toBe("");
    expect((await execute("a.tc -q", files)).err).toBe("");
    expect((await execute("a.tc --json", files)).err).toBe("");
  });

  test("makes one module of plans for several profiles, and nothing else of them", async () => {
    const own = JSON.stringify({ ...baselineProfile, name: "mine" });
    const files = { "a.tc": source, "mine.json": own };
    const {
      code,
      files: after,
      err,
    } = await execute("a.tc --profile nvidia,mine.json -o x", files);
    expect([code, after.get("x/scale.js")]).toEqual([0, "// js nvidia mine\n"]);
    expect(err).toBe("scale  N=4  nvidia: 1 kernel  mine: 1 kernel  x/scale.js\n");
    expect((await execute("a.tc --profile nvidia,gpu", files)).out).toBe("// js nvidia gpu\n");
    const types = await execute("a.tc --profile nvidia,gpu -o x.d.ts", files);
    expect(types.files.get("x.d.ts")).toBe("// dts nvidia gpu\n");
    expect((await execute("a.tc --profile nvidia -o x.js", files)).files.get("x.js")).toBe(
      "// js\n",
    );
    const refused: readonly (readonly [string, string])[] = [
      ["a.tc --profile gpu,nvidai", "there is no profile nvidai"],
      ["a.tc --profile gpu,gpu", "--profile names gpu twice"],
      ["a.tc --profile gpu,mali --emit js,wgsl", "--emit wgsl is of one profile"],
      ["a.tc --profile gpu,mali -o a.wgsl", "--emit wgsl is of one profile"],
      ["a.tc --profile gpu,mali --options tuned", "--options tuned is for the device of this"],
      ["check a.tc --validate --profile gpu,mali", "check takes one profile"],
      ["run a.tc --profile gpu,mali", "run takes one profile"],
    ];
    for (const [line, message] of refused) {
      const found = await execute(line, files);
      expect([line, found.code, found.err]).toEqual([line, 2, expect.stringContaining(message)]);
    }
    const wrong = await execute("a.tc --profile gpu,mali -o x.js", {
      "a.tc": `${source} error: no`,
    });
    expect([wrong.code, wrong.files.has("x.js")]).toEqual([1, false]);
    expect(wrong.err.match(/error: no/g)).toHaveLength(1);
  });

  test("takes a profile with a size of subgroups that devices can be asked for", async () => {
    const files = (subgroups: unknown) => ({
      "a.tc": source,
      "a.json": JSON.stringify({ ...baselineProfile, subgroups }),
    });
    const line = "a.tc --profile a.json -q";
    for (const subgroups of [
      null,
      { min: 16, max: 16 },
      { min: 8, max: 32 },
      { min: 8, max: 32, width: 16 },
    ]) {
      expect([subgroups, (await execute(line, files(subgroups))).code]).toEqual([subgroups, 0]);
    }
    for (const width of [0, 4, 24, 64, "16"]) {
      const { code, err } = await execute(line, files({ min: 8, max: 32, width }));
      expect([width, code, err]).toEqual([
        width,
        2,
        expect.stringContaining(
          "a.json is no profile: subgroups.width must be a power of two from 8 to 32",
        ),
      ]);
    }
  });

  test("prints facts for the profile, and all of them as lines of JSON", async () => {
    const files = { "a.tc": source };
    expect((await execute("a.tc --emit facts --profile mali", files)).out).toBe("facts for mali\n");
    expect((await execute("a.tc --emit facts -o x", files)).files.get("x/scale.facts.txt")).toBe(
      "facts for baseline\n",
    );
    const { out } = await execute("a.tc --emit facts --json", files);
    expect(records(out)[0]).toMatchObject({ type: "facts", def: "scale", facts: { kernel: "k" } });
  });

  test("takes what is there for what it is", async () => {
    const files = { "a.tc": source, noending: "old", "v1.2/readme": "" };
    expect((await execute("a.tc -o noending", files)).files.get("noending")).toContain("fn main");
    const folder = await execute("a.tc -o v1.2", files);
    expect(folder.files.has("v1.2/scale.wgsl")).toBe(true);
  });

  test("replaces no source by code", async () => {
    const files = { "a.tc": source, "b.tc": source, text: source };
    for (const args of ["a.tc -o a.tc", "a.tc -o ./b.tc", "text -o ./text", "a.tc -o new.tc"]) {
      const { code, err, files: after } = await execute(args, files);
      expect([code, err]).toEqual([
        2,
        `error: -o ${args.split(" ").at(-1)} would replace a source\n` +
          "  next: give a folder, or a name such as mm.wgsl\n",
      ]);
      expect(Object.fromEntries(after)).toEqual(files);
    }
  });

  test("warns of options that are not legal here, and of paths that are not asked for", async () => {
    const choices = { width: 3, widht: 1 };
    const files = { "a.tc": source, "o.json": JSON.stringify({ version: 2, kernels: choices }) };
    const { code, err } = await execute("a.tc --profile baseline --options o.json", files);
    expect([code, err]).toEqual([
      0,
      "warning: option kernels/width: 3 is not legal here, used 2\n" +
        "  next: choose one of 1, 2, 4\n" +
        "warning: option kernels/widht: there is nothing to choose at this path here\n" +
        "  next: did you mean kernels/width?\n",
    ]);
    const text = JSON.stringify({ version: 2, kernels: choices });
    const given = await execute(`a.tc --profile baseline --options ${text}`, files);
    expect([given.code, given.err]).toEqual([code, err]);
    expect((await execute("a.tc --options {", files)).err).toContain("--options is not JSON");
    expect((await execute("a.tc --options {}", files)).err).toContain("--options holds no options");
    const lines = records((await execute("a.tc --options o.json --json", files)).out);
    expect(lines[0]).toMatchObject({ type: "diagnostic", severity: "warning", code: "options" });
    expect(lines.at(-1)).toMatchObject({ warnings: 2, errors: 0, exit: 0 });
  });

  test("shows decisions with -v", async () => {
    const files = { "a.tc": source, "o.json": '{"version":2,"kernels":{"width":4}}' };
    const own = await execute("a.tc -v --profile baseline --options o.json", files);
    expect(own.err).toBe("kernels/width  4  of 1 | 2 | 4\nscale  N=4  1 kernel\n");
    expect((await execute("a.tc -v --profile baseline", files)).err).toContain(
      "kernels/width  2  of 1 | 2 | 4\n",
    );
    const [first] = records((await execute("run a.tc -v --json", files)).out);
    expect(first).toEqual({
      schema: 1,
      type: "decision",
      path: "kernels/width",
      value: 2,
      values: [1, 2, 4],
    });
  });

  test("takes tuned options where some are known for the device of this machine", async () => {
    for (const command of ["build", "run"]) {
      const { code, err } = await execute(`${command} a.tc --options tuned`, { "a.tc": source });
      expect([code, err]).toEqual([
        2,
        "error: no tuned options are known for scale on a fake device\n" +
          "  next: find some with tc-compile tune a.tc, or write --options default\n",
      ]);
    }
    const broken = await execute(
      "run a.tc --options tuned",
      { "a.tc": source },
      toolchain({ notes: ["records.jsonl: 1 line is damaged"] }),
    );
    expect(broken.err).toContain("warning: records.jsonl: 1 line is damaged");
    const asked: unknown[] = [];
    const known = { version: 2, kernels: {} };
    const made = toolchain({ known: { options: known, alternative: null } });
    const tools = {
      ...made,
      compile: (text: string, request: CompileRequest) => {
        asked.push([request.options, request.profile?.name]);
        return made.compile(text, request);
      },
    };
    const { code } = await execute("build a.tc --options tuned", { "a.tc": source }, tools);
    expect([code, asked.at(-1)]).toEqual([0, [known, "fake"]]);
    const check = await execute("check a.tc --validate --options tuned", { "a.tc": source });
    expect([check.code, check.err]).toEqual([2, expect.stringContaining("check knows no device")]);
  });

  test("--locked takes the options of the file beside the source, and fails without", async () => {
    const files = { "a.tc": source };
    const build = async (lock: object): Promise<readonly [number, string]> => {
      const all = { ...files, "tc.lock.json": JSON.stringify(lock) };
      const { code, err } = await execute("build a.tc --locked --quiet", all);
      return [code, err];
    };
    expect(await build({ options: { version: 2 }, alternative: null })).toEqual([0, ""]);
    expect(await build({ missing: "there is no entry for scale" })).toEqual([
      2,
      "error: tc.lock.json: there is no entry for scale\n" +
        "  next: write it with tc-compile tune a.tc --lock, or build without --locked\n",
    ]);
    const none = await execute("build a.tc --locked", files);
    expect([none.code, none.err]).toEqual([
      2,
      "error: there is no tc.lock.json\n" +
        "  next: write it with tc-compile tune a.tc --lock, or build without --locked\n",
    ]);
    const both = await execute("build a.tc --locked --options naive", files);
    expect([both.code, both.err]).toEqual([2, expect.stringContaining("which is meant?")]);
  });

  test("is compiled as another algorithm where that was the fastest", async () => {
    const asked: unknown[] = [];
    const made = toolchain({ known: { options: { version: 2 }, alternative: "other" } });
    const tools = {
      ...made,
      compile: (text: string, request: CompileRequest) => {
        asked.push(request.def);
        return made.compile(text, request);
      },
    };
    await execute("build a.tc --options tuned", { "a.tc": source }, tools);
    expect(asked.at(-1)).toBe("other");
  });
});

describe("check --fix", () => {
  const files = { "a.tc": "error: one!\nwarning: two!\nerror: three\n", "b.tc": "fine\n" };

  test("repeats until nothing can be fixed, writes the file and tells what it did", async () => {
    const { code, err, files: after } = await execute("check a.tc b.tc --fix", files);
    expect([code, err]).toEqual([
      1,
      "a.tc:1:1: error: one!\na.tc:1:1: warning: two!\n" +
        "a.tc:1:1: error: three\n2 fixes made, 1 error in 2 files\n",
    ]);
    expect(after.get("a.tc")).toBe("error: three\n");
    expect(after.get("b.tc")).toBe("fine\n");
  });

  test("has a record of each fix", async () => {
    const { out } = await execute("check a.tc --fix --json", files);
    expect(records(out).map(({ type, message }) => [type, message])).toEqual([
      ["fix", "one!"],
      ["fix", "two!"],
      ["diagnostic", "three"],
      ["summary", undefined],
    ]);
  });

  test("of standard input goes to standard output", async () => {
    const { out, code } = await execute("check - --fix");
    expect([code, out]).toEqual([0, "from stdin"]);
  });

  test("leaves a file alone that has nothing to fix", async () => {
    const { files: after } = await execute("check b.tc --fix", files);
    expect(after.get("b.tc")).toBe("fine\n");
  });
});

describe("check --validate", () => {
  test("compiles and says that the code is valid", async () => {
    const { code, err } = await execute("check a.tc --validate", { "a.tc": source });
    expect([code, err]).toEqual([0, "valid scale N=4: 1 kernel\nno errors in a.tc\n"]);
    const lines = records((await execute("check a.tc --validate --json", { "a.tc": source })).out);
    expect(lines[0]).toEqual({
      schema: 1,
      type: "validation",
      file: "a.tc",
      def: "scale",
      sizes: { N: 4 },
      kernels: 1,
    });
  });

  test("takes all definitions that no other calls, or the one that is asked for", async () => {
    const files = { "a.tc": "def cell\ndef net calls cell\ndef other" };
    expect((await execute("check a.tc --validate", files)).err).toBe(
      "valid net N=4: 1 kernel\nvalid other N=4: 1 kernel\nno errors in a.tc\n",
    );
    const one = await execute("check a.tc --validate --def cell", files);
    expect(one.err).toContain("valid cell N=4");
  });

  test("ends with 3 where Dawn is missing", async () => {
    const openValidator = async (): Promise<never> => {
      throw Object.assign(new Error("cannot validate: no Dawn"), { kind: "no-adapter" });
    };
    const tools = { ...toolchain(), openValidator };
    const { code, err } = await execute("check a.tc --validate", { "a.tc": source }, tools);
    expect([code, err]).toEqual([
      3,
      "error: cannot validate: no Dawn\n  next: install the package, or leave --validate out\n",
    ]);
  });

  test("does not compile what has errors", async () => {
    const { code, err } = await execute("check a.tc --validate", { "a.tc": "def f\nerror: bad" });
    expect([code, err]).toEqual([1, "a.tc:1:1: error: bad\n1 error in a.tc\n"]);
  });

  test("ends with 70 and all that a report needs where the WGSL is refused", async () => {
    const tools = toolchain({ fault: 'kernel "scale": line 1:1: unexpected token' });
    const files = { "a.tc": source };
    const { code, err } = await execute("check a.tc --validate", files, tools);
    expect([code, err]).toEqual([
      70,
      'error: internal error: the WGSL of scale is not valid: kernel "scale": line 1:1: unexpected token\n' +
        "  next: report it as a bug, with the source and what follows\n" +
        '\noptions:\n{"kernels/width":2}\n' +
        "\nsizes:\nN=4\n" +
        "\nwgsl:\n// baseline\nfn main() {}\n",
    ]);
    const json = await execute("check a.tc --validate --json", files, tools);
    expect(records(json.out)[0]).toMatchObject({
      code: "internal",
      details: { sizes: "N=4", wgsl: expect.stringContaining("fn main") },
    });
  });
});

describe("check", () => {
  test("goes on after a file that cannot be read, and ends with 2", async () => {
    const { code, err } = await execute("check no.tc b.tc", { "b.tc": "error: bad" });
    expect(code).toBe(2);
    expect(err).toContain("cannot read no.tc");
    expect(err).toContain("b.tc:1:1: error: bad\n2 errors in 2 files\n");
  });

  test("names a definition that is not there", async () => {
    const { code, err } = await execute("check a.tc --def scael", { "a.tc": source });
    expect([code, err]).toEqual([
      2,
      "error: there is no definition scael\n  next: did you mean --def scale?\n",
    ]);
  });
});

describe("fmt", () => {
  const files = { "a.tc": "  fine  ", "b.tc": "fine\n", "c.tc": "syntax: bad" };

  test("rewrites files, and says which", async () => {
    const { code, out, err, files: after } = await execute("fmt a.tc b.tc", files);
    expect([code, out, err]).toEqual([0, "", "formatted a.tc\n1 file changed\n"]);
    expect(after.get("a.tc")).toBe("fine\n");
  });

  test("--check names the files that would change, and ends with 1", async () => {
    const { code, out, err, files: after } = await execute("fmt --check a.tc b.tc", files);
    expect([code, out, err]).toEqual([1, "a.tc\n", "1 file would change\n"]);
    expect(after.get("a.tc")).toBe("  fine  ");
    expect(await execute("fmt --check b.tc", files)).toMatchObject({ code: 0, out: "", err: "" });
  });

  test("leaves files with syntax errors as they are, and shows the errors", async () => {
    const { code, err, files: after } = await execute("fmt c.tc a.tc", files);
    expect([code, err]).toEqual([
      1,
      "c.tc:1:1: error: bad\nc.tc stays as it is: 1 error\nformatted a.tc\n1 file changed\n",
    ]);
    expect(after.get("c.tc")).toBe("syntax: bad");
  });

  test("formats standard input to standard output", async () => {
    expect(await execute("fmt -")).toMatchObject({ code: 0, out: "from stdin\n", err: "" });
  });

  test("has records", async () => {
    const lines = records((await execute("fmt a.tc b.tc --json", files)).out);
    expect(lines.slice(0, 2)).toEqual([
      { schema: 1, type: "format", file: "a.tc", changed: true },
      { schema: 1, type: "format", file: "b.tc", changed: false },
    ]);
  });

  test("needs a file, and goes on after one that is not there", async () => {
    expect((await execute("fmt")).code).toBe(2);
    const { code, err } = await execute("fmt no.tc a.tc", files);
    expect(code).toBe(2);
    expect(err).toContain("formatted a.tc");
  });
});

describe("explain", () => {
  test("shows the page of a code, however it is written", async () => {
    const page = "# TC2001: unknown name\n\nNothing has this name.\n";
    for (const word of ["TC2001", "tc2001", "2001", "error[TC2001]"]) {
      expect(await execute(`explain ${word}`)).toMatchObject({ code: 0, out: page, err: "" });
    }
    expect(records((await execute("explain 2002 --json")).out)[0]).toEqual({
      schema: 1,
      type: "explanation",
      code: "TC2002",
      title: "no size",
      text: "No size.\n",
    });
  });

  test("lists all codes without one", async () => {
    expect((await execute("explain")).out).toBe("TC2001  unknown name\nTC2002  no size\n");
    expect(records((await execute("explain --json")).out)).toHaveLength(3);
  });

  test("suggests codes for one that is not there", async () => {
    const { code, err } = await execute("explain TC2003");
    expect([code, err]).toEqual([
      2,
      "error: there is no code TC2003\n  next: did you mean TC2001?\n",
    ]);
    expect((await execute("explain nonsense")).err).toContain("tc-compile explain lists the codes");
    expect((await execute("explain 1 2")).code).toBe(2);
  });
});

describe("run --values", () => {
  test("says how long an output may be whose elements are in its record", async () => {
    const files = { "a.tc": source };
    const outputs = async (args: string): Promise<unknown> =>
      records((await execute(`run a.tc --json ${args}`, files)).out)[0];
    expect(await outputs("--size N=1000")).toMatchObject({ values: expect.any(Array) });
    const long = await outputs("--size N=1001");
    expect(long).toMatchObject({ count: 1001 });
    expect(long).not.toHaveProperty("values");
    expect(await outputs("--size N=1001 --values all")).toHaveProperty("values");
    expect(await outputs("--size N=4 --values 3")).not.toHaveProperty("values");
    expect(await outputs("--out C=c.npy")).toMatchObject({ file: "c.npy" });
  });
});

describe("sources", () => {
  test("have to be UTF-8; the line that is not is named", async () => {
    const bytes = new Uint8Array([...new TextEncoder().encode("ä\nb\n"), 0xe9, 10]);
    const { code, err } = await execute("check a.tc", { "a.tc": bytes });
    expect([code, err]).toEqual([
      2,
      "error: a.tc is not UTF-8: line 3\n  next: save it as UTF-8, without other encodings\n",
    ]);
    const cut = await execute("check a.tc", { "a.tc": Uint8Array.of(0x41, 10, 0xc3) });
    expect(cut.err).toContain("line 2");
    const marked = new Uint8Array([0xef, 0xbb, 0xbf, ...new TextEncoder().encode("fine")]);
    expect((await execute("check a.tc", { "a.tc": marked })).code).toBe(0);
  });

  test("that are no source texts by their size are refused at once", async () => {
    const { code, err } = await execute("check a.tc", { "a.tc": new Uint8Array(17 * 2 ** 20) });
    expect([code, err]).toEqual([
      2,
      "error: a.tc is no source text: it has 17 MiB\n" +
        "  next: give a file with definitions, of at most 16 MiB\n",
    ]);
  });

  test("a word that is like a command is taken for one where there is no such file", async () => {
    const { code, err } = await execute("chek");
    expect([code, err]).toEqual([
      2,
      "error: there is no command chek\n  next: did you mean check?\n",
    ]);
    expect((await execute("build chek")).err).toContain("cannot read chek");
    expect((await execute("chek", { chek: source })).code).toBe(0);
  });
});

describe("our own bugs", () => {
  const broken = {
    ...toolchain(),
    compile: () => {
      throw new Error("a broken invariant");
    },
  };

  test("are told in two lines, without a trace unless -v asks for it", async () => {
    const files = { "a.tc": source };
    const { err } = await execute("a.tc", files, broken);
    expect(err).toBe(
      "error: internal error: Error: a broken invariant\n" +
        "  next: report it as a bug, with the source and what the command says with -v\n",
    );
    expect((await execute("a.tc -v --profile baseline", files, broken)).err).toMatch(
      /\ntrace:\n +at /,
    );
    const [record] = records((await execute("a.tc --json", files, broken)).out);
    expect(record).not.toHaveProperty("details");
  });
});
