/**
 * A visitor's first time at the page, with nothing but the words of the README and those that it shows: the command that
 * opens it, an example, a change, a mistake and what it means, where an index goes, a run, a tuning run, a link for a friend.
 */
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openChromium } from "../browser/support/chromium.ts";
import { openWorkplace, type Started } from "../cli/support.ts";
import { readDocument, root } from "../docs/support/markdown.ts";
import { buildPackage } from "../support/built-package.ts";
import { buildPlayground, openPage, sourceOf, typeSource } from "./support/page.ts";

const place = openWorkplace();
let served: Started;
/** The program that is served. */
let program: string;
let browser: Browser;

beforeAll(async () => {
  buildPackage();
  buildPlayground();
  const [, command = "", file = ""] =
    /`npx tc-compile (\w+) (examples\/\w+\.tc)`, shows/.exec(readDocument("README.md")) ?? [];
  mkdirSync(place.path(dirname(file)), { recursive: true });
  program = place.path(file);
  copyFileSync(fileURLToPath(new URL(file, root)), program);
  served = place.start([command, file]);
  await served.until("err", "Ctrl-C ends it");
  browser = await openChromium([]);
}, 180_000);

afterAll(async () => {
  await browser?.close();
  served?.child.kill("SIGINT");
  await served?.exit;
  place.remove();
});

/** What a visitor would press: by the name that the page gives it. */
const button = (page: Page, name: string): Locator =>
  page.getByRole("button", { name, exact: true });

it("a first session: change an example, understand a mistake, follow an index, run, tune, send a link", async () => {
  const { page, complaints } = await openPage(browser, served.out().trim());
  expect(await sourceOf(page)).toContain("def softmax");

  // The page follows the file that is served.
  writeFileSync(program, `${await sourceOf(page)}# saved by an editor\n`);
  await expect.poll(() => sourceOf(page), { timeout: 10_000 }).toContain("# saved by an editor");
  await page.getByText("No problems").waitFor();

  await page.getByText("Examples", { exact: true }).click();
  await page.getByRole("button", { name: /^softmax / }).click();
  await page.getByText("No problems").waitFor();
  const softmax = await sourceOf(page);
  expect(softmax).toContain("def softmax");

  // A mistake: an index that the tensor does not have.
  const wrong = softmax.replace("y(n, d) = e(n, d)", "y(n, d) = 2.0 * e(n, d, n)");
  await typeSource(page, wrong);
  const problem = page.locator(".problems li.error").first();
  // Between the two texts there is none, which is a mistake, too.
  const message = "e has rank 2, but is used with 3 indices";
  await expect.poll(() => problem.textContent(), { timeout: 10_000 }).toContain(message);
  await problem.getByRole("button", { name: /^What TC\d+ means$/ }).click();
  await problem.locator(".explanation").waitFor();
  expect((await problem.locator(".explanation").textContent())?.length).toBeGreaterThan(100);
  const mended = wrong.replace("e(n, d, n)", "e(n, d)");
  await typeSource(page, mended);
  await page.getByText("No problems").waitFor();

  // Where d goes: the lines of the generated code, and its loops.
  const index = page
    .getByRole("textbox", { name: "Source" })
    .locator('[class^="ix-"]', { hasText: /^d$/ });
  await page.locator(".dot.on").waitFor();
  for (const text of ["WGSL", "Loops"]) {
    await page.getByRole("tab", { name: text }).click();
    const lit = page.getByRole("textbox", { name: text }).locator(".cm-linked-line");
    await expect
      .poll(
        async () => {
          // A cursor there brings what is lit into view.
          await index.first().click();
          await index.last().click();
          return await lit.count();
        },
        { timeout: 10_000 },
      )
      .toBeGreaterThan(0);
  }

  await button(page, "Run").first().click();
  await page.locator(".verdict.right").waitFor({ timeout: 30_000 });

  await page.getByRole("tab", { name: "Tune" }).click();
  await page.getByLabel("Effort").selectOption("refine");
  await button(page, "Tune").click();
  await button(page, "Use these choices").waitFor({ timeout: 90_000 });
  await button(page, "Use these choices").click();
  await page.getByRole("textbox", { name: /^Choices as JSON/ }).waitFor();
  const beside = page.getByLabel("WGSL, beside");
  await beside.selectOption("what tuning found");
  await page
    .getByText("These are the choices.")
    .or(page.getByText("The WGSL is the same"))
    .waitFor();
  // A comment changes none of that.
  await page.click(".editor .cm-content");
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.insertText("# For a friend.\n");
  const commented = await sourceOf(page);
  await page.locator('.output[aria-busy="false"]').waitFor();
  expect(await beside.locator("option").allTextContents()).toContain("what tuning found");
  await beside.selectOption("the naive one");
  await page.getByText("lines differ").waitFor();

  await page.getByText("Share", { exact: true }).click();
  await button(page, "Copy link").click();
  await page.getByText(/The link has|address bar/).waitFor();
  const url = page.url();
  expect(complaints).toEqual([]);
  await page.close();

  const friend = await openPage(browser, url);
  await friend.page.getByText("No problems").waitFor();
  expect([await sourceOf(friend.page), commented]).toEqual([
    commented,
    `${mended}# For a friend.\n`,
  ]);
  await friend.page.getByRole("tab", { name: "Mapping" }).click();
  const choices = friend.page.getByRole("textbox", { name: /^Choices as JSON/ });
  expect(JSON.parse(await choices.inputValue())).toMatchObject({ version: 2 });
  // The page is as its sender had it.
  const tune = friend.page.getByRole("tab", { name: "Tune" });
  expect(await tune.getAttribute("aria-selected")).toBe("true");
  await friend.page.getByRole("tab", { name: "Run" }).click();
  await button(friend.page, "Run").first().click();
  await friend.page.locator(".verdict.right").waitFor({ timeout: 30_000 });
  expect(friend.complaints).toEqual([]);
  await friend.page.close();
}, 240_000);
