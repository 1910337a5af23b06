/** What the page and the command line remember of tuning, where `tc-compile play` serves the page. */
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openChromium } from "../browser/support/chromium.ts";
import { openWorkplace, records, type Started } from "../cli/support.ts";
import { buildPackage } from "../support/built-package.ts";
import { buildPlayground, matmul, openPage } from "./support/page.ts";

const place = openWorkplace();
let browser: Browser;
const servers: Started[] = [];

beforeAll(async () => {
  buildPackage();
  buildPlayground();
  place.write("mm.tc", matmul.replace("M=4 K=3 N=5", "M=32 K=32 N=32"));
  browser = await openChromium();
}, 180_000);

afterAll(async () => {
  await browser?.close();
  for (const { child } of servers) child.kill("SIGINT");
  await Promise.all(servers.map(({ exit }) => exit));
  place.remove();
});

interface Visit {
  readonly page: Page;
  readonly complaints: readonly string[];
  readonly remembered: Locator;
  readonly found: Locator;
  tune(): Promise<void>;
}

/** Opens the page as the command line serves it with a database; a browser that was never here. */
async function visit(db: string): Promise<Visit> {
  const server = place.start(["play", "mm.tc", "--db", db]);
  servers.push(server);
  await server.until("err", "Ctrl-C ends it\n");
  const { page, complaints } = await openPage(browser, server.out().trim());
  await page.locator(".dot.on").waitFor();
  await page.getByRole("tab", { name: "Tune" }).click();
  await page.getByLabel("Effort").selectOption("refine");
  return {
    page,
    complaints,
    remembered: page.getByRole("region", { name: "Remembered in this browser" }),
    found: page.getByRole("region", { name: "What tuning found" }),
    tune: async () => {
      await page.getByRole("button", { name: "Tune", exact: true }).click();
      await page.getByRole("button", { name: "Use these choices" }).waitFor({ timeout: 60_000 });
    },
  };
}

const known = "An earlier run on this device has found the answer.";

describe("the page of tc-compile play", () => {
  it("tunes into the database of the command line, and answers from it", async () => {
    const first = await visit("tuned.jsonl");
    await first.remembered.getByText("Nothing yet.").waitFor();
    await first.remembered.getByText("tuned.jsonl", { exact: true }).waitFor();
    await first.tune();
    expect(await first.found.getByText(known).count()).toBe(0);
    expect(first.complaints).toEqual([]);
    await first.page.close();

    const listed = records(place.run(["db", "ls", "--db", "tuned.jsonl", "--json"]).stdout);
    const entry = listed.find(({ key }) => String(key).startsWith("def:"));
    expect(entry).toMatchObject({ sizes: [32, 32, 32], us: expect.any(Number) });

    // By way of the command line to a browser that knows nothing.
    expect(place.run(["db", "import", "tuned.jsonl", "--db", "other.jsonl"]).status).toBe(0);
    const second = await visit("other.jsonl");
    await second.remembered.getByText(/^\d+ records of one program at its sizes/).waitFor();
    await second.tune();
    await second.found.getByText(known).waitFor();
    await second.remembered.getByRole("button", { name: "Forget all" }).click();
    await second.remembered.getByText("Forgotten here; other.jsonl keeps its own.").waitFor();
    expect(place.read("other.jsonl")).toBe(place.read("tuned.jsonl"));
    expect(second.complaints).toEqual([]);
    await second.page.close();
  }, 180_000);

  it("says where a database cannot be written, and tunes all the same", async () => {
    const { page, remembered, found, tune } = await visit(".");
    await remembered.getByText(". cannot be read: it is a folder").waitFor();
    await tune();
    await found
      .getByText("kept in this browser alone: . cannot be written: it is a folder")
      .first()
      .waitFor();
    await remembered.getByText(/^\d+ records of one program at its sizes/).waitFor();
    await tune();
    await found.getByText(known).waitFor();
    await page.close();
  }, 180_000);
});
