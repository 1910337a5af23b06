/** Ctrl-C, on the program as it is published. */
import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildPackage } from "../../support/built-package.ts";
import { example, openWorkplace, records } from "../support.ts";

const place = openWorkplace();

beforeAll(() => {
  buildPackage();
  place.write("mm.tc", example("matmul"));
});

afterAll(() => place.remove());

const sizes = "M=4001,N=4000,K=4000";
const huge = ["--size", sizes];

/** The command lines of this program that have a word. */
function processesWith(word: string): readonly string[] {
  const lines = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line.includes(word) && line.includes("cli.js"));
}

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe("Ctrl-C", () => {
  test("ends a long loop of the reference at once, with code 130", async () => {
    const started = place.start(["run", "mm.tc", ...huge, "--adapter", "reference"]);
    await later(1000);
    const from = performance.now();
    started.child.kill("SIGINT");
    expect(await started.exit).toEqual({ code: 130, signal: null });
    expect(performance.now() - from).toBeLessThan(2000);
    expect([started.out(), started.err()]).toEqual(["", "interrupted\n"]);
  });

  test("ends a dispatch that does not answer, and leaves no process behind", async () => {
    const started = place.start(["run", "mm.tc", ...huge, "--options", "naive", "--json", "-v"]);
    await started.until("out", '"type":"decision"');
    await later(1500);
    started.child.kill("SIGINT");
    expect(await started.exit).toEqual({ code: 130, signal: null });
    const last = records(started.out()).at(-1);
    expect(last).toEqual({ schema: 1, type: "summary", errors: 0, warnings: 0, exit: 130 });
    expect(started.err()).toBe("");
    expect(processesWith(sizes)).toEqual([]);
  });

  test("to a whole group of processes, as a terminal sends it, ends in the same way", async () => {
    const started = place.start(["run", "mm.tc", ...huge, "--adapter", "reference"]);
    await later(1000);
    const children = execFileSync("ps", ["-o", "pid=", "--ppid", String(started.child.pid)], {
      encoding: "utf8",
    });
    const [child] = children.trim().split(/\s+/);
    process.kill(Number(child), "SIGINT");
    started.child.kill("SIGINT");
    expect(await started.exit).toEqual({ code: 130, signal: null });
    expect(started.err()).toBe("interrupted\n");
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("is not the only way: %s ends with code %i, as in a shell", async (signal, code) => {
    const started = place.start(["run", "mm.tc", ...huge, "--adapter", "reference"]);
    // The process that listens has another one that computes.
    await expect.poll(() => processesWith(sizes).length, { timeout: 60_000 }).toBe(2);
    started.child.kill(signal);
    expect(await started.exit).toEqual({ code, signal: null });
    expect(started.err()).toBe(`ended by ${signal}\n`);
    expect(processesWith(sizes)).toEqual([]);
  });

  test("ends build and check as a signal does, which a shell shows as 130", async () => {
    const started = place.start(["check", "-"]);
    await later(400);
    started.child.kill("SIGINT");
    expect(await started.exit).toEqual({ code: null, signal: "SIGINT" });
    expect(started.err()).toBe("");
  });
});

test("a process that dies in the driver is an internal error, told in two lines", async () => {
  const started = place.start(["run", "mm.tc", ...huge, "--adapter", "reference"]);
  await later(1000);
  const child = execFileSync("ps", ["-o", "pid=", "--ppid", String(started.child.pid)], {
    encoding: "utf8",
  });
  process.kill(Number(child), "SIGSEGV");
  expect(await started.exit).toEqual({ code: 70, signal: null });
  expect(started.err()).toBe(
    "error: the process that did the work died of SIGSEGV, perhaps in the driver of the device\n" +
      "  next: try --adapter software, and report it as a bug with the source\n",
  );
});
