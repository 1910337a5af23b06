/** The built playground in headless Chromium. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page, ViewportSize } from "playwright-core";
import { type LinkState, writeLink } from "../../../playground/src/share/link.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Where `npm run build:playground` puts the page. */
export const builtFolder: string = join(root, "playground", "dist");

/** A small program. */
export const matmul = `#! sizes M=4 K=3 N=5
#! input A=arange B=ones
def mm(float(M, K) A, float(K, N) B) -> (C) {
  C(m, n) +=! A(m, k) * B(k, n)
}
`;

/** What a link is to hold; what is not said is as it is on a new page. */
export type GivenState = Partial<LinkState> & Pick<LinkState, "source">;

/** The fragment of a link. */
export async function linkOf(state: GivenState): Promise<string> {
  return await writeLink({ def: null, sizes: {}, inputs: {}, options: "", ...state });
}

/** Who has made this folder builds the page. */
const lock = join(root, "playground", ".building");
/** A lock that is older was left behind, in milliseconds. */
const longBuildMs = 120_000;

/** Builds the page unless it is newer than all that it is made of; files of tests run side by side, and one of them builds. */
export function buildPlayground(): void {
  while (!takesLock()) {
    // The hook of a file of tests has nothing else to do.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  try {
    if (!isFresh()) build();
  } finally {
    rmdirSync(lock);
  }
}

function takesLock(): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && Date.now() - since > longBuildMs) rmdirSync(lock);
    return false;
  }
}

function build(): void {
  const built = spawnSync("npm", ["run", "--silent", "build:playground"], {
    cwd: root,
    encoding: "utf8",
  });
  if (built.status !== 0) throw new Error(`the build failed:\n${built.stdout}${built.stderr}`);
}

function isFresh(): boolean {
  const index = join(builtFolder, "index.html");
  if (!existsSync(index)) return false;
  const made = statSync(index).mtimeMs;
  const newest = (folder: string): number =>
    Math.max(
      ...readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((file) => !/^(?:dist|\.building)/.test(file))
        .map((file) => statSync(join(root, folder, file)).mtimeMs),
    );
  return ["src", "playground", "examples"].every((folder) => newest(folder) <= made);
}

/** A page, and what went wrong in it that nobody caught: errors, missing files, the policy. */
export interface Opened {
  readonly page: Page;
  readonly complaints: readonly string[];
}

/** Opens a page; says which requests leave `url`'s machine. */
export async function openPage(
  browser: Browser,
  url: string,
  options: {
    readonly viewport?: ViewportSize;
    readonly colorScheme?: "dark" | "light";
    /** Runs before the page's own scripts. */
    readonly before?: string;
    /** Runs in workers before their own program. */
    readonly worker?: string;
    /** Runs in the first worker that measures candidates, before its own program. */
    readonly bench?: string;
  } = {},
): Promise<Opened> {
  const {
    before,
    worker = "",
    bench = "",
    viewport = { width: 1360, height: 820 },
    colorScheme = "light",
  } = options;
  const page = await browser.newPage({ viewport, colorScheme });
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    // Violations of the security policy are among them.
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("request", (request) => {
    const allowed = /^(?:http:\/\/(?:(?:page\.)?localhost|tc-wgsl\.test)[:/]|data:|blob:)/;
    if (!allowed.test(request.url())) complaints.push(`asked for ${request.url()}`);
  });
  if (before !== undefined) await page.addInitScript(before);
  if (worker !== "") await putBefore(page, "**/assets/worker-*.js", () => worker);
  if (bench !== "") {
    let started = 0;
    await putBefore(page, "**/assets/bench-thread-*.js", () => (started++ === 0 ? bench : ""));
  }
  await page.goto(url);
  await page.waitForSelector(".editor .cm-content", { timeout: 20_000 });
  return { page, complaints };
}

/** Serves files of the page with other code in front; not through the browser, which may be closed meanwhile. */
async function putBefore(page: Page, files: string, code: () => string): Promise<void> {
  await page.route(files, async (route) => {
    const text = readFileSync(join(builtFolder, new URL(route.request().url()).pathname), "utf8");
    await route.fulfill({ contentType: "text/javascript", body: `${code()}\n${text}` });
  });
}

/** Puts a text into the editor, as somebody who types it. */
export async function typeSource(page: Page, text: string): Promise<void> {
  await page.click(".editor .cm-content");
  await page.keyboard.press("ControlOrMeta+a");
  // Over a selection Chromium itself would write inline styles, which the policy forbids.
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
}

/** The text of the editor, without hints. */
export async function sourceOf(page: Page): Promise<string> {
  const lines = await page.$$eval(".editor .cm-line", (all) =>
    all.map((line) => {
      const copy = line.cloneNode(true) as Element;
      for (const hint of Array.from(copy.querySelectorAll(".cm-hint"))) hint.remove();
      return copy.textContent ?? "";
    }),
  );
  return lines.join("\n");
}
