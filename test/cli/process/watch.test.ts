/** `--watch`, on the program as it is published. */
import { renameSync, unlinkSync } from "node:fs";
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buildPackage } from "../../support/built-package.ts";
import { openWorkplace, records, type Started, type Workplace } from "../support.ts";

beforeAll(() => buildPackage());

let place: Workplace;
let started: Started | null = null;

beforeEach(() => {
  place = openWorkplace();
});

afterEach(async () => {
  started?.child.kill("SIGKILL");
  await started?.exit;
  started = null;
  place.remove();
});

const good = "#! sizes N=3\n#! input x=arange\ndef f(float(N) x) -> (y) { y(i) = x(i) }\n";
const bad = good.replace("= x(i) }", "= z(i) }");
const waiting = "watching 1 file; Ctrl-C ends it\n";

function start(...args: string[]): Started {
  started = place.start(args);
  return started;
}

describe("--watch", () => {
  test("checks again when a file is saved, survives errors, and ends with 0", async () => {
    place.write("a.tc", bad);
    const running = start("check", "a.tc", "--watch");
    await running.until("err", waiting, 1);
    expect(running.err()).toContain("error[TC2004]");
    place.write("a.tc", good);
    await running.until("err", waiting, 2);
    expect(running.err()).toContain("no errors in a.tc");
    // A save as editors do it: another file takes the name.
    place.write("draft", bad);
    renameSync(place.path("draft"), place.path("a.tc"));
    await running.until("err", waiting, 3);
    unlinkSync(place.path("a.tc"));
    await running.until("err", waiting, 4);
    expect(running.err()).toContain("cannot read a.tc: there is no such file");
    place.write("a.tc", good);
    await running.until("err", waiting, 5);
    running.child.kill("SIGINT");
    expect(await running.exit).toEqual({ code: 0, signal: null });
    expect(running.out()).toBe("");
    expect(running.err().split("no errors in a.tc")).toHaveLength(3);
    expect(running.err()).not.toContain("\u001b");
  });

  test("starts with a file that is not there yet, in a folder that is not there", async () => {
    const running = start("check", "new/a.tc", "--watch", "-q");
    await running.until("err", "cannot read new/a.tc");
    const { mkdirSync } = await import("node:fs");
    mkdirSync(place.path("new"));
    place.write("new/a.tc", bad);
    await running.until("err", "error[TC2004]");
    running.child.kill("SIGINT");
    expect((await running.exit).code).toBe(0);
  });

  test("builds again, and takes a save that changes nothing for none", async () => {
    place.write("a.tc", good);
    const running = start("a.tc", "--watch", "-o", "out.wgsl");
    await running.until("err", waiting, 1);
    const before = place.read("out.wgsl");
    place.write("a.tc", good);
    place.write("a.tc", good.replace("N=3", "N=70"));
    await running.until("err", waiting, 2);
    expect(place.read("out.wgsl")).not.toBe(before);
    running.child.kill("SIGINT");
    expect((await running.exit).code).toBe(0);
    expect(running.err().split("1 kernel")).toHaveLength(3);
  });

  test("runs again when an input changes, each round with its own summary", async () => {
    place.write("a.tc", good);
    place.write("o.json", '{"version":2,"kernels":{}}');
    const running = start("run", "a.tc", "--options", "o.json", "--watch", "--json");
    await running.until("out", '"type":"summary"', 1);
    place.write("o.json", '{"version":2,"kernels":{"none":1}}');
    await running.until("out", '"type":"summary"', 2);
    running.child.kill("SIGINT");
    expect((await running.exit).code).toBe(0);
    expect(running.err()).toBe("");
    const lines = records(running.out());
    expect(lines.map((line) => line["type"])).toEqual([
      "output",
      "summary",
      "diagnostic",
      "output",
      "summary",
      // Of the watch.
      "summary",
    ]);
    expect(lines.at(-1)).toMatchObject({ errors: 0, exit: 0 });
  });

  test("makes fixes once", async () => {
    place.write("a.tc", good.replace("= x(i)", "= X(i)"));
    const running = start("check", "a.tc", "--fix", "--watch");
    await running.until("err", waiting, 1);
    expect(place.read("a.tc")).toBe(good);
    running.child.kill("SIGINT");
    expect((await running.exit).code).toBe(0);
    expect(running.err().split(waiting)).toHaveLength(2);
  });

  test("ends in the middle of a round", async () => {
    place.write("a.tc", good.replace("{ y", "{ y(i) +=! x(j) where i in 0:N, j in 0:N\n y"));
    const size = ["--size", "N=100000", "--adapter", "reference"];
    const running = start("run", "a.tc", "--watch", ...size);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    running.child.kill("SIGINT");
    expect((await running.exit).code).toBe(0);
  });

  test("cannot watch standard input", () => {
    const { status, stderr } = place.run(["check", "-", "--watch"], good);
    expect([status, stderr]).toEqual([
      2,
      "error: standard input cannot be watched\n  next: give a file\n",
    ]);
  });
});
