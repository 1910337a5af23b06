/** The package as it is published: `dist/`, built again when the sources are newer. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Builds unless `dist/` is newer than all of its source. */
export function buildPackage(): void {
  if (isFresh()) return;
  const built = spawnSync("npm", ["run", "--silent", "build"], { cwd: root, encoding: "utf8" });
  if (built.status !== 0) throw new Error(`the build failed:\n${built.stdout}${built.stderr}`);
}

function isFresh(): boolean {
  const entries = ["cli.js", "index.js", "runtime.js"].map((name) => join(root, "dist", name));
  if (!entries.every((path) => existsSync(path))) return false;
  const oldest = Math.min(...entries.map((path) => statSync(path).mtimeMs));
  const files = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  return files.every((file) => statSync(join(root, "src", file)).mtimeMs <= oldest);
}
