/** The lists of packages that `scripts/install` and `scripts/bench` install from. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lock-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** npm without network, without what it has kept, and without doing anything. */
const dryInstall = "ci --dry-run --offline --ignore-scripts --no-audit --no-fund --cache".split(
  " ",
);

test.each([".", "bench"])(
  "npm can install what is locked in %s, as it is",
  (where) => {
    for (const file of ["package.json", "package-lock.json"]) {
      cpSync(join(root, where, file), join(folder, file));
    }
    const { status, stderr } = spawnSync("npm", [...dryInstall, join(folder, "cache")], {
      cwd: folder,
      encoding: "utf8",
      shell: process.platform === "win32",
    });
    expect(status, stderr).toBe(0);
  },
  60_000,
);
