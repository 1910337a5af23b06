/** Runs whose dispatches may take long, in headless Chromium: they are launched in slices, between which they can be stopped. */
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openBuiltPage } from "./support/built-page.ts";
import { linkOf, matmul, type Opened, openPage, typeSource } from "./support/page.ts";

const site = openBuiltPage();

/** So many workgroups, each of which computes one sum, that is long enough to be taken for long. */
const workgroups = 16;
const long = `#! sizes M=4 K=131072 N=4
#! input A=ones B=ones
${matmul.slice(matmul.indexOf("def"))}`;
const options = JSON.stringify({ version: 2, policy: "plain" });

/** Tells all pages of dispatches, and lets the device take so many milliseconds more for each workgroup of the last one. */
const slowDevice = (ms: number): string => `{
  const channel = new BroadcastChannel("dispatches");
  let workgroups = 0;
  const { dispatchWorkgroups } = GPUComputePassEncoder.prototype;
  GPUComputePassEncoder.prototype.dispatchWorkgroups = function (x, y = 1, z = 1) {
    workgroups = x * y * z;
    channel.postMessage(workgroups);
    return dispatchWorkgroups.call(this, x, y, z);
  };
  const { onSubmittedWorkDone } = GPUQueue.prototype;
  GPUQueue.prototype.onSubmittedWorkDone = async function () {
    const late = ${ms} * workgroups;
    workgroups = 0;
    await onSubmittedWorkDone.call(this);
    await new Promise((resolve) => setTimeout(resolve, late));
  };
}`;
const listening = `
  globalThis.dispatches = [];
  new BroadcastChannel("dispatches").onmessage = ({ data }) => globalThis.dispatches.push(data);`;
const withoutApi = 'Object.defineProperty(WorkerNavigator.prototype, "gpu", { value: undefined });';

async function open(where: "worker" | "page", ms: number): Promise<Opened> {
  const url = `${site.server.url}${await linkOf({ source: long, options })}`;
  const opened = await openPage(
    site.browser,
    url,
    where === "worker"
      ? { before: listening, worker: slowDevice(ms) }
      : { before: `${listening}\n${slowDevice(ms)}`, worker: withoutApi, bench: withoutApi },
  );
  await opened.page.locator(".dot.on").waitFor();
  return opened;
}

/** The workgroups of each dispatch so far. */
async function dispatchesOf(page: Page): Promise<readonly number[]> {
  return await page.evaluate<readonly number[]>("globalThis.dispatches");
}

const runButton = (page: Page): Locator =>
  page.getByRole("button", { name: "Run", exact: true }).first();

describe("a run that may take long", () => {
  it("is launched in slices, and so is its time measured where it did", async () => {
    const { page, complaints } = await open("worker", 100);
    await runButton(page).click();
    await page.locator(".verdict.right").getByText("All 16").waitFor();
    await page.getByText(`one execution in ${workgroups} launches, wall clock`).waitFor();
    // The run, which finds that two workgroups take twice as long as one, and the measurement.
    const ones = (length: number): readonly number[] => Array.from({ length }, () => 1);
    expect(await dispatchesOf(page)).toEqual([1, 2, ...ones(workgroups - 3), ...ones(workgroups)]);
    await page.getByText("Each kernel", { exact: true }).click();
    expect(await page.locator(".times tbody tr").count()).toBe(1);

    // One that does not is launched whole, and measured again and again.
    await typeSource(page, matmul);
    await runButton(page).click();
    await page.locator(".verdict.right").getByText("All 20").waitFor();
    await page.getByText(/median of \d+/).waitFor();
    expect(complaints).toEqual([]);
    await page.close();
  }, 60_000);

  it.each(["worker", "page"] as const)(
    "in the %s is stopped between two slices",
    async (where) => {
      const { page } = await open(where, 1_000);
      await runButton(page).click();
      await page.getByRole("alert").getByText("more than 5 s").waitFor();
      await page.getByRole("button", { name: "Stop the run" }).click();
      await runButton(page).waitFor();
      // What was submitted before it was stopped is over after that.
      await page.waitForTimeout(1_200);
      const launched = await dispatchesOf(page);
      expect(launched.length).toBeGreaterThan(2);
      expect(launched.length).toBeLessThan(workgroups);
      await page.waitForTimeout(2_000);
      expect(await dispatchesOf(page)).toEqual(launched);

      await typeSource(page, matmul);
      await runButton(page).click();
      await page.locator(".verdict.right").getByText("All 20").waitFor();
      await page.close();
    },
    60_000,
  );
});
