/** What a page loads that compiles, and nothing else. */
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { bundle } from "./bundle.ts";

/** In bytes, minified and gzipped. It may be lowered; that it grows needs a reason. */
const most = 190_600;

describe("the pure compiler in a browser", () => {
  it("is no larger than it was", async () => {
    const code = await bundle("src/index.ts", ["compile"], { minify: true });
    expect(gzipSync(code, { level: 9 }).length).toBeLessThan(most);
  });

  it("has neither the reference nor the pages of diagnostics", async () => {
    const code = await bundle("src/index.ts", ["compile"], { minify: false });
    const files = Array.from(code.matchAll(/^\/\/#region (.*)$/gm), ([, file = ""]) => file);
    expect(files).toContain("src/compile.ts");
    expect(files.join("\n")).toContain("/chevrotain/lib/src/scan/lexer_public.js");
    const parts =
      /^src\/(?:api|cli|emit|runtime)\/|ir\/interpret|interpret-kernel|explanations|diagnostics\/render|verify-program|lodash-es\/|regexp-to-ast/;
    expect(files.filter((file) => parts.test(file))).toEqual([]);
  });
});
