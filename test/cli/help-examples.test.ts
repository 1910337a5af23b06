/** Every example of the help, on the program as it is published, as a shell runs it. */
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandNames } from "../../src/cli/flags.ts";
import { examples, helpText } from "../../src/cli/help.ts";
import { writeNpy } from "../../src/cli/npy.ts";
import { buildPackage } from "../support/built-package.ts";
import { example, openWorkplace, program } from "./support.ts";

const place = openWorkplace();

beforeAll(() => {
  buildPackage();
  place.write("mm.tc", example("matmul"));
  place.write("b.npy", writeNpy("float32", [40, 56], new Float32Array(40 * 56).fill(0.5)));
  mkdirSync(place.path("bin"));
  symlinkSync(program, place.path("bin/tc-compile"));
});

afterAll(() => place.remove());

/** `play` goes on until it is told to end: see play.test.ts. */
const ending = commandNames.filter((name) => name !== "play");

/** Times that were saved, and are compared with next, become those of a machine that is far slower: this one is busy. */
function slowSaved(path: string): void {
  const saved = JSON.parse(place.read(path));
  for (const one of Object.values<{ us: number }>(saved.times)) one.us *= 1_000;
  place.write(path, JSON.stringify(saved));
}

test.each(ending.flatMap((name) => examples[name].map(([line]) => line)))("%s", (line) => {
  if (line.includes("--compare base.json")) slowSaved("base.json");
  const data = { XDG_DATA_HOME: place.path("data") };
  const env = {
    ...process.env,
    ...data,
    PATH: `${join(place.folder, "bin")}:${process.env["PATH"]}`,
  };
  const { status, stderr } = spawnSync("bash", ["-c", line], {
    cwd: place.folder,
    encoding: "utf8",
    env,
  });
  expect([status, line], stderr).toEqual([0, line]);
});

test("general help shows examples of all commands", () => {
  for (const name of commandNames) expect(helpText(null)).toContain(examples[name][0]?.[0]);
});
