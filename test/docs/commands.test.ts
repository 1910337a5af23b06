import { accessSync, constants, existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openWorkplace, wordsOf } from "./support/command.ts";
import { filesOf, runShown } from "./support/generated.ts";
import { blocksOf, documents, readDocument, root } from "./support/markdown.ts";

const packageJson: { name: string; scripts: Record<string, string> } = JSON.parse(
  readDocument("package.json"),
);
const scripts = readdirSync(new URL("scripts/", root)).map((name) => `scripts/${name}`);

function expectScript(name: string): void {
  expect(scripts).toContain(name);
  accessSync(new URL(name, root), constants.X_OK);
}

/** Long commands are looked at, short ones run. */
async function tryCommand(line: string, place: ReturnType<typeof openWorkplace>): Promise<void> {
  const [program = "", ...words] = wordsOf(line);
  if (program.startsWith("scripts/")) return expectScript(program);
  if (program === "npm" && words[0] === "install") {
    // What users of the package write: its name, and flags of npm.
    const packages = words.slice(1).filter((word) => !word.startsWith("-"));
    expect(packages).toEqual([packageJson.name]);
    return;
  }
  if (program === "npm") {
    expect(words[0]).toBe("run");
    expect(Object.keys(packageJson.scripts)).toContain(words[1]);
    return;
  }
  if (words[0] === "vitest") {
    const paths = words.slice(1).filter((word) => word.includes("/"));
    for (const path of paths) expect(existsSync(new URL(path, root)), path).toBe(true);
    return;
  }
  const { exit, stderr } = await runShown(line, place);
  expect([line, exit], stderr).toEqual([line, 0]);
}

describe.each(documents)("the commands of %s", (name) => {
  test("work, or are of this project", async () => {
    const blocks = blocksOf(readDocument(name));
    const place = openWorkplace();
    for (const [file, text] of filesOf(blocks)) place.written.set(file, text);
    for (const { text } of blocks.filter((b) => b.language === "sh")) {
      const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
      for (const line of lines) await tryCommand(line, place);
    }
  });
});

test("scripts call npm scripts and scripts that exist", () => {
  for (const script of [...scripts, ".ci/run"]) {
    const text = readFileSync(new URL(script, root), "utf8");
    for (const [, name = ""] of text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)) {
      expect(Object.keys(packageJson.scripts), script).toContain(name);
    }
    for (const [called] of text.matchAll(/(?<![\w/`])scripts\/[a-z-]+/g)) expectScript(called);
  }
});

describe.each(documents)("the links of %s", (name) => {
  test("lead to files and headings that exist", () => {
    const text = readDocument(name);
    const here = new URL(name, root);
    for (const [, target = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const url = new URL(target, here);
      expect(existsSync(new URL(url.pathname, root)), target).toBe(true);
      if (url.hash !== "")
        expect(anchorsOf(readFileSync(new URL(url.pathname, root), "utf8"))).toContain(url.hash);
    }
  });
});

/** The anchors of a document's headings. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => {
    const words = heading.toLowerCase().replace(/[^\w\s-]/g, "");
    return `#${words.replaceAll(" ", "-")}`;
  });
}

test("documents name no machine, and nothing of it", () => {
  for (const name of documents) {
    expect(readDocument(name)).not.toMatch(/\/(?:work|tmp|root|home)\/|\bTODO\b/);
  }
});
