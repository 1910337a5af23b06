/** The page on some host of the web, which is gone after the page was loaded. */
import { expect, it } from "vitest";
import { openBuiltPage } from "./support/built-page.ts";
import { openPage, sourceOf, typeSource } from "./support/page.ts";

/** Browsers trust it as they do `localhost`, and the page takes it for a host of the web. */
const host = "page.localhost";

const site = openBuiltPage([host]);

/** How many of the page's files are kept in the browser, of how many. */
const keptFiles = `(async () => {
  const cache = await caches.open("tc-wgsl playground");
  const files = await (await fetch("./files.json")).json();
  return [(await cache.keys()).length - files.length, navigator.serviceWorker.controller !== null];
})()`;

it("explains, runs, tunes and loads again without the host that it came from", async () => {
  const url = `http://${host}:${site.server.port}/`;
  const { page, complaints } = await openPage(site.browser, url);
  await page.locator(".dot.on").waitFor();
  await expect.poll(() => page.evaluate(keptFiles), { timeout: 20_000 }).toEqual([0, true]);
  const source = await sourceOf(page);
  await site.server.close();

  await typeSource(page, source.replace("e(n, d) / ", "f(n, d) / "));
  await page.getByRole("button", { name: /^What TC\d+ means$/ }).click();
  await page.locator(".explanation").waitFor();
  await typeSource(page, source);
  await page.getByText("No problems").waitFor();
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.locator(".verdict.right").waitFor({ timeout: 30_000 });
  await page.getByRole("tab", { name: "Tune" }).click();
  await page.getByLabel("Effort").selectOption("refine");
  await page.getByRole("button", { name: "Tune", exact: true }).click();
  await page.getByRole("button", { name: "Use these choices" }).waitFor({ timeout: 60_000 });

  await page.reload();
  await page.getByText("No problems").waitFor();
  expect(await sourceOf(page)).toBe(source);
  expect(complaints).toEqual([]);
  await page.close();
}, 120_000);
