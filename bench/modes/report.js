// Tables and a page from lines that were measured before, or just now.
import { readFileSync, writeFileSync } from "node:fs";
import { FlagError } from "../flags.js";
import { sortLines } from "../report/lines.js";
import { markdownTables } from "../report/markdown.js";
import { figureLines, summaryLines } from "../report/table.js";

/** @param {import("../flags.js").Flags} flags @returns {Promise<number>} the exit status */
export async function report(flags) {
  const lines = flags.files.flatMap(readLines);
  return await finish(lines, flags, (text) => void process.stdout.write(text));
}

/**
 * Prints the summary and writes the files that were asked for.
 * @param {readonly any[]} lines
 * @param {import("../flags.js").Flags} flags
 * @param {(text: string) => void} tell
 * @returns {Promise<number>} the exit status
 */
export async function finish(lines, { html, markdown }, tell) {
  const { records, figures } = sortLines(lines);
  tell(summaryLines(records) + figureLines(figures));
  if (markdown !== undefined) writeFileSync(markdown, markdownTables(lines));
  if (html !== undefined) {
    const { page } = await import("../report/page.js");
    writeFileSync(html, await page(lines));
  }
  return 0;
}

/** What npm says before it runs a script, where it was not told to be silent. */
const banner = /^> /;

/** @throws FlagError naming the file, or the line that is no JSON */
function readLines(file) {
  let text = "";
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new FlagError(`--report: ${error.message}`);
  }
  return text.split("\n").flatMap((line, at) => {
    if (line.trim() === "" || banner.test(line)) return [];
    try {
      return [JSON.parse(line)];
    } catch {
      throw new FlagError(`--report: ${file}:${at + 1} is no JSON`);
    }
  });
}
