/** Pictures of the playground for the documents: `scripts/screenshots` writes them to `docs/`. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { servePage } from "../src/cli/process/serve-page.ts";
import { openChromium } from "../test/browser/support/chromium.ts";
import { writeLink } from "./src/share/link.ts";

const root = new URL("../", import.meta.url);

function inRoot(path: string): string {
  return fileURLToPath(new URL(path, root));
}

const server = await servePage({ folder: inRoot("playground/dist"), port: 0 });
const browser = await openChromium();

/** A picture of what `show` makes of an example. */
async function picture(
  name: string,
  example: string,
  options: BrowserContextOptions,
  show: (page: Page) => Promise<void>,
): Promise<void> {
  const source = readFileSync(inRoot(`examples/${example}.tc`), "utf8");
  const link = await writeLink({ source, def: null, sizes: {}, inputs: {}, options: "" });
  const page = await browser.newPage(options);
  await page.goto(`${server.url}${link}`);
  await page.locator(".dot.on").waitFor();
  await page.getByText("No problems").waitFor();
  await show(page);
  await page.screenshot({ path: inRoot(`docs/${name}.png`) });
  await page.close();
}

const wide = { viewport: { width: 1440, height: 810 } };
const phone = { viewport: { width: 390, height: 780 }, colorScheme: "dark" } as const;

try {
  await picture("playground", "attention", wide, async (page) => {
    await page.getByRole("textbox", { name: "WGSL" }).getByText("@compute").first().waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).first().click();
    await page.locator(".times").waitFor();
    // The reads of a tensor, lit in the WGSL.
    await page.locator(".editor .cm-line", { hasText: "score(h" }).getByText("key").first().click();
    await page.locator(".made-column .cm-linked-line").first().waitFor();
  });
  await picture("playground-tune", "matmul", wide, async (page) => {
    await page.getByRole("tab", { name: "Tune" }).click();
    await page.getByLabel("Effort").selectOption("normal");
    await page.getByRole("button", { name: "Tune", exact: true }).click();
    await page.getByRole("button", { name: "Use these choices" }).waitFor({ timeout: 120_000 });
    await page.locator(".plot-dot").nth(1).click({ force: true });
    await page.getByText(/lines differ|The WGSL is the same/).waitFor();
  });
  await picture("playground-phone", "softmax", phone, async (page) => {
    await page.getByRole("navigation", { name: "Parts of the page" }).getByText("Run").click();
    await page.getByRole("main").getByRole("button", { name: "Run", exact: true }).click();
    await page.locator(".times").waitFor();
  });
} finally {
  await browser.close();
  await server.close();
}
