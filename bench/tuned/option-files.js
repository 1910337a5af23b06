// The best options that were found, one file per case and adapter: they pin all answers, so that
// they stay what they are when the heuristic changes.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";

/** "matmul 2048x64x2048" is `matmul-2048x64x2048`. @param {string} name */
export function fileName(name) {
  return name.replaceAll(/[^A-Za-z0-9.=]+/g, "-");
}

const folderOf = (kind) => new URL(`../options/${kind}/`, import.meta.url);
const fileOf = (kind, name) => new URL(`${fileName(name)}.json`, folderOf(kind));

/**
 * @param {string} kind of the adapter
 * @param {string} name of the case
 * @returns {import("../../dist/index.js").Mapping | undefined} undefined if it was not tuned there
 */
export function readOptions(kind, name) {
  const file = fileOf(kind, name);
  if (!existsSync(file)) return undefined;
  return JSON.parse(readFileSync(file, "utf8"));
}

/** @param {string} kind @param {string} name @param {object} content options, and how they were found */
export function writeOptions(kind, name, content) {
  mkdirSync(folderOf(kind), { recursive: true });
  writeFileSync(fileOf(kind, name), `${JSON.stringify(content, null, 2)}\n`);
}
