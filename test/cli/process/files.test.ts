/** Files and streams as the program meets them. */
import { spawnSync } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from "node:fs";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { nodeIo } from "../../../src/cli/process/node-io.ts";
import { buildPackage } from "../../support/built-package.ts";
import { example, openWorkplace, program, type Workplace } from "../support.ts";

beforeAll(() => buildPackage());

let place: Workplace;

beforeEach(() => {
  place = openWorkplace();
  place.write("mm.tc", example("matmul"));
});

afterEach(() => place.remove());

const io = nodeIo();

describe("writing a file", () => {
  test("makes folders, and leaves nothing else behind", async () => {
    await io.writeFile(place.path("a/b/c.txt"), "text");
    expect(readdirSync(place.path("a/b"))).toEqual(["c.txt"]);
    expect(place.read("a/b/c.txt")).toBe("text");
  });

  test("replaces it as a whole: an open file keeps the old content", async () => {
    place.write("a.txt", "old");
    const before = statSync(place.path("a.txt")).ino;
    await io.writeFile(place.path("a.txt"), "new");
    expect(statSync(place.path("a.txt")).ino).not.toBe(before);
    expect(place.read("a.txt")).toBe("new");
  });

  test("keeps permissions and links", async () => {
    place.write("script", "old");
    chmodSync(place.path("script"), 0o750);
    symlinkSync("script", place.path("link"));
    await io.writeFile(place.path("link"), "new");
    expect(lstatSync(place.path("link")).isSymbolicLink()).toBe(true);
    expect(place.read("script")).toBe("new");
    expect(statSync(place.path("script")).mode & 0o777).toBe(0o750);
  });

  test("writes to devices, and through links that lead nowhere", async () => {
    await io.writeFile("/dev/null", "text");
    expect(statSync("/dev/null").isCharacterDevice()).toBe(true);
    symlinkSync("target", place.path("dangling"));
    await io.writeFile(place.path("dangling"), "new");
    expect(place.read("target")).toBe("new");
  });
});

describe("what the system refuses is told in two lines", () => {
  test.each([
    [["check", "."], "cannot read .: it is a folder", "give a file"],
    [["check", "no.tc"], "cannot read no.tc: there is no such file", "check the path"],
    [
      ["check", "mm.tc/x.tc"],
      "cannot read mm.tc/x.tc: a part of the path is a file, not a folder",
      "check the path",
    ],
    [
      ["mm.tc", "-o", "mm.tc/out.wgsl"],
      "cannot write mm.tc/out.wgsl: a part of the path is a file, not a folder",
      "choose a place that can be written",
    ],
    [
      ["mm.tc", "-o", "/proc/none/x.wgsl"],
      "cannot write /proc/none/x.wgsl: there is no such file",
      "choose a place that can be written",
    ],
    [
      ["mm.tc", "-o", "/dev/full"],
      "cannot write /dev/full: the disk is full",
      "choose a place that can be written",
    ],
    [
      ["mm.tc", "--options", "mm.json"],
      "cannot read mm.json: there is no such file",
      "check the path",
    ],
    [
      ["run", "mm.tc", "--in", "A=a.npy"],
      "cannot read a.npy: there is no such file",
      "check the path",
    ],
  ])("%j", (args, message, next) => {
    const { status, stdout, stderr } = place.run(args);
    expect([status, stdout, stderr]).toEqual([2, "", `error: ${message}\n  next: ${next}\n`]);
  });

  test("a file that may not be written is not replaced", () => {
    place.write("a.tc", "def f(float(N) x)->(y){y(i)=x(i)}\n");
    chmodSync(place.path("a.tc"), 0o444);
    const before = place.read("a.tc");
    const { status, stderr } = place.run(["fmt", "a.tc"]);
    if (process.getuid?.() === 0) {
      // The superuser may write everything.
      expect([status, stderr]).toEqual([0, "formatted a.tc\n"]);
      return;
    }
    expect([status, place.read("a.tc")]).toEqual([2, before]);
    expect(stderr).toContain("cannot write a.tc: permission denied");
  });

  test("a folder takes the place of a file", () => {
    mkdirSync(place.path("c.npy"));
    const { status, stderr } = place.run(["run", "mm.tc", "--out", "C=c.npy", "-q"]);
    expect([status, stderr]).toEqual([
      2,
      "error: cannot write c.npy: it is a folder\n  next: give a file in it\n",
    ]);
  });
});

describe("a reader that has seen enough", () => {
  /** What a shell makes of a pipeline: the exit code of the program, and what it complained of. */
  function pipeline(args: string): string {
    const script = `"${process.execPath}" "${program}" ${args} | head -c 1 > /dev/null; echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = spawnSync("bash", ["-c", script], {
      cwd: place.folder,
      encoding: "utf8",
    });
    return `${stdout}${stderr}`;
  }

  test("is no error", () => {
    const size = "--size M=500,N=500";
    expect(pipeline(`mm.tc -q --emit json,kernel,wgsl,ast`)).toBe("0\n");
    expect(pipeline(`run mm.tc ${size} --json --values all --adapter reference`)).toBe("0\n");
  });
});

test("standard output that cannot be written is a usage error", () => {
  const script = `"${process.execPath}" "${program}" mm.tc -q > /dev/full; echo $?`;
  const { stdout, stderr } = spawnSync("bash", ["-c", script], {
    cwd: place.folder,
    encoding: "utf8",
  });
  expect(stdout).toBe("2\n");
  expect(stderr).toMatch(/^error: cannot write to standard output: .*\n {2}next: .*\n$/);
});

test("standard output may be given by name, as a file", () => {
  const script = `"${process.execPath}" "${program}" mm.tc -q -o /dev/stdout | cat`;
  const { stdout } = spawnSync("bash", ["-c", script], { cwd: place.folder, encoding: "utf8" });
  expect(stdout).toContain("fn matmul_0");
});
