/** What a visitor does beside the way that browser.test.ts goes: other programs, other hands, other windows. */
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { writeNpy } from "../../src/cli/npy.ts";
import { openBuiltPage } from "./support/built-page.ts";
import { type GivenState, linkOf, matmul, openPage, sourceOf, typeSource } from "./support/page.ts";

const site = openBuiltPage();

async function urlOf(state: GivenState): Promise<string> {
  return `${site.server.url}${await linkOf(state)}`;
}

const runButton = (page: Page): Locator =>
  page.getByRole("button", { name: "Run", exact: true }).first();

/** Drops a file on an element; whether the page keeps the browser from opening it. */
async function drop(page: Page, on: string, name: string, bytes: Uint8Array): Promise<boolean> {
  return await page.evaluate<boolean>(`{
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from([${[...bytes].join()}])], ${JSON.stringify(name)}));
    const event = new DragEvent("drop", { dataTransfer: data, bubbles: true, composed: true, cancelable: true });
    document.querySelector(${JSON.stringify(on)}).dispatchEvent(event);
    event.defaultPrevented;
  }`);
}

describe("results", () => {
  it("have planes, marks of what is no number, and their difference from the reference", async () => {
    const source = `#! sizes B=2 C=2 N=3 M=4
#! input x=arange
def f(float(B, C, N, M) x) -> (y, z) {
  y(b, c, i, j) = log(x(b, c, i, j) - 1.0)
  z(b, c, i, j) = 3.0 * x(b, c, i, j)
}
`;
    const { page, complaints } = await openPage(site.browser, await urlOf({ source }));
    await page.locator(".dot.on").waitFor();
    await runButton(page).click();
    const results = page.getByRole("region", { name: "Results" });
    await results.locator(".times").waitFor();
    // log(-1) and log(0): a swatch for each, which the picture has, too.
    expect(await results.locator(".not-finite li").allTextContents()).toEqual([
      "× 1 NaN",
      "− 1 −∞",
    ]);
    const picture = page.getByRole("application");
    await picture.press("ArrowDown");
    const readout = page.locator(".readout");
    expect(await readout.textContent()).toBe("y(0, 0, 0, 0) = NaN");
    await picture.press("ArrowRight");
    expect(await readout.textContent()).toBe("y(0, 0, 0, 1) = −∞");

    await page.locator(".output-tensor select").first().selectOption("z");
    expect(await results.locator(".not-finite").count()).toBe(0);
    await page.getByRole("slider", { name: /^axis 0 at/ }).fill("1");
    await picture.press("ArrowRight");
    expect(await readout.textContent()).toBe("z(1, 0, 0, 2) = 78");
    await page.getByLabel("across").selectOption("axis 2 (3)");
    await page.getByLabel("difference from the reference").check();
    await picture.press("ArrowLeft");
    expect(await readout.textContent()).toMatch(/^z − reference\(1, .*\) = 0$/);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("are of the definition, and for the device, that were chosen", async () => {
    const source = `${matmul}def twice(float(M, K) A) -> (D) { D(m, k) = 2.0 * A(m, k) }\n`;
    const { page } = await openPage(site.browser, await urlOf({ source }));
    await page.locator(".dot.on").waitFor();
    await page.getByLabel("Definition").selectOption("mm");
    await runButton(page).click();
    await page.locator(".verdict.right").getByText("All 20").waitFor();
    await page.getByLabel("Definition").selectOption("twice");
    await page.getByText("These are of the definition mm").waitFor();
    await page.getByRole("textbox", { name: "WGSL" }).getByText("twice_0").first().waitFor();
    await runButton(page).click();
    await page.locator(".verdict.right").getByText("All 12").waitFor();

    await page.getByLabel("M", { exact: true }).fill("512");
    await page.getByLabel("K", { exact: true }).fill("512");
    await runButton(page).click();
    await page.locator(".verdict.right").getByText("All 262,144").waitFor();
    const wgsl = page.getByRole("textbox", { name: "WGSL" });
    const before = await wgsl.textContent();
    await page.getByLabel("Compile for").selectOption("for nvidia");
    await expect.poll(() => wgsl.textContent()).not.toBe(before);
    await page.getByText("These are of other kernels").waitFor();
    await runButton(page).click();
    await page.locator(".verdict.right").waitFor();
    await expect.poll(() => page.getByText("These are of other kernels").count()).toBe(0);
    await page.close();
  });
});

describe("files", () => {
  it("that are dropped are taken where they belong, and never leave the page", async () => {
    const { page, complaints } = await openPage(site.browser, await urlOf({ source: matmul }));
    await page.locator(".input-row").first().waitFor();
    const bytes = writeNpy("float32", [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6));
    for (const place of [".top", ".made-column", "body"]) {
      expect(await drop(page, place, "a.npy", bytes)).toBe(true);
      await page.locator(".notice").getByText("on the row of an input").waitFor();
      await page.getByRole("button", { name: "Close" }).click();
    }
    expect(await drop(page, ".input-row", "a.npy", bytes)).toBe(true);
    await page.locator(".file", { hasText: "a.npy" }).waitFor();
    await page.getByText("m 0:2").waitFor();
    expect(await page.locator(".notice").count()).toBe(0);
    expect(await drop(page, ".input-row", "a.npy", Uint8Array.of(1, 2, 3))).toBe(true);
    await page.locator(".inputs .fault").getByText("a.npy").waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  });
});

describe("another page", () => {
  it("has programs of files, with their definition and height, or why there is none", async () => {
    const page = await site.browser.newPage();
    const html = `<script type="module" src="./tc-play.js"></script>
      <tc-play src="./two.tc" def="mm" sizes="M=2" height="333"></tc-play>
      <tc-play src="./gone.tc"></tc-play>`;
    await page.route("**/host.html", (route) =>
      route.fulfill({ contentType: "text/html", body: html }),
    );
    await page.route("**/two.tc", (route) =>
      route.fulfill({ body: `${matmul}def other(float(M) x) -> (y) { y(i) = x(i) }\n` }),
    );
    await page.goto(`${site.server.url}host.html`);
    const frame = page.frameLocator("iframe");
    await frame.getByText("m 0:2").waitFor();
    expect(await frame.getByLabel("Definition").inputValue()).toBe("mm");
    expect((await page.locator("iframe").boundingBox())?.height).toBe(335);
    await page
      .getByRole("alert")
      .getByText(/gone\.tc could not be loaded: the server answers 404/)
      .waitFor();
    expect(await page.locator("iframe").count()).toBe(1);
    await page.close();
  });
});

describe("the page", () => {
  it("formats the source, and tells all about the device", async () => {
    const source = matmul.replace("C(m, n) +=! A(m, k) * B(k, n)", "C(m,n)+=!A(m,k)*B(k,n)");
    const { page } = await openPage(site.browser, await urlOf({ source }));
    await page.locator(".dot.on").waitFor();
    expect(await sourceOf(page)).toBe(source);
    await page.getByRole("button", { name: "Format" }).click();
    await expect.poll(() => sourceOf(page)).toBe(matmul);
    await typeSource(page, source);
    await page.keyboard.press("Shift+Alt+f");
    await expect.poll(() => sourceOf(page)).toBe(matmul);
    await typeSource(page, "def f(");
    await page.locator(".problems li.error").first().waitFor();
    await page.getByRole("button", { name: "Format" }).click();
    await page.locator(".notice").getByText("can be read is formatted").waitFor();

    const device = page.locator(".device summary");
    // The clock that browsers slow down.
    expect(await device.textContent()).toMatch(/swiftshader.* · timer [\d.]+ [nµm]s$/i);
    await device.click();
    const [, quantum] = /timer (.*)$/.exec((await device.textContent()) ?? "") ?? [];
    await page.getByText(`Times are timestamps of the device, in steps of ${quantum}.`).waitFor();
    const told = await page.getByRole("region", { name: "Profile of the device" }).textContent();
    expect(JSON.parse(told ?? "")).toMatchObject({
      limits: { maxWorkgroupSizeX: expect.any(Number) },
    });
    await page.close();
  });

  it("gives links that bring back how the page is arranged, and are the same when they are given again", async () => {
    const share = async (page: Page): Promise<string> => {
      await page.getByText("Share", { exact: true }).click();
      await page.getByRole("button", { name: "Copy link" }).click();
      await page.getByText(/The link has|address bar/).waitFor();
      await page.keyboard.press("Escape");
      return page.url();
    };
    const { page } = await openPage(site.browser, await urlOf({ source: matmul }));
    await page.getByText("No problems").waitFor();
    const plain = await share(page);
    const border = page.getByRole("separator", { name: "Width of the code" });
    await border.press("ArrowRight");
    await border.press("ArrowRight");
    const box = await border.boundingBox();
    const middle = (box?.x ?? 0) + (box?.width ?? 0) / 2;
    await page.mouse.move(middle, 400);
    await page.mouse.down();
    await page.mouse.move(middle + 39, 400);
    await page.mouse.up();
    await page.getByRole("tab", { name: "Ranges" }).click();
    await page.getByRole("tab", { name: "Tune" }).click();
    const width = Number(await border.getAttribute("aria-valuenow"));
    expect(width).toBeGreaterThan(121);
    const url = await share(page);
    expect(url).not.toBe(plain);
    expect(await share(page)).toBe(url);
    await page.close();

    const again = await openPage(site.browser, url);
    const opened = again.page.getByRole("separator", { name: "Width of the code" });
    await again.page.getByText("No problems").waitFor();
    expect(Number(await opened.getAttribute("aria-valuenow"))).toBe(width);
    for (const name of ["Ranges", "Tune"]) {
      const tab = again.page.getByRole("tab", { name });
      expect(await tab.getAttribute("aria-selected")).toBe("true");
    }
    // So is the link of a page that a link has opened, also once that is as a draft.
    await again.page.waitForTimeout(700);
    expect(again.page.url()).toBe(url);
    expect(await share(again.page)).toBe(url);
    expect(again.complaints).toEqual([]);
    await again.page.close();
  });

  it("stops measuring what things cost when it is asked to, and measures again", async () => {
    const source = matmul.replace("M=4 K=3 N=5", "M=32 K=32 N=32");
    const { page, complaints } = await openPage(site.browser, await urlOf({ source }));
    await page.locator(".dot.on").waitFor();
    await page.getByRole("tab", { name: "Cost" }).click();
    const measure = page.getByRole("button", { name: "Measure on this device" });
    await measure.click();
    const stop = page.getByRole("button", { name: "Stop measuring" });
    await stop.click();
    await page.getByText("what it can do at most, and how mappings compare").waitFor();
    expect(await stop.count()).toBe(0);
    expect(await page.getByRole("row", { name: /^tfjs-style/ }).count()).toBe(0);
    await measure.click();
    await page.getByRole("row", { name: /^tfjs-style/ }).waitFor({ timeout: 60_000 });
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  }, 90_000);

  it("runs at phone width from any part, and shows what comes out", async () => {
    const viewport = { width: 390, height: 780 };
    const { page } = await openPage(site.browser, await urlOf({ source: matmul }), { viewport });
    await page.locator(".dot.on").waitFor();
    const parts = page.getByRole("navigation", { name: "Parts of the page" });
    for (const part of ["Code", "Output", "Tune", "Run"]) {
      await parts.getByRole("button", { name: part, exact: true }).click();
      await page.getByRole("button", { name: "Run now" }).click();
      expect(await page.locator(".run-column").isVisible()).toBe(true);
      await page.locator(".times").waitFor();
      await page.getByRole("button", { name: "Run now" }).waitFor();
    }
    await page.close();
  });

  it("says when a run takes long, and stops it", async () => {
    const hang = `addEventListener("message", ({ data: { request } }) => {
      if (request.kind === "run" && request.job.source.includes("for ever")) for (;;) {}
    });`;
    const url = await urlOf({ source: `# for ever\n${matmul}` });
    const { page } = await openPage(site.browser, url, { worker: hang });
    await page.locator(".dot.on").waitFor();
    await runButton(page).click();
    const long = page.getByRole("alert").getByText("more than 5 s");
    await page.waitForTimeout(1000);
    expect(await long.count()).toBe(0);
    await long.waitFor();
    await page.getByRole("button", { name: "Stop the run" }).click();
    await long.waitFor({ state: "detached" });
    await typeSource(page, matmul);
    await runButton(page).click();
    await page.locator(".verdict.right").waitFor();
    await page.close();
  });
});

describe("the keyboard alone", () => {
  it("opens an example, mends a mistake, runs, reads elements, tunes, and copies a link", async () => {
    const { page, complaints } = await openPage(site.browser, site.server.url);
    await page.locator(".dot.on").waitFor();
    const tabTo = async (what: Locator): Promise<void> => {
      for (let n = 0; n < 120; n++) {
        if (await what.evaluate((element) => element.matches(":focus"))) return;
        await page.keyboard.press("Tab");
      }
      throw new Error(`Tab does not lead to ${what}`);
    };
    await tabTo(page.locator("summary", { hasText: "Examples" }));
    await page.keyboard.press("Enter");
    await tabTo(page.getByRole("button", { name: /^matmul / }));
    await page.keyboard.press("Enter");
    await expect.poll(() => sourceOf(page)).toContain("def matmul");

    await tabTo(page.locator(".editor .cm-content"));
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.press("Delete");
    await page.keyboard.insertText(matmul.replace("B(k, n)", "b(k, n)"));
    await page.locator(".problems li.error").waitFor();
    await tabTo(page.getByRole("button", { name: /^Fix/ }));
    await page.keyboard.press("Enter");
    await page.getByText("No problems").waitFor();

    await tabTo(page.getByRole("tab", { name: "WGSL" }));
    await page.keyboard.press("ArrowRight");
    await page.getByRole("textbox", { name: "Loops" }).waitFor();
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.locator(".times").waitFor();
    await tabTo(page.getByRole("application"));
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    expect(await page.locator(".readout").textContent()).toBe("C(1, 0) = 12");

    await tabTo(page.getByRole("tab", { name: "Run" }));
    await page.keyboard.press("ArrowRight");
    await tabTo(page.getByLabel("Effort"));
    await page.keyboard.press("r");
    expect(await page.getByLabel("Effort").inputValue()).toBe("refine");
    await tabTo(page.getByRole("button", { name: "Tune", exact: true }));
    await page.keyboard.press("Enter");
    const use = page.getByRole("button", { name: "Use these choices" });
    await use.waitFor({ timeout: 60_000 });
    await tabTo(use);
    await page.keyboard.press("Enter");
    const choices = page.getByRole("textbox", { name: /^Choices as JSON/ });
    expect(JSON.parse(await choices.inputValue())).toMatchObject({ version: 2 });

    await tabTo(page.locator("summary", { hasText: "Share" }));
    await page.keyboard.press("Enter");
    await tabTo(page.getByRole("button", { name: "Copy link" }));
    await page.keyboard.press("Enter");
    await page.getByText(/The link has|address bar/).waitFor();
    expect(page.url()).toContain("#1/");
    await page.keyboard.press("Escape");
    expect(complaints).toEqual([]);
    await page.close();
  });
});
