/** Links that want to do harm, in the built page. */
import { deflateRawSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openBuiltPage } from "./support/built-page.ts";
import { linkOf, matmul, openPage, typeSource } from "./support/page.ts";

const site = openBuiltPage();

describe("hostile links", () => {
  it("execute nothing: markup in every field is text", async () => {
    const markup =
      "<img src=x onerror=\"document.title='harmed'\"><script>document.title='harmed'</script>";
    const source = `# ${markup}\ndef f(float(N) x) -> (y) { y(i) = ${markup} }\n#! input x=${markup}`;
    const url = `${site.server.url}${await linkOf({ source, def: markup, inputs: { x: markup }, options: markup })}`;
    const { page, complaints } = await openPage(site.browser, url);
    await page.locator(".problems li.error").first().waitFor();
    await page.locator(".problems li .link").first().click();
    await page.locator(".explanation").waitFor();
    expect(await page.title()).toBe("tc-wgsl playground");
    expect(await page.locator("img").count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("execute nothing of what a notice tells of them", async () => {
    const markup = "<img src=x onerror=\"document.title='harmed'\">";
    const url = `${site.server.url}${await linkOf({ source: matmul, options: markup })}`;
    const { page, complaints } = await openPage(site.browser, url);
    await page.locator(".notice").getByText("<img").waitFor();
    expect(await page.title()).toBe("tc-wgsl playground");
    // The editor has some of its own.
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("whose source takes really long are stopped, and the next source is compiled", async () => {
    const statements = Array.from(
      { length: 3000 },
      (_, n) => `  T${n + 1}(m, n) +=! T${n}(m, k) * B(k, n)\n`,
    );
    const source = `def f(float(N, N) T0, float(N, N) B) -> (T3000) {\n${statements.join("")}}\n`;
    const { page } = await openPage(site.browser, `${site.server.url}${await linkOf({ source })}`);
    await page.getByRole("button", { name: "Stop compiling" }).click();
    await page.getByText("the compiler was stopped").waitFor();
    await typeSource(page, matmul);
    await page.getByText("No problems").waitFor();
    await page.getByText("m 0:4").waitFor();
    await page.close();
  });

  it("that take for ever are stopped, and the next source is compiled", async () => {
    const hang = `addEventListener("message", ({ data }) => {
      if (JSON.stringify(data).includes("for ever")) for (;;) {}
    });`;
    const url = `${site.server.url}${await linkOf({ source: `# for ever\n${matmul}` })}`;
    const { page } = await openPage(site.browser, url, { worker: hang });
    await page.getByRole("button", { name: "Stop compiling" }).click();
    await page.getByText("the compiler was stopped").waitFor();
    await typeSource(page, `# for ever, too\n${matmul}`);
    await typeSource(page, matmul);
    await page.getByText("No problems").waitFor();
    await page.getByText("m 0:4").waitFor();
    await page.close();
  });

  it("that are huge, or become huge, show a message, and an example", async () => {
    const bomb = deflateRawSync(Buffer.alloc(250_000_000, "a"), { level: 9 }).toString("base64url");
    // What a link may have is not more than this, and what it may become is.
    expect(bomb.length).toBeLessThan(400_000);
    for (const body of ["A".repeat(500_000), bomb]) {
      const { page, complaints } = await openPage(site.browser, `${site.server.url}#1/${body}`);
      await page.locator(".notice").getByText("cannot be read").waitFor();
      await page.getByText("No problems").waitFor();
      expect(complaints).toEqual([]);
      await page.close();
    }
  });

  it("that are damaged show a message, and an example", async () => {
    const { page } = await openPage(site.browser, `${site.server.url}#1/AAAA`);
    expect(await page.locator(".notice").textContent()).toContain("cannot be read");
    await page.getByText("No problems").waitFor();
    await page.close();
  });
});
