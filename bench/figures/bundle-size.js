// What a browser loads to compile: the pure compiler with all that it imports, minified, gzipped.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "tsdown";

const target = 120;

export async function bundleSize() {
  const outDir = mkdtempSync(join(tmpdir(), "tc-wgsl-bundle-"));
  try {
    await build({
      config: false,
      entry: { index: fileURLToPath(new URL("../../dist/index.js", import.meta.url)) },
      outDir,
      format: ["esm"],
      platform: "browser",
      minify: true,
      dts: false,
      logLevel: "silent",
      deps: { alwaysBundle: [/./], onlyBundle: false },
    });
    const files = readdirSync(outDir).map((name) => readFileSync(join(outDir, name)));
    const value = files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0) / 1000;
    return [{ figure: "bundle, gzipped", of: "the pure compiler", value, unit: "kB", target }];
  } finally {
    rmSync(outDir, { recursive: true });
  }
}
