/**
 * Headless Chromium with WebGPU on SwiftShader, from npm packages alone: no browser and no library
 * of the system is needed.
 */
import { execFileSync } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { type Browser, chromium } from "playwright-core";
import { readTar } from "../../../src/runtime/node/read-tar.ts";
import { findPackage, unpackOnce } from "../../../src/runtime/node/unpack-once.ts";

/** In `bin` of the package; `fonts` is left out, nothing here is looked at. */
const archives = ["chromium.br", "swiftshader.tar.br", "al2023.tar.br"] as const;

/** One file of each archive. */
const wanted = ["chromium", "libvk_swiftshader.so", "lib/libnss3.so"] as const;

const flags = [
  "--enable-unsafe-webgpu",
  "--use-webgpu-adapter=swiftshader",
  "--no-sandbox",
  // WebGPU runs in Chromium's GPU process, which is not the machine's GPU here.
  "--disable-gpu-watchdog",
] as const;

/** Starts Chromium with some flags more; `close` ends all of its processes. */
export async function openChromium(more: readonly string[] = []): Promise<Browser> {
  const folder = await unpackChromium();
  const executablePath = join(folder, "chromium");
  return await chromium.launch({
    executablePath,
    args: [...flags, ...more],
    env: { ...process.env, ...libraries(executablePath, join(folder, "lib")) },
  });
}

/** The package's own libraries, for the browser's process only, where the system lacks them. */
function libraries(program: string, own: string): Readonly<Record<string, string>> {
  const { LD_LIBRARY_PATH: given } = process.env;
  const linked = execFileSync("ldd", [program], { encoding: "utf8" });
  if (!linked.includes("not found")) return {};
  return { LD_LIBRARY_PATH: given ? `${own}:${given}` : own };
}

async function unpackChromium(): Promise<string> {
  const { folder, version } = await findPackage("@sparticuz/chromium");
  return await unpackOnce(`chromium-${version}`, wanted, async (made) => {
    for (const archive of archives) await unpack(join(folder, "bin", archive), made);
  });
}

/** A `.tar.br` gives its files, any other `.br` the one file of its name. */
async function unpack(archive: string, folder: string): Promise<void> {
  const bytes = await promisify(brotliDecompress)(await readFile(archive));
  const name = basename(archive, ".br");
  const files = name.endsWith(".tar") ? readTar(bytes) : new Map([[name, bytes]]);
  for (const [path, content] of files) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content, { mode: 0o700 });
  }
}
