/** A picture of the playground for the documents: `scripts/screenshots` writes it to `docs/`. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { servePage } from "../src/cli/process/serve-page.ts";
import { openChromium } from "../test/browser/support/chromium.ts";
import { writeLink } from "./src/share/link.ts";

const root = new URL("../", import.meta.url);

function inRoot(path: string): string {
  return fileURLToPath(new URL(path, root));
}

const server = await servePage({ folder: inRoot("playground/dist"), port: 0 });
const browser = await openChromium();
try {
  const source = readFileSync(inRoot("examples/attention.tc"), "utf8");
  const link = await writeLink({ source, def: null, sizes: {}, inputs: {}, options: "" });
  const page = await browser.newPage({ viewport: { width: 1440, height: 810 } });
  await page.goto(`${server.url}${link}`);
  await page.locator(".dot.on").waitFor();
  await page.getByRole("textbox", { name: "WGSL" }).getByText("@compute").first().waitFor();
  await page.getByRole("button", { name: "Run", exact: true }).first().click();
  await page.locator(".times").waitFor();
  // The reads of a tensor, lit in the WGSL.
  await page.locator(".editor .cm-line", { hasText: "score(h" }).getByText("key").first().click();
  await page.locator(".made-column .cm-linked-line").first().waitFor();
  await page.screenshot({ path: inRoot("docs/playground.png") });
  await page.close();
} finally {
  await browser.close();
  await server.close();
}
