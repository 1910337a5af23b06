/** The page where a part of WebGPU is missing, in headless Chromium. */
import { describe, expect, it } from "vitest";
import { openBuiltPage } from "./support/built-page.ts";
import { linkOf, matmul, type Opened, openPage } from "./support/page.ts";

/** No secure context: a name of this machine that browsers do not trust. */
const untrusted = "tc-wgsl.test";

const site = openBuiltPage([untrusted], [`--host-resolver-rules=MAP ${untrusted} 127.0.0.1`]);

describe("the playground without WebGPU", () => {
  const withoutApi =
    'Object.defineProperty(WorkerNavigator.prototype, "gpu", { value: undefined });';
  const cases: readonly Without[] = [
    { what: "in an insecure context", said: "not in a secure context", insecure: true },
    {
      what: "without the interface",
      said: "navigator.gpu is missing",
      worker: withoutApi,
      page: "delete Navigator.prototype.gpu;",
    },
    {
      what: "without an adapter",
      said: "found no adapter",
      worker: "GPU.prototype.requestAdapter = async () => null;",
    },
    {
      what: "with an adapter that gives no device",
      said: "gave no device",
      worker: "GPUAdapter.prototype.requestDevice = async () => { throw new Error('none left'); };",
    },
  ];

  it.each(cases)("$what says so, compiles, and runs the reference", async (without) => {
    const { page, complaints } = await openWithout(without);
    const note = page.locator(".device-note");
    await note.waitFor();
    expect(await note.textContent()).toContain(without.said);
    await page.getByRole("textbox", { name: "WGSL" }).getByText("@compute").waitFor();
    await page.getByRole("button", { name: "Run the reference" }).click();
    await page.getByText("Computed by the float64 reference").waitFor();
    await page.getByRole("application").press("ArrowDown");
    expect(await page.locator(".readout").textContent()).toBe("C(0, 0) = 3");
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("in workers runs on the page's own", async () => {
    const { page } = await openWithout({ what: "", said: "", worker: withoutApi });
    await page.locator(".dot.on").waitFor();
    await page.getByRole("button", { name: "Run", exact: true }).first().click();
    await page.locator(".verdict.right").waitFor();
    await page.getByRole("tab", { name: "Tune" }).click();
    await page.getByRole("button", { name: "Tune", exact: true }).click();
    await page.getByText(/nothing to measure on.*have no WebGPU.*tc-compile tune FILE/).waitFor();
    await page.close();
  });

  interface Without {
    readonly what: string;
    readonly said: string;
    readonly insecure?: true;
    /** Runs in workers before anything else. */
    readonly worker?: string;
    /** Runs in the page before anything else. */
    readonly page?: string;
  }

  async function openWithout({ insecure, worker = "", page = "" }: Without): Promise<Opened> {
    const url = `${site.server.url}${await linkOf({ source: matmul })}`;
    const from = insecure ? url.replace("localhost", untrusted) : url;
    return await openPage(site.browser, from, { before: page, worker, bench: worker });
  }
});
