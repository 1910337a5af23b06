/** Links that want to do harm, in the built page. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type PageServer, servePage } from "../../src/cli/process/serve-page.ts";
import { openChromium } from "../browser/support/chromium.ts";
import {
  buildPlayground,
  builtFolder,
  linkOf,
  matmul,
  openPage,
  typeSource,
} from "./support/page.ts";

let server: PageServer;
let browser: Browser;

beforeAll(async () => {
  buildPlayground();
  server = await servePage({ folder: builtFolder, port: 0 });
  browser = await openChromium();
}, 180_000);

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

describe("hostile links", () => {
  it("execute nothing: markup in every field is text", async () => {
    const markup =
      "<img src=x onerror=\"document.title='harmed'\"><script>document.title='harmed'</script>";
    const source = `# ${markup}\ndef f(float(N) x) -> (y) { y(i) = ${markup} }\n#! input x=${markup}`;
    const url = `${server.url}${await linkOf({ source, def: markup, inputs: { x: markup }, options: markup })}`;
    const { page, complaints } = await openPage(browser, url);
    await page.locator(".problems li.error").first().waitFor();
    await page.locator(".problems li .link").first().click();
    await page.locator(".explanation").waitFor();
    expect(await page.title()).toBe("tc-wgsl playground");
    expect(await page.locator("img").count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("that take for ever are stopped, and the next source is compiled", async () => {
    const hang = `addEventListener("message", ({ data }) => {
      if (JSON.stringify(data).includes("for ever")) for (;;) {}
    });`;
    const url = `${server.url}${await linkOf({ source: `# for ever\n${matmul}` })}`;
    const { page } = await openPage(browser, url, { worker: hang });
    await page.getByRole("button", { name: "Stop compiling" }).click();
    await page.getByText("the compiler was stopped").waitFor();
    await typeSource(page, `# for ever, too\n${matmul}`);
    await typeSource(page, matmul);
    await page.getByText("No problems").waitFor();
    await page.getByText("m 0:4").waitFor();
    await page.close();
  });

  it("that are damaged show a message, and an example", async () => {
    const { page } = await openPage(browser, `${server.url}#1/AAAA`);
    expect(await page.locator(".notice").textContent()).toContain("cannot be read");
    await page.getByText("No problems").waitFor();
    await page.close();
  });
});
