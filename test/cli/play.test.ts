/** `tc-compile play`, on the program as it is published. */
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildPlayground } from "../playground/support/page.ts";
import { buildPackage } from "../support/built-package.ts";
import { execute } from "./fakes.ts";
import { openWorkplace } from "./support.ts";

const place = openWorkplace();
const source = "def f(float(N) x) -> (y) { y(i) = x(i) }\n";

beforeAll(() => {
  buildPackage();
  buildPlayground();
}, 180_000);

afterAll(() => place.remove());

/** The status and the text of a response to a request by some name of this machine. */
function ask(
  url: string,
  path: string,
  host = "localhost",
  method = "GET",
): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const { port } = new URL(url);
    const sent = request(
      { port, path, method, host: "127.0.0.1", headers: { host } },
      (response) => {
        let text = "";
        response.on("data", (part) => {
          text += part;
        });
        response.on("end", () => resolve([response.statusCode ?? 0, text]));
      },
    );
    sent.on("error", reject);
    sent.end();
  });
}

describe("play", () => {
  test("serves the page with the program, tells when it changes, and ends with 0", async () => {
    place.write("a.tc", source);
    const running = place.start(["play", "a.tc"]);
    await running.until("err", "Ctrl-C ends it\n");
    const url = running.out().trim();
    expect(url).toMatch(/^http:\/\/localhost:\d+\/$/);
    const [status, page] = await ask(url, "/");
    expect([status, page.includes('<meta name="tc-program"')]).toEqual([200, true]);
    expect(page).toContain("Content-Security-Policy");
    expect(await ask(url, "/program")).toEqual([200, JSON.stringify({ file: "a.tc", source })]);

    const events = await fetch(`${url}events`);
    const reader = events.body?.getReader();
    await reader?.read();
    place.write("a.tc", `# changed\n${source}`);
    const event = await reader?.read();
    expect(new TextDecoder().decode(event?.value)).toBe("data: changed\n\n");
    expect((await ask(url, "/program"))[1]).toContain("# changed");

    expect((await ask(url, "/program", "evil.example"))[0]).toBe(421);
    expect((await ask(url, "/../package.json"))[0]).toBe(404);
    expect((await ask(url, "/program", "localhost", "POST"))[0]).toBe(405);
    running.child.kill("SIGINT");
    expect(await running.exit).toEqual({ code: 0, signal: null });
  });

  test("says what is wrong with its file or its port", async () => {
    const ends = async (line: string): Promise<number> =>
      (await execute(line, { "a.tc": source })).code;
    expect(await ends("play gone.tc")).toBe(2);
    expect(await ends("play a.tc b.tc")).toBe(2);
    expect(await ends("play --port http")).toBe(2);
    expect(await ends("play a.tc --port 8080")).toBe(0);
  });
});
