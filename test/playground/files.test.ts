/** The files that the playground is. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { buildPlayground, builtFolder } from "./support/page.ts";

beforeAll(buildPlayground, 180_000);

describe("what the page loads", () => {
  const assets = (): readonly string[] => readdirSync(join(builtFolder, "assets"));

  it("has third-party code of at most 150 kB, gzipped", () => {
    const vendor = assets().filter((name) => /^vendor-.*\.js$/.test(name));
    expect(vendor).toHaveLength(1);
    const bytes = vendor.map((name) => readFileSync(join(builtFolder, "assets", name)));
    const size = bytes.reduce((sum, text) => sum + gzipSync(text, { level: 9 }).length, 0);
    expect(size).toBeLessThan(150_000);
    // That there is no third-party code elsewhere: names of it that no minifier changes.
    const others = assets().filter((name) => name.endsWith(".js") && !vendor.includes(name));
    const marks = /cm-activeLine|__k\b.*diffed/;
    const found = others.filter((name) =>
      marks.test(
        readFileSync(join(builtFolder, "assets", name), "utf8").replaceAll(/"[^"]*"/g, ""),
      ),
    );
    expect(found).toEqual([]);
  });

  it("has relative paths only, so that it may lie in any folder", () => {
    const html = readFileSync(join(builtFolder, "index.html"), "utf8");
    expect(html.match(/(?:src|href)="(?!\.\/)[^"]*"/g)).toBe(null);
  });
});
