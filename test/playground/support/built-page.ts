/** What tests of the built page have in common: a server of it, and a browser. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { type PageServer, servePage } from "../../../src/cli/process/serve-page.ts";
import { openChromium } from "../../browser/support/chromium.ts";
import { buildPlayground, builtFolder } from "./page.ts";

/** Both are there as soon as the tests of the file begin. */
export interface BuiltPage {
  readonly server: PageServer;
  readonly browser: Browser;
}

/**
 * Builds the page, unless it is built, and serves it to a browser until the tests of this file have run.
 *
 * @param hosts names that the server answers to beside its own.
 * @param flags of the browser.
 */
export function openBuiltPage(
  hosts: readonly string[] = [],
  flags: readonly string[] = [],
): BuiltPage {
  const opened = {} as { server: PageServer; browser: Browser };
  beforeAll(async () => {
    buildPlayground();
    opened.server = await servePage({ folder: builtFolder, port: 0, hosts });
    opened.browser = await openChromium(flags);
  }, 180_000);
  afterAll(async () => {
    // Neither is there where the build failed.
    await opened.browser?.close();
    await opened.server?.close();
  });
  return opened;
}
