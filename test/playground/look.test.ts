/** What the page looks like to those who need it large, dark, or read out. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";
import { expect, it } from "vitest";
import { openBuiltPage } from "./support/built-page.ts";
import { openPage, typeSource } from "./support/page.ts";

const site = openBuiltPage();

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** WCAG 2.2 AA and the best practices of axe. */
const allRules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** What axe finds wrong with what is shown. */
async function faultsOf(page: Page, only?: readonly string[]): Promise<readonly string[]> {
  const rules = only === undefined ? { "target-size": { enabled: true } } : {};
  const options = { runOnly: only ?? allRules, rules, resultTypes: ["violations"] };
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(document, ${JSON.stringify(options)})`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, any }) => `${id}: ${html} ${any.map((c) => c.message).join("; ")}`),
  );
}

/** Controls and texts that are shown but cut off, or beside the page. */
const cutOff = `Array.from(document.querySelectorAll("button, summary, select, input, p, h1, h2, h3, th, td, label"))
  .filter((e) => e.checkVisibility() && !e.closest(".hidden, .cm-editor, .device-name"))
  .filter((e) => {
    const { left, right, width } = e.getBoundingClientRect();
    const scrolls = e.closest(".scroll, .run-body, .times") !== null && e.closest("table") !== null;
    if (width <= 1) return false;
    // Taller than what holds it, which shows no more than itself.
    const holder = e.parentElement;
    const isCut = e.closest(".menu-panel") !== null && getComputedStyle(holder).overflowY === "visible" &&
      e.getBoundingClientRect().bottom > holder.getBoundingClientRect().bottom + 2;
    return left < 0 || (right > innerWidth && !scrolls) || isCut;
  })
  .map((e) => e.outerHTML)`;

async function cutOffOnly(page: Page): Promise<readonly string[]> {
  return await page.evaluate<string[]>(cutOff);
}

async function cutOffAndAxe(page: Page): Promise<readonly string[]> {
  return [...(await cutOffOnly(page)), ...(await faultsOf(page))];
}

/** Shows one menu after the other. */
async function lookAtMenus(page: Page, look: (what: string) => Promise<void>): Promise<void> {
  for (const name of ["Examples", "Share", "Download", "Help"]) {
    await page.getByText(name, { exact: true }).click();
    await look(name);
    await page.keyboard.press("Escape");
  }
  await page.locator(".device summary").click();
  await look("Device");
  await page.keyboard.press("Escape");
}

/** Chooses something else than the default, which can be undone. */
async function changeChoice(page: Page): Promise<void> {
  await page.locator(".choice-row select").first().press("End");
  await page.getByRole("button", { name: /^Reset / }).waitFor();
}

/** Shows one tab after the other. */
async function lookAtTabs(page: Page, look: (what: string) => Promise<void>): Promise<void> {
  for (const tab of await page.getByRole("tab").all()) {
    const name = (await tab.textContent()) ?? "";
    await tab.click();
    if (name === "Mapping") await changeChoice(page);
    await look(name);
  }
}

const wrong = "def f(float(N) x) -> (y) { y(i) = z(i) }";

it("has no faults that axe finds, in any of its views, in light colours and in dark ones", async () => {
  const viewport = { width: 1360, height: 820 };
  const { page } = await openPage(site.browser, site.server.url, { viewport, before: axe });
  await page.locator(".dot.on").waitFor();
  const found: Record<string, readonly string[]> = {};
  const setTheme = async (theme: "light" | "dark"): Promise<void> =>
    await page.evaluate(`void (document.documentElement.dataset.theme = "${theme}")`);
  const look = async (what: string): Promise<void> => {
    const inLight = await faultsOf(page);
    await setTheme("dark");
    const inDark = await faultsOf(page, ["color-contrast"]);
    await setTheme("light");
    if (inLight.length + inDark.length > 0) found[what] = [...inLight, ...inDark];
  };
  await lookAtMenus(page, look);
  await lookAtTabs(page, look);
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.locator(".times summary").click();
  await look("results");
  await page.getByRole("tab", { name: "Cost" }).click();
  await page.locator(".time").waitFor();
  await page.getByRole("button", { name: "Measure on this device" }).click();
  await page.getByRole("row", { name: /^default / }).waitFor({ timeout: 30_000 });
  await look("costs");
  await typeSource(page, wrong);
  await page.getByRole("button", { name: /^What TC\d+ means$/ }).click();
  await page.locator(".explanation").waitFor();
  await look("problems");
  expect(found).toEqual({});
  await page.close();
}, 120_000);

it("has its header in one line, with the steps of the timer, as long as it has columns", async () => {
  const { page } = await openPage(site.browser, site.server.url);
  await page.locator(".dot.on").waitFor();
  const timer = page.locator(".device .timer");
  const edges = `Array.from(document.querySelectorAll(".top > *, .device > *, .device-name > *"))
    .map((e) => e.getBoundingClientRect())
    .map(({ top, bottom, right }) => [top >= 0, bottom <= 50, right <= innerWidth])`;
  const longest =
    "A vendor's greatest GPU for laptops (its architecture), by a translation of its API";
  await page.evaluate(
    `document.querySelector(".device-name > span").textContent = ${JSON.stringify(longest)}`,
  );
  for (const width of [1360, 1024, 920, 901]) {
    await page.setViewportSize({ width, height: 700 });
    const shown = await page.evaluate<boolean[][]>(edges);
    expect([width, new Set(shown.flat())]).toEqual([width, new Set([true])]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    // Nothing of it is cut off, by itself or by what holds it.
    const isWhole = await timer.evaluate((element) => {
      const { left, right } = element.getBoundingClientRect();
      const name = element.parentElement?.getBoundingClientRect();
      const isInside = name !== undefined && left >= name.left && right <= name.right + 1;
      return isInside && element.scrollWidth <= element.clientWidth + 1;
    });
    expect([width, isWhole]).toEqual([width, true]);
  }
  await page.close();
});

it("moves nothing for those who asked for that", async () => {
  const { page } = await openPage(site.browser, site.server.url);
  const moving = `Array.from(document.querySelectorAll("*"))
    .flatMap((e) => [e, ...(e.shadowRoot?.querySelectorAll("*") ?? [])])
    .map((e) => getComputedStyle(e))
    .filter((s) => [...s.transitionDuration.split(","), ...s.animationDuration.split(",")].some((d) => parseFloat(d) > 0)
      || s.scrollBehavior === "smooth")
    .length`;
  // Something of the last version, which fades; and the cursor, which blinks.
  await page.getByRole("textbox", { name: "WGSL" }).getByText("@compute").first().waitFor();
  await typeSource(page, wrong);
  await page.locator(".fill.stale").waitFor();
  expect(await page.evaluate(moving)).toBeGreaterThan(0);
  await page.emulateMedia({ reducedMotion: "reduce" });
  expect(await page.evaluate(moving)).toBe(0);
  await page.close();
});

it.each([
  ["at twice its size", 680, 410, cutOffOnly],
  ["at four times its size, which is a small phone's", 320, 256, cutOffAndAxe],
] as const)(
  "%s shows one part at a time, and cuts nothing off",
  async (_, width, height, faults) => {
    const viewport = { width, height };
    const { page } = await openPage(site.browser, site.server.url, { viewport, before: axe });
    await page.locator(".dot.on").waitFor();
    const found: Record<string, unknown> = {};
    const look = async (what: string): Promise<void> => {
      const wide = await page.evaluate("document.documentElement.scrollWidth");
      const all = await faults(page);
      if (wide !== width || all.length > 0) found[what] = { wide, all };
    };
    await lookAtMenus(page, look);
    const parts = page.getByRole("navigation", { name: "Parts of the page" });
    await parts.getByText("Tune").click();
    await page.getByLabel("Effort").selectOption("refine");
    await page.getByRole("main").getByRole("button", { name: "Tune", exact: true }).click();
    await page.getByRole("button", { name: "Use these choices" }).waitFor({ timeout: 60_000 });
    await page.getByText(/^All \d+ candidates$|^The one candidate$/).click();
    await look("tuned");
    await parts.getByText("Run").click();
    await page.getByRole("main").getByRole("button", { name: "Run", exact: true }).click();
    await page.locator(".times summary").click();
    await look("results");
    await parts.getByText("Output").click();
    await lookAtTabs(page, look);
    await parts.getByText("Code").click();
    await typeSource(page, wrong);
    await page.locator(".problems li.error").waitFor();
    await look("problems");
    expect(found).toEqual({});
    await page.close();
  },
  60_000,
);
