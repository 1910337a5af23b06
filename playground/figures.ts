/** How fast the playground is, in headless Chromium on this machine: `scripts/playground-figures` prints it. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { servePage } from "../src/cli/process/serve-page.ts";
import { openChromium } from "../test/browser/support/chromium.ts";
import {
  type KeyTime,
  keyTimes,
  quantile,
  typeKeys,
  watchKeys,
} from "../test/playground/support/key-times.ts";
import { writeLink } from "./src/share/link.ts";

const root = fileURLToPath(new URL("../", import.meta.url));

function tell(what: string, values: readonly number[]): void {
  const [median, most, last] = [0.5, 0.95, 1].map((share) => quantile(values, share).toFixed(0));
  console.log(
    `${what}: median ${median} ms, 95 % within ${most} ms, all within ${last} ms (${values.length})`,
  );
}

async function linkOf(source: string): Promise<string> {
  return await writeLink({ source, def: null, sizes: {}, inputs: {}, options: "" });
}

async function open(browser: Browser, url: string): Promise<Page> {
  const page = await browser.newPage({
    viewport: { width: 1360, height: 820 },
    // What waits in the page is evaluated there.
    bypassCSP: true,
  });
  await page.addInitScript(watchKeys);
  await page.goto(url);
  return page;
}

/** A cursor at the end of the text, in a comment of its own. */
async function toTheEnd(page: Page): Promise<void> {
  await page.locator(".dot.on").waitFor();
  await page.click(".editor .cm-content");
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.insertText("\n# ");
  await settled(page);
}

/** Nothing is compiled any more. */
async function settled(page: Page): Promise<void> {
  await page.locator('.output[aria-busy="false"]').waitFor();
  await page.waitForTimeout(500);
  await keyTimes(page);
}

/** A cursor behind the name of the last definition: each letter there makes another program, which is right. */
async function toTheName(page: Page, source: string): Promise<void> {
  const names = [...source.matchAll(/^def \w+/gm)];
  await putCursor(page, names.map(({ 0: text, index }) => index + text.length).at(-1) ?? 0);
}

/** A cursor in a factor of what the last statement computes: each digit there computes something else. */
async function toTheLastFactor(page: Page, source: string): Promise<void> {
  const statements = [...source.matchAll(/^ .*?[^=<>!]=!? /gm)];
  await putCursor(page, statements.map(({ 0: text, index }) => index + text.length).at(-1) ?? 0);
  await page.keyboard.insertText("1 * ");
  for (let n = 0; n < 3; n++) await page.keyboard.press("ArrowLeft");
  await settled(page);
}

async function putCursor(page: Page, at: number): Promise<void> {
  await page.keyboard.press("ControlOrMeta+Home");
  for (let n = 0; n < at; n++) await page.keyboard.press("ArrowRight");
  await settled(page);
}

/** Types keys, each after the answer to the last one. */
async function answeredKeys(page: Page, keys = "abcdef"): Promise<readonly KeyTime[]> {
  for (const key of keys) {
    await typeKeys(page, 1, 0, key);
    await page.waitForFunction("keyTimes.every(({ answered }) => answered !== null)");
  }
  return await keyTimes(page);
}

/** Nothing of the page is in a cache: each time in a context of its own. */
async function firstPaints(browser: Browser, url: string): Promise<void> {
  const paints: number[] = [];
  const answers: number[] = [];
  for (let n = 0; n < 10; n++) {
    const page = await open(browser, url);
    await page.getByText("No problems").waitFor();
    answers.push(await page.evaluate<number>("performance.now()"));
    paints.push(
      await page.evaluate<number>(
        'performance.getEntriesByName("first-contentful-paint")[0].startTime',
      ),
    );
    await page.context().close();
  }
  tell("first paint", paints);
  tell("first compilation shown", answers);
}

/**
 * Keys in a comment and keys that change the program, over all examples; where the visitor types faster than these are
 * answered, some are given up.
 */
async function compilations(browser: Browser, url: string): Promise<void> {
  const all: number[] = [];
  const factors: number[] = [];
  const checks: number[] = [];
  const comments: number[] = [];
  const slow: string[] = [];
  const changing: string[] = [];
  const page = await open(browser, url);
  const examples = readdirSync(`${root}examples`).filter((name) => name.endsWith(".tc"));
  for (const name of examples) {
    const source = readFileSync(`${root}examples/${name}`, "utf8").trimEnd();
    await page.goto(`${url}${await linkOf(source)}`);
    await toTheEnd(page);
    const inComment = await answeredKeys(page);
    comments.push(...inComment.flatMap(({ answered }) => answered ?? []));
    await toTheName(page, source);
    const found = await answeredKeys(page);
    checks.push(...found.flatMap(({ checked }) => checked ?? []));
    const times = found.flatMap(({ answered }) => answered ?? []);
    all.push(...times);
    if (quantile(times, 0.5) > 50) slow.push(`${name} ${quantile(times, 0.5).toFixed(0)}`);
    await page.goto(`${url}${await linkOf(source)}`);
    await page.locator(".dot.on").waitFor();
    await page.click(".editor .cm-content");
    await toTheLastFactor(page, source);
    const changed = await answeredKeys(page, "234567");
    const computed = changed.flatMap(({ answered }) => answered ?? []);
    factors.push(...computed);
    if (quantile(computed, 0.5) > 50)
      changing.push(`${name} ${quantile(computed, 0.5).toFixed(0)}`);
  }
  tell("from a key to what is wrong, over all examples", checks);
  tell("from a key in the name of a definition to what was compiled", all);
  tell("from a key in the last statement to the same", factors);
  tell("from a key in a comment to the same", comments);
  console.log(`examples with a median above 50 ms, by name: ${slow.join(", ") || "none"}`);
  console.log(`and by the last statement: ${changing.join(", ") || "none"}`);
  await page.context().close();
}

const product = `#! sizes M=512 K=512 N=512
#! input A=randn(1) B=randn(2)
def mm(float(M, K) A, float(K, N) B) -> (C) {
  C(m, n) +=! A(m, k) * B(k, n)
}
`;

async function paintsWhile(browser: Browser, url: string): Promise<void> {
  const page = await open(browser, `${url}${await linkOf(product)}`);
  const measure = async (what: string): Promise<void> => {
    await keyTimes(page);
    await typeKeys(page, 40, 80);
    tell(
      `from a key to the next frame, ${what}`,
      (await keyTimes(page)).map((t) => t.painted),
    );
  };
  await toTheEnd(page);
  await measure("while nothing else goes on");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.click(".editor .cm-content");
  await measure("during a run");
  await page.getByRole("tab", { name: "Tune" }).click();
  await page.locator(".times").waitFor({ state: "detached" });
  await page.getByLabel("Effort").selectOption("full");
  await page.getByRole("button", { name: "Tune", exact: true }).click();
  await page.locator(".plot-dot").first().waitFor({ timeout: 120_000 });
  await page.click(".editor .cm-content");
  await page.keyboard.press("ControlOrMeta+End");
  await measure("during tuning");
  await page.context().close();
}

const server = await servePage({ folder: `${root}playground/dist`, port: 0 });
const browser = await openChromium();
try {
  await firstPaints(browser, server.url);
  await compilations(browser, server.url);
  await paintsWhile(browser, server.url);
} finally {
  await browser.close();
  await server.close();
}
