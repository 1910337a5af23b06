import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { kernelPasses } from "../../src/codegen/simplify/passes.ts";
import { readDocument, root } from "./support/markdown.ts";

/** The paths in the first column of the code map. */
function mapped(): readonly string[] {
  const rows = readDocument("ARCHITECTURE.md").matchAll(/^\| (`.*?) \|/gm);
  return [...rows].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]*)`/g)].map(([, path = ""]) => path),
  );
}

/** The files of src and its folders that have some, to the second level, with a slash at the end. */
function present(): readonly string[] {
  const files = readdirSync(new URL("src/", root), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(fileURLToPath(root).length));
  const folders = files.flatMap((file) => {
    const parts = file.split("/").slice(0, -1);
    return [2, 3].filter((n) => n <= parts.length).map((n) => `${parts.slice(0, n).join("/")}/`);
  });
  return [...new Set([...files.filter((file) => file.split("/").length === 2), ...folders])];
}

test("the code map names every folder, and none that is not there", () => {
  const paths = mapped();
  expect(present().filter((path) => !paths.includes(path))).toEqual([]);
  expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
});

test("the table of passes over kernels is their list", () => {
  const rows = kernelPasses.map(({ name, does, why }) => `| ${name} | ${does} | ${why} |`);
  const table = ["| pass | what it does | why here |", "|---|---|---|", ...rows].join("\n");
  expect(readDocument("ARCHITECTURE.md")).toContain(`${table}\n\n`);
});

test("passes are named after their files, each once", () => {
  const names = kernelPasses.map((pass) => pass.name);
  expect(new Set(names).size).toBe(names.length);
  const folders = ["simplify", "drivers/mesa"];
  const isThere = (name: string): boolean =>
    folders.some((folder) => {
      return existsSync(new URL(`src/codegen/${folder}/${name.replace(" again", "")}.ts`, root));
    });
  expect(names.filter((name) => !isThere(name))).toEqual([]);
});
