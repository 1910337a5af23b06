/** The built package in headless Chromium: pages use it by its public names, without a bundler. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compile } from "../../src/compile.ts";
import { planData } from "../../src/emit.ts";
import { buildPackage } from "../support/built-package.ts";
import { multiplyPlainly, numbers, recurPlainly } from "./reference.ts";
import { openChromium } from "./support/chromium.ts";
import { type PageServer, servePackage } from "./support/serve-package.ts";

const dist = fileURLToPath(new URL("../../dist", import.meta.url));

let server: PageServer;
let browser: Browser;
/** What went wrong in pages that nobody caught. */
const complaints: string[] = [];

/** Calls a function of `page.js`. */
async function call<T>(page: Page, name: string, ...values: readonly unknown[]): Promise<T> {
  const script = `globalThis.page.${name}(...${JSON.stringify(values)})`;
  return await page.evaluate<T>(script);
}

/** Opens the page; only names of this machine itself are secure enough for WebGPU. */
async function openPage(host: string): Promise<Page> {
  const page = await browser.newPage();
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("response", (response) => {
    const missing = response.status() >= 400 && !response.url().endsWith("favicon.ico");
    if (missing) complaints.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(`http://${host}:${server.port}/`);
  await page.waitForFunction("globalThis.page !== undefined", null, { timeout: 20_000 });
  return page;
}

beforeAll(async () => {
  buildPackage();
  server = await servePackage();
  browser = await openChromium(["--host-resolver-rules=MAP tc-wgsl.test 127.0.0.1"]);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

describe("a page with WebGPU", () => {
  let page: Page;

  beforeAll(async () => {
    page = await openPage("localhost");
  });

  it.each([
    [1, 1, 1],
    [2, 3, 2],
    [17, 13, 19],
    [64, 100, 33],
  ])("multiplies matrices of %i x %i and %i columns", async (M, K, N) => {
    const A = { data: numbers(M * K, 1), shape: [M, K] };
    const B = { data: numbers(K * N, 2), shape: [K, N] };
    const found = await call(page, "multiply", A, B);
    const data = multiplyPlainly(A.data, B.data, M, K, N);
    expect(found).toEqual({ adapter: "swiftshader", shape: [M, N], data });
  });

  it("compiles in a thread", async () => {
    const A = { data: [1, 2, 3, 4, 5, 6], shape: [2, 3] };
    const B = { data: [1, 0, 0, 1, 1, 1], shape: [3, 2] };
    const found = await call(page, "multiplyApart", A, B);
    expect(found).toEqual({ same: true, stale: "AbortError", data: [4, 5, 10, 11] });
  });

  it("runs a plan that was compiled elsewhere", async () => {
    const source = "def twice(float(N) x) -> (y) { y(i) = 2 * x(i) }";
    const compiled = compile(source, { sizes: { N: 3 } });
    if (!compiled.ok) throw new Error("it does not compile");
    expect(await call(page, "runPlan", planData(compiled.plan), [1, 2, 3])).toEqual([2, 4, 6]);
  });

  it("runs a loop as one dispatch per step", async () => {
    const x = numbers(24, 3).map((value) => value / 8);
    const found = await call<{ data: number[]; shape: number[] }>(page, "recur", x, 6);
    expect(found.shape).toEqual([6, 24]);
    const expected = recurPlainly(x, 6);
    const worst = found.data.map((value, i) => Math.abs(value - (expected[i] ?? Number.NaN)));
    const largest = Math.max(...expected.map(Math.abs));
    expect(Math.max(...worst)).toBeLessThan(1e-5 * largest);
  });

  it("measures with the clock that a browser has", async () => {
    const A = { data: numbers(64 * 64, 1), shape: [64, 64] };
    const timing = await call<Record<string, number>>(page, "time", A, A);
    expect(timing["us"]).toBeGreaterThan(0);
    expect(timing["quantumNs"]).toBeGreaterThan(0);
  });

  it("tunes in a worker with a device of its own", async () => {
    const found = await call(page, "tuneApart", { M: 16, K: 16, N: 16 });
    expect(found).toMatchObject({
      adapter: "swiftshader",
      counts: { ok: expect.toSatisfy((ok: number) => ok > 0), wrong: 0, lost: 0 },
      options: { version: 2 },
    });
  }, 30_000);

  const float32 = (...data: number[]) => ({ type: "float32", shape: [data.length], data });
  it.each([
    [
      "def f(float(N) x, float s) -> (x) { x(i) = x(i) * s }",
      { x: float32(1, 2, 3), s: { type: "float32", shape: [], data: [3] } },
      { N: 3 },
      ["x", [3, 6, 9]],
    ],
    [
      "def f(float(K) A, float(K, N) B, float(N) C) -> (C) { C(n) += A(k) * B(k, n) }",
      { A: float32(1, 2), B: { ...float32(1, 2, 3, 4), shape: [2, 2] }, C: float32(5, 6) },
      { K: 2, N: 2 },
      ["C", [12, 16]],
    ],
    [
      "def f(int(N) at, int(V) h) -> (h) { h(at(i)) += 1 }",
      {
        at: { type: "int32", shape: [4], data: [0, 1, 1, 1] },
        h: { type: "int32", shape: [2], data: [7, 8] },
      },
      { N: 4, V: 2 },
      ["h", [8, 11]],
    ],
  ] as const)(
    "leaves what a worker tunes in place as it was, until the one call: %s",
    async (source, inputs, sizes, [updated, once]) => {
      const found = await call(page, "tuneInPlace", source, sizes, inputs, updated);
      const tuned = Object.fromEntries(
        Object.entries(inputs).map(([name, { data }]) => [name, data]),
      );
      expect(found).toMatchObject({ counts: { wrong: 0, lost: 0 }, tuned, once });
    },
    60_000,
  );

  it("shows what is wrong with a source", async () => {
    const wrong = "def mm(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * D(k, n) }";
    expect(await call(page, "showMistakes", wrong)).toBe("TC2004");
    const text = await page.textContent("pre");
    expect(text).toMatch(/^mm\.tc:1:69: error\[TC2004\]: .*`D`$/m);
    expect(text).toContain("^");
  });
});

describe("a page without WebGPU", () => {
  it("compiles, and runs the reference", async () => {
    const page = await openPage("tc-wgsl.test");
    const A = { data: [1, 2, 3, 4, 5, 6], shape: [2, 3] };
    const B = { data: [1, 0, 0, 1, 1, 1], shape: [3, 2] };
    const found = await call<Record<string, unknown>>(page, "compileOnly", A, B);
    expect(found["gpu"]).toBe(false);
    expect(found["wgsl"]).toContain("@compute @workgroup_size");
    expect(found["data"]).toEqual([4, 5, 10, 11]);
  });
});

describe("a page's store", () => {
  it("keeps lines for the pages after it, also when several write at once", async () => {
    const page = await openPage("localhost");
    const lines = Array.from({ length: 20 }, (_, n) => `a${n}`);
    const found = await call<string[]>(page, "keepLines", lines);
    expect([...found].sort()).toEqual([...lines].sort());
    await page.reload();
    await page.waitForFunction("globalThis.page !== undefined");
    expect(await call(page, "keepLines", ["b0"])).toEqual([...found, "b0"]);
    const rewritten = await call(page, "rewriteLines", "b");
    expect(rewritten).toEqual({ kept: ["b0"], failed: "no", then: ["b0"] });
  });
});

describe("pages", () => {
  it("have no errors that nobody caught, and ask for no file that is not there", () => {
    expect(complaints).toEqual([]);
  });
});

describe("the files that a page loads", () => {
  /** All modules that an entry imports, directly or not. */
  function importsFrom(entry: string): readonly string[] {
    const found = new Set<string>();
    const visit = (file: string): void => {
      const text = readFileSync(join(dist, file), "utf8");
      const imports = /^(?:import|export) (?:[^"\n]* from )?"([^"]+)"|\bimport\("([^"]+)"\)/gm;
      for (const [, fixed, dynamic] of text.matchAll(imports)) {
        const name = fixed ?? dynamic ?? "";
        if (found.has(name)) continue;
        found.add(name);
        if (name.startsWith("./")) visit(name.slice(2));
      }
    };
    visit(entry);
    return [...found].filter((name) => !name.startsWith("./"));
  }

  it("import no other package and nothing of Node", () => {
    expect(readdirSync(dist)).toContain("index.d.ts");
    expect(importsFrom("index.js")).toEqual([]);
    expect(importsFrom("runtime.js")).toEqual([]);
    expect(importsFrom("load.js")).toEqual([]);
    expect(importsFrom("worker.js")).toEqual([]);
    expect(importsFrom("worker-thread.js")).toEqual([]);
    expect(importsFrom("tune.js")).toEqual([]);
    expect(importsFrom("bench-thread.js")).toEqual([]);
    expect(importsFrom("node.js")).toEqual(expect.arrayContaining(["node:os", "webgpu"]));
  });
});
