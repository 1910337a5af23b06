import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { readDocument, root } from "./support/markdown.ts";

/** The paths in the first column of the code map. */
function mapped(): readonly string[] {
  const rows = readDocument("ARCHITECTURE.md").matchAll(/^\| (`.*?) \|/gm);
  return [...rows].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]*)`/g)].map(([, path = ""]) => path),
  );
}

/** The folders of src and their folders, with a slash at the end, and the files beside them. */
function present(): readonly string[] {
  const entries = readdirSync(new URL("src/", root), { withFileTypes: true });
  return entries.flatMap((entry) => {
    if (!entry.isDirectory()) return [`src/${entry.name}`];
    const inside = readdirSync(new URL(`src/${entry.name}/`, root), { withFileTypes: true });
    const folders = inside.filter((f) => f.isDirectory());
    return [`src/${entry.name}/`, ...folders.map((f) => `src/${entry.name}/${f.name}/`)];
  });
}

test("the code map names every folder, and none that is not there", () => {
  const paths = mapped();
  expect(present().filter((path) => !paths.includes(path))).toEqual([]);
  expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});
