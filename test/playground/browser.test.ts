/** The playground as a visitor has it: the built page, in headless Chromium with WebGPU on SwiftShader. */
import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { writeNpy } from "../../src/cli/npy.ts";
import { compile } from "../../src/index.ts";
import { gpuProfile, namedProfiles } from "../../src/support/device-profile.ts";
import { databaseOf, generatorVersion, lockedEntry, readLockFile } from "../../src/tune.ts";
import { openBuiltPage } from "./support/built-page.ts";
import { typeKeys } from "./support/key-times.ts";
import { type GivenState, linkOf, matmul, openPage, sourceOf, typeSource } from "./support/page.ts";

const site = openBuiltPage();

async function urlOf(state: GivenState): Promise<string> {
  return `${site.server.url}${await linkOf(state)}`;
}

/**
 * Milliseconds of its processor's time that the page's own thread takes for each key that is typed, whatever else goes on
 * in workers and on the device: a busy machine makes it no longer. `scripts/playground-figures` measures until the next frame.
 */
async function busyPerKey(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const busy = async (): Promise<number> => {
    const { metrics } = await session.send("Performance.getMetrics");
    const found = metrics.find(({ name }) => name === "TaskDuration");
    return (found?.value ?? Number.NaN) * 1000;
  };
  await page.click(".editor .cm-content");
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.insertText("# ");
  const before = await busy();
  const keys = 20;
  await typeKeys(page, keys, 40);
  const took = (await busy()) - before;
  await session.detach();
  return took / keys;
}

/** The line of the draft in the page's IndexedDB. */
const keptDraft = `new Promise((resolve) => {
  const opening = indexedDB.open("tc-wgsl draft");
  opening.onsuccess = () => {
    const { result } = opening;
    if (!result.objectStoreNames.contains("lines")) return resolve(null);
    const lines = result.transaction("lines").objectStore("lines").getAll();
    lines.onsuccess = () => { result.close(); resolve(lines.result.at(-1) ?? null); };
  };
})`;

describe("the playground with WebGPU", () => {
  it("shows a mistake while it is typed, mends it, runs, and has the reference's numbers", async () => {
    const { page, complaints } = await openPage(site.browser, site.server.url);
    await typeSource(page, matmul.replace("B(k, n)", "b(k, n)"));
    const problem = page.locator(".problems li.error");
    await problem.waitFor();
    expect(await problem.textContent()).toContain("b");
    expect(await page.locator(".cm-lintRange-error").first().textContent()).toBe("b");
    await problem.getByRole("button", { name: /^Fix/ }).click();
    await page.getByText("No problems").waitFor();
    expect(await sourceOf(page)).toBe(matmul);
    expect(await page.locator(".cm-hint").textContent()).toBe("m 0:4n 0:5k 0:3");
    const wgsl = page.getByRole("textbox", { name: "WGSL" });
    await wgsl.getByText("@workgroup_size").first().waitFor();

    await page.keyboard.press("ControlOrMeta+Enter");
    await page.locator(".verdict.right").waitFor();
    expect(await page.locator(".verdict").textContent()).toContain("All 20 elements");
    const picture = page.getByRole("application");
    await picture.press("ArrowDown");
    await picture.press("ArrowDown");
    // Row 1 of A is 3 4 5, and B has ones.
    expect(await page.locator(".readout").textContent()).toBe("C(1, 0) = 12");
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("lights what belongs together in source, loops and WGSL, with one colour for each index", async () => {
    // Long enough for a loop in the text.
    const source = matmul.replace("K=3", "K=300");
    const { page } = await openPage(site.browser, await urlOf({ source }));
    await page.locator(".dot.on").waitFor();
    const wgsl = page.getByRole("textbox", { name: "WGSL" });
    const loop = wgsl.locator(".cm-line", { hasText: "for (var" }).first();
    await loop.waitFor();
    const index = page.getByRole("textbox", { name: "Source" }).locator('[class^="ix-"]', {
      hasText: /^k$/,
    });
    const colour = await loop.locator('[class^="ix-"]').first().getAttribute("class");
    expect(await index.first().getAttribute("class")).toBe(colour);

    // The text may still move: what is made before the device is known is made again.
    const lit = page.locator(".editor .cm-linked");
    const litByLoop = async (): Promise<readonly string[]> => {
      await page.mouse.move(0, 0);
      await loop.hover();
      await lit.first().waitFor();
      return await lit.allTextContents();
    };
    await expect.poll(litByLoop, { timeout: 10_000 }).toEqual(["k", "k"]);

    await page.locator(".editor .cm-line", { hasText: "C(m, n)" }).getByText("A").hover();
    const lines = wgsl.locator(".cm-linked-line");
    await lines.filter({ hasText: "A[" }).first().waitFor();
    expect((await lines.allTextContents()).filter((line) => line.includes("B["))).toEqual([]);
    await page.close();
  });

  it("keeps up with its visitor's keys during a run", async () => {
    // Seconds of work for the device, and for the reference.
    const source = matmul.replace("M=4 K=3 N=5", "M=1024 K=1024 N=1024");
    const { page, complaints } = await openPage(site.browser, await urlOf({ source }));
    await page.locator(".dot.on").waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).first().click();
    const stop = page.getByRole("button", { name: "Stop", exact: true });
    await stop.waitFor();
    expect(await busyPerKey(page)).toBeLessThan(50);
    expect(await stop.isVisible()).toBe(true);
    await stop.click();
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("tunes on the device, remembers what it finds, and takes a candidate", async () => {
    const source = matmul.replace("M=4 K=3 N=5", "M=32 K=32 N=32");
    const { page, complaints } = await openPage(site.browser, await urlOf({ source }));
    await page.locator(".dot.on").waitFor();
    await page.getByRole("tab", { name: "Tune" }).click();
    const records = page.getByRole("region", { name: "Remembered in this browser" });
    await records.getByText("Nothing yet.").waitFor();
    await page.getByLabel("Effort").selectOption("refine");
    const tune = page.getByRole("button", { name: "Tune", exact: true });
    await tune.click();
    await page.locator(".plot-dot").first().waitFor({ timeout: 60_000 });
    expect(await busyPerKey(page)).toBeLessThan(50);
    const use = page.getByRole("button", { name: "Use these choices" });
    await use.waitFor({ timeout: 60_000 });
    const found = page.getByRole("region", { name: "What tuning found" });
    const row = found.getByRole("row", { name: /^Median / });
    expect((await row.getByRole("cell").allTextContents()).join()).toMatch(/^[\d.]+ [nµm]?s/);
    expect(await found.locator(".fault").count()).toBe(0);
    await records.getByText(/^\d+ records of one program at its sizes/).waitFor();

    const locked = page.waitForEvent("download");
    await found.getByRole("button", { name: "Export tc.lock.json" }).click();
    expect((await locked).suggestedFilename()).toBe("tc.lock.json");
    const lock = readLockFile(readFileSync(await (await locked).path(), "utf8"));
    if ("fault" in lock) throw new Error(lock.fault);
    const { swiftshader: profile = gpuProfile } = namedProfiles;
    const entry = lockedEntry(lock, source, { profile, generator: generatorVersion });
    expect(entry).toMatchObject({ def: "mm", sizes: { M: 32, K: 32, N: 32 }, alternative: null });

    // On a slow machine there is time for the default only.
    await found.getByText(/^All \d+ candidates$|^The one candidate$/).click();
    await found
      .getByRole("button", { name: /^Load\s*candidate \d/ })
      .last()
      .click();
    const choices = page.getByRole("textbox", { name: /^Choices as JSON/ });
    expect(JSON.parse(await choices.inputValue())).toMatchObject({ version: 2 });
    const mapping = page.getByRole("region", { name: "Difference of the WGSL" });
    await mapping.getByText(/lines differ|The WGSL is the same|These are the choices/).waitFor();
    // It is run, too.
    await page.getByRole("tab", { name: "Run" }).click();
    await page.locator(".verdict.right").waitFor({ timeout: 30_000 });
    expect(await page.locator(".verdict.right").textContent()).toMatch(/reference; (exact|within)/);
    await page.locator(".times").waitFor({ timeout: 30_000 });

    // So does a click on a dot.
    await page.getByRole("tab", { name: "Tune" }).click();
    await page.getByRole("tab", { name: "WGSL" }).click();
    await found.locator(".plot-dot").first().click({ force: true });
    const loaded = found.locator(".plot-dot.loaded").first();
    const number = /^candidate (\d+):/.exec((await loaded.getAttribute("title")) ?? "")?.[1];
    expect(
      await found.getByRole("rowheader", { name: number ?? "none", exact: true }).count(),
    ).toBe(1);
    expect(JSON.parse(await choices.inputValue())).toMatchObject({ version: 2 });
    await page.getByRole("button", { name: "Stop", exact: true }).waitFor({ state: "detached" });

    // What is known is not measured again, unless that is asked for.
    await tune.click();
    await found.getByText("An earlier run on this device has found the answer.").waitFor();
    expect(await page.locator(".plot-dot").count()).toBe(0);
    await found.getByRole("button", { name: "Search again" }).click();
    await page.locator(".plot-dot").first().waitFor({ timeout: 60_000 });
    await use.waitFor({ timeout: 60_000 });

    const saved = page.waitForEvent("download");
    await records.getByRole("button", { name: "Export", exact: true }).click();
    const lines = readFileSync(await (await saved).path(), "utf8")
      .trimEnd()
      .split("\n");
    const kept = databaseOf(lines);
    expect([kept.records.length, kept.faults.length]).toEqual([lines.length, 0]);
    await records.getByRole("button", { name: "Forget all" }).click();
    await records.getByText("Nothing yet.").waitFor();
    const load = async (text: string): Promise<void> =>
      await records.getByLabel("Import").setInputFiles({
        name: "kept.jsonl",
        mimeType: "application/jsonl",
        buffer: Buffer.from(text),
      });
    await load("nothing of that kind\n");
    await records.getByText("kept.jsonl holds no records of tuning").waitFor();
    await load(`${lines.join("\n")}\n`);
    await records.getByText(`Took ${lines.length.toLocaleString("en")} records`).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  }, 180_000);

  it("goes on tuning after a hang and after a lost device, pauses, and ends when asked", async () => {
    const bench = `let admitted = 0;
      addEventListener("message", ({ data: { task } }) => {
        if (task.kind === "admit" && ++admitted === 3) for (;;) {}
      });`;
    const { page } = await openPage(site.browser, await urlOf({ source: matmul }), { bench });
    await page.locator(".dot.on").waitFor();
    await page.getByRole("tab", { name: "Tune" }).click();
    await page.getByLabel("Effort").selectOption("full");
    await page.getByRole("button", { name: "Tune", exact: true }).click();
    const dots = page.locator(".plot-dot");
    await dots.nth(1).waitFor({ timeout: 60_000 });
    await page.getByText(/^(?:All \d+ candidates|The one candidate)$/).click();
    const rows = page.getByRole("region", { name: "What tuning found" }).getByRole("row");
    await rows.getByText(/^took too long: ran for more than/).waitFor({ timeout: 60_000 });
    await dots.nth(3).waitFor({ timeout: 60_000 });

    const said = page.getByRole("status");
    await page.getByRole("button", { name: "Pause" }).click();
    await said.getByText("Paused", { exact: true }).waitFor();
    // What is at its turn is done first.
    const count = async (): Promise<number> => {
      await page.waitForTimeout(500);
      return await dots.count();
    };
    await count();
    const before = await count();
    expect(await count()).toBe(before);
    const session = await site.browser.newBrowserCDPSession();
    await session.send("Browser.crashGpuProcess");
    await page.getByRole("button", { name: "Resume" }).click();
    await said.getByText("Tuning", { exact: true }).waitFor();
    await dots.nth(before + 2).waitFor({ timeout: 60_000 });

    const setHidden = async (isHidden: boolean): Promise<void> =>
      await page.evaluate(`Object.defineProperty(document, "hidden", {
        value: ${isHidden}, configurable: true,
      }); document.dispatchEvent(new Event("visibilitychange"));`);
    await setHidden(true);
    await said.getByText("Paused while this page is hidden").waitFor();
    await setHidden(false);
    await said.getByText("Tuning", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Stop, keep the best" }).click();
    await page.getByText("The run was ended before its time.").waitFor({ timeout: 30_000 });
    await page.getByRole("button", { name: "Use these choices" }).waitFor();
    await page.close();
  }, 180_000);

  it("takes a file for an input, and the sizes from its shape", async () => {
    const { page } = await openPage(site.browser, await urlOf({ source: matmul }));
    await page.locator(".dot.on").waitFor();
    const bytes = writeNpy("float32", [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6));
    await page.getByLabel("A .npy file for A").setInputFiles({
      name: "a.npy",
      mimeType: "application/octet-stream",
      buffer: Buffer.from(bytes),
    });
    await page.locator(".file", { hasText: "a.npy" }).waitFor();
    await page.getByText("m 0:2").waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).first().click();
    await page.locator(".verdict.right").waitFor();
    await page.getByRole("application").press("ArrowDown");
    expect(await page.locator(".readout").textContent()).toBe("C(0, 0) = 6");
    await page.locator(".times").getByText("mm_0").waitFor({ state: "attached" });

    // Numbers of another size are marked until those of the new one are there.
    const old = page.locator(".results .stale-note");
    await page.getByLabel("N", { exact: true }).fill("7");
    await old.getByText("other sizes (M=2 K=3 N=5)").waitFor();
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.locator(".verdict.right").getByText("All 14").waitFor();
    expect(await old.count()).toBe(0);
    await page.close();
  });

  it("shows what kernels cost, and what a mapping by hand changes in the WGSL", async () => {
    const naive = compile(matmul, { options: "naive" });
    const options = naive.ok ? JSON.stringify(naive.options) : "";
    const { page } = await openPage(site.browser, await urlOf({ source: matmul, options }));
    await page.locator(".dot.on").waitFor();
    await page.getByRole("tab", { name: "Cost" }).click();
    const facts = page.getByRole("textbox", { name: "Facts of the kernels" });
    await facts.getByText("mm_0").first().waitFor();
    // 60 multiply-adds, and all elements of A, B and C once.
    const kernel = page.getByRole("row", { name: /^mm_0/ });
    expect(await kernel.getByRole("cell").allTextContents()).toEqual([
      "120\u00a0op",
      "188\u00a0B",
      "0.638",
      expect.stringMatching(/^[\d.]+ [nµm]?s launch$/),
    ]);
    await page.getByRole("button", { name: "Measure on this device" }).click();
    await page.getByText(/^This device computes [\d.]+.[GT]op\/s and copies/).waitFor();
    const standing = (name: string): Locator =>
      page.getByRole("row", { name: new RegExp(`^${name} `) });
    await standing("yours").getByText("the same kernels as naive").waitFor({ timeout: 30_000 });
    const tiled = "tfjs-style matmul";
    await standing(tiled).waitFor();
    for (const name of ["naive", "default", tiled]) {
      expect(await standing(name).getByRole("cell").first().textContent()).toMatch(/ [nµm]?s$/);
    }
    await page.locator(".roof-point.mapping", { hasText: tiled }).waitFor();
    const point = page.locator(".roof-point.mapping", { hasText: "default" });
    await point.waitFor();
    // A point says which it is, how long that took, and what it chooses.
    expect(await point.getAttribute("title")).toMatch(/^default: [\d.]+.[nµm]?s\nC: .*\d/);
    expect(await standing("default").getByRole("rowheader").textContent()).toContain("C: ");
    await page.getByRole("tab", { name: "Mapping" }).click();
    await page.locator(".diff .added").first().waitFor();
    await page.getByRole("button", { name: "Use the default" }).click();
    await page.getByText("These are the choices.").waitFor();
    expect(await page.locator(".diff").count()).toBe(0);
    await page.getByLabel("WGSL, beside").selectOption("the naive one");
    await page.locator(".diff .removed").first().waitFor();
    await page.close();
  });

  it("is an element for other pages", async () => {
    const page = await site.browser.newPage();
    const html = `<script type="module" src="./tc-play.js"></script>
      <tc-play sizes="M=2 K=2 N=2">${matmul.replaceAll("<", "&lt;")}</tc-play>`;
    await page.route("**/host.html", (route) =>
      route.fulfill({ contentType: "text/html", body: html }),
    );
    await page.goto(`${site.server.url}host.html`);
    const frame = page.frameLocator("iframe");
    await frame.getByText("m 0:2").waitFor();
    expect(await frame.getByRole("button", { name: "Examples" }).count()).toBe(0);
    expect(await frame.getByText("Open in the playground").isVisible()).toBe(true);
    await page.close();
  });

  it("keeps the last good output while the source has errors, and says so", async () => {
    const { page } = await openPage(site.browser, await urlOf({ source: matmul }));
    await page.getByRole("textbox", { name: "WGSL" }).getByText("@compute").first().waitFor();
    await typeSource(page, "def mm(");
    await page.getByText("of the last version without errors").first().waitFor();
    expect(await page.getByRole("textbox", { name: "WGSL" }).textContent()).toContain("@compute");
    // While something is being compiled, it waits for that.
    const run = page.getByRole("button", { name: "Run", exact: true }).first();
    await expect.poll(() => run.isDisabled()).toBe(true);
    await page.close();
  });

  it("makes a program of an einsum formula, and keeps it for those who come back", async () => {
    const { page } = await openPage(site.browser, site.server.url);
    await page.getByText("Examples", { exact: true }).click();
    const formula = page.getByLabel("From einsum");
    await formula.fill("mk,kn->m?");
    await formula.press("Enter");
    await page.locator(".einsum .bad").getByText("?").waitFor();
    await formula.fill("mk,kn->mn");
    await formula.press("Enter");
    await page.getByText("m 0:32").waitFor();
    const written = await sourceOf(page);
    expect(written).toContain("+=!");
    await expect.poll(() => page.evaluate(keptDraft), { timeout: 5_000 }).toMatch(/^#1\//);
    await page.goto(site.server.url);
    await page.getByText("m 0:32").waitFor();
    expect(await sourceOf(page)).toBe(written);

    // A link of somebody else's: changes of it stay, and so does what was here before.
    await page.goto(await urlOf({ source: matmul }));
    await page.getByText("m 0:4").waitFor();
    await page.waitForTimeout(600);
    const own = await page.evaluate(keptDraft);
    const changed = `${matmul}# mine\n`;
    await typeSource(page, changed);
    await expect.poll(() => page.evaluate(keptDraft), { timeout: 5_000 }).not.toBe(own);
    await expect.poll(() => new URL(page.url()).hash).toBe("");
    await page.reload();
    await page.getByText("m 0:4").waitFor();
    expect(await sourceOf(page)).toBe(changed);

    // A link that was copied is left in the address until there is more to keep.
    await page.getByText("Share", { exact: true }).click();
    await page.getByRole("button", { name: "Copy link" }).click();
    await expect.poll(() => new URL(page.url()).hash).toMatch(/^#1\//);
    await typeSource(page, `${changed}# more\n`);
    await expect.poll(() => new URL(page.url()).hash).toBe("");

    await page.getByText("Examples", { exact: true }).click();
    const drafts = page.locator("section", { hasText: "Your earlier drafts" });
    await drafts.getByRole("button").first().waitFor();
    expect(await drafts.getByRole("button").count()).toBe(1);
    await drafts.getByRole("button").click();
    await page.getByText("m 0:32").waitFor();
    expect(await sourceOf(page)).toBe(written);
    await page.close();
  });

  it("gives links that bring back source, sizes, inputs and mapping", async () => {
    const { page } = await openPage(site.browser, await urlOf({ source: matmul }));
    await page.getByText("No problems").waitFor();
    await page.getByLabel("M", { exact: true }).fill("6");
    await page.getByRole("textbox", { name: /^B/ }).fill("full(2)");
    await page.getByText("Share", { exact: true }).click();
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText(/The link has|address bar/).waitFor();
    const url = page.url();
    await page.close();

    const again = await openPage(site.browser, url);
    await again.page.getByText("No problems").waitFor();
    expect(await sourceOf(again.page)).toBe(matmul);
    expect(await again.page.getByLabel("M", { exact: true }).inputValue()).toBe("6");
    expect(await again.page.getByRole("textbox", { name: /^B/ }).inputValue()).toBe("full(2)");
    expect(again.complaints).toEqual([]);
    await again.page.close();
  });

  it("drops a mapping that it cannot read, and keeps the rest of the link", async () => {
    const url = await urlOf({ source: matmul, sizes: { M: 9 }, options: '{"version":99}' });
    const { page } = await openPage(site.browser, url);
    const notice = page.locator(".notice");
    await notice.waitFor();
    expect(await notice.textContent()).toContain("were dropped");
    await page.getByText("No problems").waitFor();
    expect(await sourceOf(page)).toBe(matmul);
    expect(await page.getByLabel("M", { exact: true }).inputValue()).toBe("9");
    await page.close();
  });

  it("tells who opens a link whose mapping another version of the compiler chose", async () => {
    const options = '{ "version": 2, "policy": "naive" }';
    const url = await urlOf({ source: matmul, options, made: "0.1234" });
    const { page } = await openPage(site.browser, url);
    await page.locator(".notice").getByText("another version of the compiler").waitFor();
    await page.close();
  });

  it("saves the program, its kernels and a module, and opens a program that is dropped on it", async () => {
    const { page, complaints } = await openPage(site.browser, await urlOf({ source: matmul }));
    await page.locator(".dot.on").waitFor();
    await page.getByRole("textbox", { name: "WGSL" }).getByText("@compute").first().waitFor();
    const save = async (name: string): Promise<string> => {
      await page.getByText("Download", { exact: true }).click();
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name: new RegExp(`^${name} `) }).click();
      expect((await saved).suggestedFilename()).toBe(name);
      return readFileSync(await (await saved).path(), "utf8");
    };
    expect(await save("mm.tc")).toBe(matmul);
    expect(await save("mm.wgsl")).toContain("@compute @workgroup_size");
    expect(await save("mm.js")).toContain("export const requirements");
    expect(await save("mm.d.ts")).toContain("export");
    await page.evaluate(`{
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(matmul.replaceAll("mm", "dropped"))}], "a.tc"));
      document.querySelector(".editor").dispatchEvent(
        new DragEvent("drop", { dataTransfer: data, bubbles: true, composed: true, cancelable: true }),
      );
    }`);
    await page.getByRole("textbox", { name: "WGSL" }).getByText("dropped_0").first().waitFor();
    expect(await sourceOf(page)).toBe(matmul.replaceAll("mm", "dropped"));
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("opens a new device after the browser has lost the old one", async () => {
    const { page } = await openPage(site.browser, await urlOf({ source: matmul }));
    await page.locator(".dot.on").waitFor();
    const session = await site.browser.newBrowserCDPSession();
    await session.send("Browser.crashGpuProcess");
    await page
      .locator(".device-note")
      .getByText(/The device was lost/)
      .waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).first().click();
    await page.locator(".verdict.right").waitFor();
    await page.locator(".dot.on").waitFor();
    await page.close();
  });
});

describe("the playground's look", () => {
  it("fits a phone: one part at a time, nothing cut off, dark as the system is", async () => {
    const viewport = { width: 390, height: 780 };
    const { page } = await openPage(site.browser, await urlOf({ source: matmul }), {
      viewport,
      colorScheme: "dark",
    });
    await page.getByText("No problems").waitFor();
    const bodyWidth = await page.evaluate("document.documentElement.scrollWidth");
    expect(bodyWidth).toBe(390);
    expect(await page.locator(".run-column").isVisible()).toBe(false);
    await page.getByRole("navigation", { name: "Parts of the page" }).getByText("Run").click();
    expect(await page.locator(".run-column").isVisible()).toBe(true);
    expect(await page.locator(".code-column").isVisible()).toBe(false);
    const background = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(background).toBe("rgb(18, 21, 29)");
    await page.close();
  });
});
