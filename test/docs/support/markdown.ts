/** Fenced code blocks of Markdown documents. */
import { readdirSync, readFileSync } from "node:fs";

/** The root of the repository, with a slash at the end. */
export const root: URL = new URL("../../../", import.meta.url);

/** Every document of the project for readers of it. */
export const documents: readonly string[] = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  "examples/README.md",
  "examples/image-filter/README.md",
  "examples/vad/README.md",
  ...readdirSync(new URL("docs/", root))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

/** The text of a document. */
export function readDocument(name: string): string {
  return readFileSync(new URL(name, root), "utf8");
}

/** A fenced block: ```` ```language words ````. */
export interface Block {
  readonly language: string;
  /** What follows the language on the fence, such as `error=TC4001`. */
  readonly words: readonly string[];
  readonly text: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
  /** Where `text` stands in the document. */
  readonly start: number;
  readonly end: number;
}

/** The blocks of a document, in order. */
export function blocksOf(document: string): readonly Block[] {
  return [...document.matchAll(/^```(\S+)([^\n]*)\n([\s\S]*?)^```$/gm)].map((match) => {
    const [whole, language = "", words = "", text = ""] = match;
    const end = match.index + whole.length - "```".length;
    return {
      language,
      words: words.split(" ").filter((word) => word !== ""),
      text,
      line: document.slice(0, match.index).split("\n").length,
      start: end - text.length,
      end,
    };
  });
}

/** The value of a word `name=value` on the fence; undefined if it is not there. */
export function attribute(block: Block, name: string): string | undefined {
  return block.words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** The document with other texts in some of its blocks: those for which there is one. */
export async function rewriteBlocks(
  document: string,
  textOf: (block: Block, before: readonly Block[]) => Promise<string | undefined>,
): Promise<string> {
  const blocks = blocksOf(document);
  const parts: string[] = [];
  let done = 0;
  for (const [n, block] of blocks.entries()) {
    const text = await textOf(block, blocks.slice(0, n));
    if (text === undefined) continue;
    parts.push(document.slice(done, block.start), text);
    done = block.end;
  }
  return `${parts.join("")}${document.slice(done)}`;
}
