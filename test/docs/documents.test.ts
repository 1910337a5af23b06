import { describe, expect, test } from "vitest";
import { openWorkplace } from "./support/command.ts";
import { diagnosticsOf, generatedText } from "./support/generated.ts";
import {
  attribute,
  type Block,
  blocksOf,
  documents,
  readDocument,
  rewriteBlocks,
} from "./support/markdown.ts";
import { runScript } from "./support/script.ts";

/** The codes that the fence of a block promises. */
function promised(block: Block): readonly string[] {
  return (attribute(block, "codes") ?? "").split(",").filter((code) => code !== "");
}

describe.each(documents)("%s", (name) => {
  const document = readDocument(name);
  const blocks = blocksOf(document);

  test("shows what the compiler says; `vitest run test/docs -u` brings it up to date", async () => {
    const rewritten = await rewriteBlocks(document, generatedText);
    await expect(rewritten).toMatchFileSnapshot(`../../${name}`);
  });

  test("has programs that compile, or that are refused as they say", () => {
    for (const block of blocks.filter((b) => b.language === "tc")) {
      const found = diagnosticsOf(block.text).map((d) => d.code);
      expect([block.line, ...found]).toEqual([block.line, ...promised(block)]);
    }
  });

  test("has programs that give on a device what it says", async () => {
    for (const [n, block] of blocks.entries()) {
      if (block.language !== "text" || block.words[0] !== "result") continue;
      const source = blocks.slice(0, n).findLast((b) => b.language === "tc")?.text ?? "";
      const { exit, stderr } = await openWorkplace().run(["run", "-", "--verify"], source);
      expect([block.line, exit], stderr).toEqual([block.line, 0]);
      expect(stderr).toMatch(/^verified all /m);
    }
  });

  test("shows files of the repository as they are", () => {
    for (const block of blocks) {
      const file = attribute(block, "is");
      if (file !== undefined) expect(block.text).toBe(readDocument(file));
    }
  });

  test("has scripts that run", async () => {
    for (const block of blocks.filter((b) => b.language === "js")) await runScript(block.text);
  });
});
