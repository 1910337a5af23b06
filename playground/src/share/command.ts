/** What does on the command line what the page does. */
import type { LinkState } from "./link.ts";

/** A word for a POSIX shell, whatever it holds. */
function quoted(word: string): string {
  return /^[\w.,=:@%+/-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** A line that ends the source, and is none of it. */
function endOf(source: string): string {
  const lines = new Set(source.split("\n"));
  let end = "TC";
  while (lines.has(end)) end += "_";
  return end;
}

/** The mapping on one line; nothing for a text that is no JSON, which nothing can be compiled with. */
function mappingOf(options: string): readonly string[] {
  try {
    return [`--options ${quoted(JSON.stringify(JSON.parse(options)))}`];
  } catch {
    return [];
  }
}

/** A command that runs the program with its sizes, inputs and mapping; files are not in it. */
export function commandOf({ source, def, sizes, inputs, options }: LinkState): string {
  const given = (flag: string, values: Readonly<Record<string, unknown>>): readonly string[] =>
    Object.entries(values).map(([name, value]) => `${flag} ${quoted(`${name}=${String(value)}`)}`);
  const words = [
    "npx tc-compile run -",
    ...(def === null ? [] : [`--def ${quoted(def)}`]),
    ...given("--size", sizes),
    ...given("--in", inputs),
    ...mappingOf(options),
  ];
  const end = endOf(source);
  return `${words.join(" ")} <<'${end}'\n${source.trimEnd()}\n${end}\n`;
}
