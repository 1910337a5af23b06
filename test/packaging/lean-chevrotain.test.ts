/** The parser that is published beside the one of the sources. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "../../src/frontend/syntax/parse.ts";
import { bundle } from "./bundle.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** All texts of a folder; right and wrong ones. */
function sources(folder: string): readonly string[] {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith(".tc"));
  return names.map((name) => readFileSync(join(root, folder, name), "utf8"));
}

/** Texts cut off anywhere, and with a piece missing: most are wrong somewhere in the middle. */
function damaged(text: string): readonly string[] {
  const at = (part: number): number => Math.floor(text.length * part);
  return [0.2, 0.5, 0.8].flatMap((part) => [
    text.slice(0, at(part)),
    text.slice(0, at(part)) + text.slice(at(part) + 5),
  ]);
}

describe("the parser that is published", () => {
  it("says the same as that of the sources", async () => {
    const code = await bundle("src/frontend/syntax/parse.ts", ["parse"], { minify: false });
    const url = `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`;
    const published: { readonly parse: typeof parse } = await import(/* @vite-ignore */ url);
    const texts = ["examples", "test/errors"].flatMap(sources);
    const all = [...texts, ...texts.flatMap(damaged), "\u00a0\u2003def\ufeff", "def \u{1f600}"];
    let wrong = 0;
    for (const text of all) {
      const expected = parse(text);
      expect(published.parse(text)).toEqual(expected);
      wrong += Number(expected.diagnostics.length > 0);
    }
    expect(wrong).toBeGreaterThan(500);
  });
});
