import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { format } from "../../src/index.ts";
import { openWorkplace } from "../docs/support/command.ts";

const folder = new URL("../../examples/", import.meta.url);

/** Paths in the repository of all programs among the examples, those in folders too. */
const paths = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".tc"))
  .map((path) => `examples/${path}`);

test.each(paths)("%s runs by itself, and every element is what the reference has", async (path) => {
  const { exit, stdout, stderr } = await openWorkplace().run(["run", path, "--verify"]);
  expect([exit, stdout], stderr).toEqual([0, expect.stringMatching(/\w+ {2}\w+ {2}\(/)]);
  expect(stderr).toMatch(/^ran /m);
  expect(stderr).toMatch(/^verified all \d+ elements/m);
  // Within what, of values how large, and how far off: for every output.
  const figures = /: (?:within \S+ of values around \S+; measured [\d.e-]+|equal, values around)/g;
  expect([...stderr.matchAll(figures)], stderr).toHaveLength(
    [...stdout.matchAll(/^\w+ {2}\w/gm)].length,
  );
  expect(stderr).not.toMatch(/(?:warning|error)\[/);
});

// The text that was asked for in TC's tracker stands as it was asked for.
test.each(paths.filter((path) => !path.endsWith("elman.tc")))("%s has the one style", (path) => {
  const text = readFileSync(new URL(`../${path}`, folder), "utf8");
  expect(format(text)).toBe(text);
});

test("every program begins with what it computes, and has the sizes and inputs to run", () => {
  for (const path of paths) {
    const text = readFileSync(new URL(`../${path}`, folder), "utf8");
    expect(text, path).toMatch(/^#!? \w/);
    expect(text, path).toMatch(/^#! sizes /m);
    for (const line of text.split("\n")) expect(line.length, path).toBeLessThanOrEqual(100);
  }
});
