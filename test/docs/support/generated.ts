/** What the compiler says to the blocks of a document, for the blocks that show it. */
import { problemTexts } from "../../../src/diagnostics/codes.ts";
import { check, compile, render } from "../../../src/index.ts";
import { type Outcome, openWorkplace, type Workplace, wordsOf } from "./command.ts";
import { attribute, type Block } from "./markdown.ts";
import { runScript } from "./script.ts";
import { isTourStage, tourTexts } from "./tour.ts";

/** All that is wrong with a `tc` block, warnings included, with and without compiling it. */
export function diagnosticsOf(source: string): ReturnType<typeof check>["diagnostics"] {
  const checked = check(source).diagnostics;
  if (checked.some((d) => d.severity === "error") || !/^#! sizes/m.test(source)) return checked;
  return [...source.matchAll(/^def (\w+)/gm)].length === 1 ? compile(source).diagnostics : checked;
}

/** A terminal as a document shows it: `$ command`, then what it prints. */
async function session(block: Block, place: Workplace): Promise<string> {
  const lines: string[] = [];
  for (const [, command = ""] of block.text.matchAll(/^\$ (.*)$/gm)) {
    lines.push(`$ ${command}\n`, await printed(command, place));
  }
  return lines.join("");
}

async function printed(command: string, place: Workplace): Promise<string> {
  const { stdout, stderr } = await runShown(command, place);
  return command.endsWith(" 2>&1") ? `${stderr}${stdout}` : stdout;
}

/** Runs `npx tc-compile ...`. */
export async function runShown(command: string, place: Workplace): Promise<Outcome> {
  const [npx, program, ...words] = wordsOf(command.replace(/ 2>&1$/, ""));
  if (npx !== "npx" || program !== "tc-compile") throw new Error(`no test runs ${command}`);
  return await place.run(words);
}

/** The last block before with that language; an error if there is none. */
function last(before: readonly Block[], language: string, named = false): Block {
  const found = before.findLast(
    (b) => b.language === language && (!named || attribute(b, "file") !== undefined),
  );
  if (found === undefined) throw new Error(`no ${language} block before`);
  return found;
}

/** The files that blocks of a document hold. */
export function filesOf(blocks: readonly Block[]): readonly (readonly [string, string])[] {
  return blocks.flatMap((block) => {
    const file = attribute(block, "file");
    return file === undefined ? [] : [[file, block.text] as const];
  });
}

/** What a block has to hold; undefined for blocks that are written by hand. */
export async function generatedText(
  block: Block,
  before: readonly Block[],
): Promise<string | undefined> {
  if (block.language === "console") {
    const place = openWorkplace();
    for (const [file, text] of filesOf(before)) place.written.set(file, text);
    return await session(block, place);
  }
  const [word = ""] = block.words;
  const stage = attribute(block, "stage");
  if (stage !== undefined) return tourText(stage, before);
  if (block.language !== "text") return undefined;
  switch (word) {
    case "diagnostics": {
      const source = last(before, "tc").text;
      const found = diagnosticsOf(source);
      return `${render(found, { source, file: "example.tc" }).trimEnd()}\n`;
    }
    case "result": {
      const words = ["run", "-", "--adapter", "reference"];
      const { stdout, stderr, exit } = await openWorkplace().run(words, last(before, "tc").text);
      if (exit !== 0) throw new Error(`line ${block.line}: ${stderr}`);
      return stdout;
    }
    case "codes":
      return codeTable();
    case "prints":
      return await runScript(last(before, "js").text);
    default:
      return undefined;
  }
}

/** All codes with their short names. */
function codeTable(): string {
  const rows = Object.entries(problemTexts).map(([code, problem]) => {
    return `${code}  ${problem.title}${"severity" in problem ? "  (warning)" : ""}\n`;
  });
  return rows.join("");
}

/** One stage of compiling the last named source with the last named options. */
function tourText(stage: string, before: readonly Block[]): string {
  if (!isTourStage(stage)) throw new Error(`there is no stage ${stage}`);
  const source = last(before, "tc", true).text;
  const asked = before.findLast((b) => b.language === "json");
  const options = asked === undefined ? "default" : JSON.parse(asked.text);
  return tourTexts(source, { options })[stage];
}
