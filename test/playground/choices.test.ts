/** What decides how an index runs, and choosing otherwise, as a visitor does. */
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openBuiltPage } from "./support/built-page.ts";
import { linkOf, matmul, openPage, typeSource } from "./support/page.ts";

const site = openBuiltPage();

const product = matmul.replace("M=4 K=3 N=5", "M=64 K=64 N=64");

/** The page with a product, whose steps no lanes share, as far as `more` does not say otherwise. */
async function openProduct(
  options: string,
  worker = "",
): Promise<{ readonly page: Page; readonly complaints: readonly string[] }> {
  const url = `${site.server.url}${await linkOf({ source: product, options })}`;
  const opened = await openPage(site.browser, url, { worker });
  await opened.page.locator(".dot.on").waitFor();
  return opened;
}

const choices = (page: Page): Locator => page.getByRole("textbox", { name: /^Choices as JSON/ });
const choice = (page: Page, field: string): Locator =>
  page
    .getByRole("group", { name: "kernels/C" })
    .getByRole("combobox", { name: field, exact: true });

async function said(page: Page): Promise<unknown> {
  const text = await choices(page).inputValue();
  return text === "" ? null : JSON.parse(text);
}

const focused = (what: Locator): Promise<boolean> =>
  what.evaluate((element) => element.matches(":focus"));

describe("an index that is pointed at", () => {
  it("says by which choices it runs so, and so do the ranges", async () => {
    const options = `{ "version": 2, "kernels": { "C": { "spread": "no", "unroll": 4, "axes": [{ "workgroup": 8, "points": 1 }] } } }`;
    const { page } = await openProduct(options);
    const title = async (index: string): Promise<string | null> => {
      const marks = page.locator('.editor [class^="ix-"]', { hasText: new RegExp(`^${index}$`) });
      return await marks.first().getAttribute("title");
    };
    await expect
      .poll(() => title("k"))
      .toBe(
        "k runs over 0:64, combined over; on the device: a loop of 16, 4 written out; chosen by kernels/C/unroll = 4",
      );
    expect(await title("m")).toBe(
      "m runs over 0:64, in any order; on the device: 8 workgroups, 8 invocations; chosen by kernels/C/axes/0/workgroup = 8",
    );
    await page.getByRole("tab", { name: "Ranges" }).click();
    const cell = page.getByRole("cell", { name: /^chosen by kernels\/C\/unroll = 4$/ });
    await cell.waitFor();
    await page.close();
  });
});

describe("the choices of a mapping", () => {
  it("are changed and reset with the keyboard, and go into the JSON, the WGSL and links", async () => {
    const { page, complaints } = await openProduct("");
    const wgsl = page.getByRole("textbox", { name: "WGSL" });
    // That of this device, which is compiled anew once it is open.
    await wgsl.getByText("enable subgroups").first().waitFor();
    const before = await wgsl.textContent();
    await page.getByRole("tab", { name: "Mapping" }).click();
    const points = choice(page, "axes/0/points");
    const byDefault = await points.inputValue();
    expect(await points.locator("option").allTextContents()).toContain("2");
    expect(byDefault).not.toBe("2");
    await page.getByText("These are the choices.").waitFor();
    const difference = page.getByRole("region", { name: "Difference of the WGSL" });
    expect(await difference.locator(".added").count()).toBe(0);

    await choice(page, "align").focus();
    for (let n = 0; n < 60 && !(await focused(points)); n++) await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("2");
    await expect
      .poll(() => said(page))
      .toEqual({ version: 2, kernels: { C: { axes: [{ points: 2 }] } } });
    await difference.getByText(/^\d+ lines differ\.$/).waitFor();
    await difference.locator(".added").first().waitFor();
    await expect.poll(() => points.inputValue()).toBe("2");
    expect(await focused(points)).toBe(true);
    const group = page.getByRole("combobox", { name: "Choices of", exact: true });
    await group
      .locator("option", { hasText: "kernels/C (changed)" })
      .waitFor({ state: "attached" });

    // The link has it, and opens with it.
    await page.getByText("Share", { exact: true }).click();
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.getByText(/The link has|address bar/).waitFor();
    const url = page.url();
    await page.keyboard.press("Escape");
    const friend = await openPage(site.browser, url);
    await friend.page.getByRole("tab", { name: "Mapping" }).click();
    await expect.poll(() => choice(friend.page, "axes/0/points").inputValue()).toBe("2");
    await friend.page.close();

    await points.focus();
    await page.keyboard.press("Tab");
    const reset = page.getByRole("button", { name: `Reset to ${byDefault} (axes/0/points)` });
    await expect.poll(() => focused(reset)).toBe(true);
    await page.keyboard.press("Enter");
    await page.getByText("These are the choices.").waitFor();
    expect(await said(page)).toBe(null);
    // The choices that were made are told after the text is compiled.
    await expect.poll(() => points.inputValue()).toBe(byDefault);
    await expect.poll(() => reset.count()).toBe(0);
    expect(await focused(points)).toBe(true);
    await page.getByRole("tab", { name: "WGSL" }).click();
    await expect.poll(() => wgsl.textContent()).toBe(before);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("follow the JSON, and are locked while that cannot be read", async () => {
    const { page } = await openProduct("");
    await page.getByRole("tab", { name: "Mapping" }).click();
    const axis = choice(page, "axes/0/points");
    await axis.waitFor();
    const kept =
      '{ "version": 2, "kernels": { "C": { "axes": [{ "points": 2 }], "spread": "no" } } }';
    await choices(page).fill(kept);
    await expect.poll(() => axis.inputValue()).toBe("2");
    // A value that is not possible is repaired, as it is without controls.
    await choices(page).fill(kept.replace('"points": 2', '"points": 3'));
    const note = page.getByText(
      /^kernels\/C\/axes\/0\/points: 3 is not possible here, \d+ is used$/,
    );
    await note.waitFor();
    const used = / (\d+) is used$/.exec((await note.textContent()) ?? "")?.[1];
    await expect.poll(() => axis.inputValue()).toBe(used);
    await choices(page).fill(`${kept}}`);
    await page.getByRole("alert").getByText("These choices cannot be taken").waitFor();
    expect(await axis.isDisabled()).toBe(true);
    await choices(page).fill(kept);
    await expect.poll(() => axis.isDisabled()).toBe(false);
    await axis.selectOption("1");
    await expect
      .poll(() => said(page))
      .toEqual({ version: 2, kernels: { C: { axes: [{ points: 1 }], spread: "no" } } });
    await page.close();
  });

  it("of an older program are locked until those of the new one come, and it is said why they do not", async () => {
    // The answer for the new program waits until it is let go, and is a failure.
    const failing = `addEventListener("message", (event) => {
      const { id, request } = event.data;
      if (request.kind !== "knobs" || !request.job.source.includes("-> (D)")) return;
      event.stopImmediatePropagation();
      new BroadcastChannel("let go").onmessage = () =>
        postMessage({ id, ok: false, message: "out of memory", next: "Close other pages." });
    });`;
    const { page, complaints } = await openProduct("", failing);
    await page.getByRole("tab", { name: "Mapping" }).click();
    const points = choice(page, "axes/0/points");
    await expect.poll(() => points.isEnabled()).toBe(true);
    await typeSource(page, product.replaceAll("C", "D"));
    await expect.poll(() => points.isDisabled()).toBe(true);
    await page.evaluate('new BroadcastChannel("let go").postMessage(0)');
    const alert = page.getByRole("alert");
    await alert
      .getByText("These choices are not known: out of memory. Close other pages.")
      .waitFor();
    expect(await points.count()).toBe(0);
    await typeSource(page, product);
    await expect.poll(() => points.isEnabled()).toBe(true);
    expect([await alert.count(), complaints]).toEqual([0, []]);
    await page.close();
  });

  it("become the default's one by one, whatever the policy", async () => {
    const { page } = await openProduct('{ "version": 2, "policy": "naive" }');
    await page.getByRole("tab", { name: "Mapping" }).click();
    const reset = page.getByRole("button", { name: /^Reset to \d+ \(axes\/1\/points\)$/ });
    const wanted = Number(/\d+/.exec((await reset.textContent()) ?? "")?.[0]);
    expect(await choice(page, "axes/1/points").inputValue()).toBe("1");
    await reset.click();
    await expect
      .poll(() => said(page))
      .toEqual({
        version: 2,
        policy: "naive",
        kernels: { C: { axes: { 1: { points: wanted } } } },
      });
    await expect.poll(() => choice(page, "axes/1/points").inputValue()).toBe(String(wanted));
    expect(await reset.count()).toBe(0);
    await page.close();
  });

  it("are those of one kernel, statement or loop at a time", async () => {
    const source = `#! sizes T=4 N=16
def steps(float(N) x, float(T, N) y) -> (h, z) {
  h(i) = x(i)
  for t in 0:T { h(i) = 0.5 * h(i) + y(t, i) }
  z() max=! h(i)
}
`;
    const url = `${site.server.url}${await linkOf({ source })}`;
    const { page } = await openPage(site.browser, url);
    await page.locator(".dot.on").waitFor();
    await page.getByRole("tab", { name: "Mapping" }).click();
    const group = page.getByRole("combobox", { name: "Choices of", exact: true });
    await group.waitFor();
    const names = await group.locator("option").allTextContents();
    const kinds = await group
      .locator("optgroup")
      .evaluateAll((all) => all.map((one) => one.getAttribute("label")));
    expect(kinds[0]).toBe("Kernels");
    expect(kinds).toContain("Statements");
    for (const name of names) {
      await group.selectOption(name);
      const fields = page.getByRole("group", { name, exact: true }).getByRole("combobox");
      expect([name, (await fields.count()) > 0]).toEqual([name, true]);
      expect(await page.locator(".choices fieldset").count()).toBe(1);
    }
    await page.close();
  });
});
