/** What a page loads that compiles, or runs plans, and nothing else. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { bundle } from "./bundle.ts";

/**
 * In bytes, minified and gzipped. 215,000 are wanted: without the parser's library, which goes in as it is published,
 * it is 216,000. It may be lowered; that it grows needs a reason: scans and wavefronts were 6,000, copies and policies for
 * GPUs 2,000, buffers that take turns 1,200, weights that are turned 1,000, gates beside each other and what keeps
 * statements in loops 1,400, kernels that are kept 1,100, scatters that gather 1,700, weights of recurrences that do not
 * spill on AMD GPUs and branches that go 400. Another version of zlib makes some tens of bytes more or less.
 */
const mostOfCompiler = 255_000;
/**
 * In bytes, minified and gzipped: 25,000 are wanted at most. It may be lowered; that it grows needs a reason: the rules for
 * adapters, which modules have as well, were 130, long loops in several submissions 380.
 */
const mostOfLoader = 22_700;

async function gzipped(file: string, names: readonly string[]): Promise<number> {
  return gzipSync(await bundle(file, names, { minify: true }), { level: 9 }).length;
}

/** The files that some exports need. */
async function filesOf(file: string, names: readonly string[]): Promise<readonly string[]> {
  const code = await bundle(file, names, { minify: false });
  return Array.from(code.matchAll(/^\/\/#region (.*)$/gm), ([, found = ""]) => found);
}

describe("the pure compiler in a browser", () => {
  it("is no larger than it may be", async () => {
    expect(await gzipped("src/index.ts", ["compile"])).toBeLessThan(mostOfCompiler);
  });

  it("has neither the reference nor the pages of diagnostics", async () => {
    const files = await filesOf("src/index.ts", ["compile"]);
    expect(files).toContain("src/compile.ts");
    expect(files.join("\n")).toContain("/chevrotain/lib/src/scan/lexer_public.js");
    const parts =
      /^src\/(?:api|cli|emit|runtime)\/|ir\/interpret|interpret-kernel|explanations|diagnostics\/render|verify-program/;
    expect(files.filter((file) => parts.test(file))).toEqual([]);
  });
});

describe("what runs plans in a browser", () => {
  const names = ["createRuntime", "requestComputeDevice", "readPlan"];

  it("is no larger than it was", async () => {
    expect(await gzipped("src/load.ts", names)).toBeLessThan(mostOfLoader);
  });

  it("has nothing of the compiler", async () => {
    const files = await filesOf("src/load.ts", names);
    expect(files).toContain("src/runtime/load-plan.ts");
    const own = /^src\/(?:runtime|support)\/|^src\/codegen\/plan\.ts$|^src\/emit\/read-plan\.ts$/;
    expect(files.filter((file) => !own.test(file) && file !== "\0page")).toEqual([]);
  });
});

describe("what starts a thread that compiles", () => {
  it("has nothing of the compiler", async () => {
    const files = await filesOf("src/worker.ts", ["createWorker"]);
    const own = /^src\/(?:runtime\/|support\/|worker\.ts)/;
    expect(files.filter((file) => !own.test(file) && file !== "\0page")).toEqual([]);
    expect(await gzipped("src/worker.ts", ["createWorker"])).toBeLessThan(4_000);
  });
});

describe("the page on installing", () => {
  const page = readFileSync(new URL("../../docs/install.md", import.meta.url), "utf8");

  it.each([
    ["compiles", "src/index.ts", ["compile"]],
    ["defines and runs", "src/runtime.ts", ["createRuntime"]],
    ["runs plans that were compiled before", "src/load.ts", ["createRuntime", "readPlan"]],
  ])("says how much a page carries that %s, within a twentieth", async (what, file, names) => {
    const said = new RegExp(`^\\| ${what} \\|.*\\| (\\d+) kB \\|$`, "m").exec(page)?.[1];
    const found = (await gzipped(file, names)) / 1000;
    expect(Math.abs(Number(said) - found) / found, `${said} kB, found ${found}`).toBeLessThan(0.05);
  });
});
