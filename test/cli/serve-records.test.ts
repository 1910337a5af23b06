/** The records of tuning as a page of this machine gets them, and what requests of others get. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type PageServer, servePage } from "../../src/cli/process/serve-page.ts";
import { servedRecords } from "../../src/cli/tuning-tools.ts";
import { databaseOf, printRecord } from "../../src/tune.ts";
import { record } from "../tuner/support/records.ts";

const folder = mkdtempSync(join(tmpdir(), "tc-records-"));
const file = join(folder, "tuned.jsonl");
const fast = printRecord(record({ text: "fast", us: 5 }));
const slow = printRecord(record({ text: "slow", us: 9 }));

let server: PageServer;

beforeAll(async () => {
  writeFileSync(join(folder, "index.html"), "<html><head></head></html>");
  server = await servePage({ folder, port: 0, records: servedRecords(file) });
});

beforeEach(async () => {
  rmSync(file, { force: true });
  // Pages read before they write.
  await ask();
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

interface Asked {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly to?: PageServer;
}

/** The status of the answer, and what it says. */
function ask({
  method = "GET",
  body = "",
  headers = {},
  to = server,
}: Asked = {}): Promise<
  [number, { name?: string; lines?: string[]; notes?: string[]; added?: number; message?: string }]
> {
  const own = { host: `localhost:${to.port}`, ...headers };
  const given = Object.entries(own).filter((one): one is [string, string] => one[1] !== undefined);
  return new Promise((resolve, reject) => {
    const { port } = to;
    const options = { port, path: "/records", method, host: "127.0.0.1" };
    const sent = request({ ...options, headers: Object.fromEntries(given) }, (response) => {
      let text = "";
      response.on("data", (part) => {
        text += part;
      });
      response.on("end", () => resolve([response.statusCode ?? 0, JSON.parse(text || "{}")]));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

/** As the page itself sends lines. */
function post(lines: unknown, headers: Asked["headers"] = {}, to = server): ReturnType<typeof ask> {
  const own = {
    origin: `http://localhost:${to.port}`,
    "content-type": "application/json",
    "sec-fetch-site": "same-origin",
  };
  const body = typeof lines === "string" ? lines : JSON.stringify({ lines });
  return ask({ method: "POST", body, headers: { ...own, ...headers }, to });
}

const kept = (): readonly string[] => readFileSync(file, "utf8").split("\n");

describe("the records of a served page", () => {
  it("are those of the file, and what the page finds is appended to it", async () => {
    expect(await ask()).toEqual([200, { name: file, lines: [], notes: [] }]);
    writeFileSync(file, `${fast}\n`);
    expect((await ask())[1].lines).toEqual([fast]);
    expect(await post([slow])).toEqual([200, { added: 1 }]);
    expect(kept()).toEqual([fast, slow, ""]);
    const html = await (await fetch(server.url)).text();
    expect(html).toContain('<head><meta name="tc-records" content="./records">');
    expect(html).not.toContain("tc-program");
  });

  it("go on a line of their own behind one that lost its end", async () => {
    writeFileSync(file, `${fast}\n${slow.slice(0, 40)}`);
    const [, { lines, notes }] = await ask();
    expect([lines, notes?.join()]).toEqual([[fast], expect.stringContaining("line 2")]);
    await post([slow]);
    expect(kept()).toEqual([fast, slow.slice(0, 40), slow, ""]);
  });

  it("are written several times at once without a loss", async () => {
    const texts = Array.from({ length: 8 }, (_, n) =>
      printRecord(record({ text: `c${n}`, us: n })),
    );
    await Promise.all(texts.map((text) => post([text])));
    expect(
      databaseOf(kept())
        .records.map((r) => r.text)
        .sort(),
    ).toHaveLength(8);
    expect(databaseOf(kept()).faults).toEqual([]);
  });

  it("are nothing else: other lines, and lines within lines, are left out", async () => {
    const more = { ...JSON.parse(fast), schema: 2, note: "later" };
    const smuggled = JSON.stringify(more, null, 1).replace("{", "{\n\nnothing of ours\n");
    const later = JSON.stringify(more, null, 1);
    const lines = ["rm -rf", "", "{", smuggled, later, '{"schema":1}', `${fast}\n${slow}`];
    expect(await post([...lines, fast])).toEqual([200, { added: 1 }]);
    expect(kept()).toEqual([fast, ""]);
  });

  it("stay where a file holds something else, or cannot be written", async () => {
    writeFileSync(file, "my diary\n");
    expect((await ask())[1].notes?.join()).toContain("holds no records of tuning");
    const [status, { message }] = await post([fast]);
    expect([status, message]).toEqual([500, expect.stringContaining("nothing is written to it")]);
    expect(kept()).toEqual(["my diary", ""]);

    const taken = join(folder, "a-folder");
    mkdirSync(taken);
    const other = await servePage({ folder, port: 0, records: servedRecords(taken) });
    try {
      expect((await ask({ to: other }))[1].notes?.join()).toContain(`${taken} cannot be read`);
      const refused = await post([fast], {}, other);
      expect(refused).toEqual([500, { message: expect.stringContaining("it is a folder") }]);
    } finally {
      await other.close();
    }
  });
});

describe("requests of others", () => {
  it.each([
    ["by a name that was pointed here", { host: "evil.example" }, 421],
    ["of a page elsewhere", { origin: "http://evil.example" }, 403],
    ["of another port of this machine", { origin: "http://localhost:1" }, 403],
    ["of a page without an origin", { origin: "null" }, 403],
    ["of nobody", { origin: undefined }, 403],
    ["that the browser calls foreign", { "sec-fetch-site": "cross-site" }, 403],
    ["as forms send them", { "content-type": "text/plain" }, 415],
    ["of no type", { "content-type": undefined }, 415],
    ["of a type that begins alike", { "content-type": "application/jsonp" }, 415],
  ])("%s write nothing", async (_, headers, status) => {
    expect((await post([fast], headers))[0]).toBe(status);
    // The same words of the page itself are heard.
    expect(() => kept()).toThrow("ENOENT");
    expect((await post([fast]))[0]).toBe(200);
  });

  it.each([
    ["by a name that was pointed here", { host: "evil.example" }, 421],
    ["of a page elsewhere", { origin: "http://evil.example" }, 403],
    ["that the browser calls foreign", { "sec-fetch-site": "cross-site" }, 403],
    ["of another site of this machine", { "sec-fetch-site": "same-site" }, 403],
  ])("%s read nothing", async (_, headers, status) => {
    writeFileSync(file, `${fast}\n`);
    const [found, { lines }] = await ask({ headers });
    expect([found, lines]).toEqual([status, undefined]);
  });

  it.each(["OPTIONS", "PUT", "DELETE"])("of the method %s are refused", async (method) => {
    const origin = `http://localhost:${server.port}`;
    expect((await ask({ method, headers: { origin } }))[0]).toBe(405);
  });

  it.each([
    ["no JSON", "{"],
    ["null", "null"],
    ["no lines", "{}"],
    ["lines that are one text", '{"lines":"a"}'],
    ["lines that are no texts", '{"lines":[{"schema":1}]}'],
  ])("with %s are refused", async (_, body) => {
    expect((await post(body))[0]).toBe(400);
    expect(() => kept()).toThrow("ENOENT");
  });

  it("with more than 4 MiB are not read to their end", async () => {
    const asked = post(["a".repeat(64 * 2 ** 20)]).then(([status]) => status);
    // The connection may be closed before all of it is sent.
    expect([413, "closed"]).toContain(await asked.catch(() => "closed"));
    expect(() => kept()).toThrow("ENOENT");
    expect((await post([fast]))[0]).toBe(200);
  });
});
