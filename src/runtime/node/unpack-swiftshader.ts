/** SwiftShader, a Vulkan implementation on the processor, from the package @sparticuz/chromium. */
import { access, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { cacheFolder } from "./cache-folder.ts";
import { readTar } from "./read-tar.ts";

/** Paths of the unpacked files. */
export interface SwiftShaderFiles {
  /** The Vulkan loader, `libvulkan.so.1`. */
  readonly loader: string;
  /** The description of the driver that `VK_DRIVER_FILES` points to. */
  readonly driver: string;
}

const wanted = ["libvk_swiftshader.so", "libvulkan.so.1", "vk_swiftshader_icd.json"] as const;

const packageName = "@sparticuz/chromium";

/**
 * Unpacks SwiftShader into the cache folder, once per version. Many processes may do so at the
 * same time: each unpacks into a folder of its own, and one of them wins by renaming it.
 * @throws Error saying what is missing: the package, this platform in it, or a place to write to.
 */
export async function unpackSwiftShader(): Promise<SwiftShaderFiles> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(
      `the bundled one is for linux-x64, this is ${process.platform}-${process.arch}`,
    );
  }
  const { folder: source, version } = await findPackage();
  const cache = await cacheFolder();
  const target = join(cache, `swiftshader-${version}`);
  if (!(await isComplete(target))) {
    const made = await mkdtemp(join(cache, "unpack-"));
    await unpackInto(made, join(source, "bin", "swiftshader.tar.br"));
    await install(made, target);
  }
  return {
    loader: join(target, "libvulkan.so.1"),
    driver: join(target, "vk_swiftshader_icd.json"),
  };
}

async function findPackage(): Promise<{ folder: string; version: string }> {
  let folder: string;
  try {
    folder = dirname(createRequire(import.meta.url).resolve(packageName));
  } catch {
    throw new Error(`the package ${packageName} is not installed (npm install ${packageName})`);
  }
  // Its package.json is not exported: it lies above the file that is.
  while (folder !== dirname(folder)) {
    const text = await readFile(join(folder, "package.json"), "utf8").catch(() => "{}");
    const found: unknown = JSON.parse(text);
    if (isManifest(found)) return { folder, version: found.version };
    folder = dirname(folder);
  }
  throw new Error(`the package ${packageName} has no package.json`);
}

function isManifest(value: unknown): value is { name: string; version: string } {
  if (typeof value !== "object" || value === null) return false;
  const named = "name" in value && value.name === packageName;
  return named && "version" in value && typeof value.version === "string";
}

async function isComplete(folder: string): Promise<boolean> {
  const found = await Promise.allSettled(wanted.map((name) => access(join(folder, name))));
  return found.every((result) => result.status === "fulfilled");
}

async function unpackInto(folder: string, archive: string): Promise<void> {
  const bytes = await promisify(brotliDecompress)(await readFile(archive));
  const files = readTar(bytes);
  for (const name of wanted) {
    const content = files.get(name);
    if (content === undefined) throw new Error(`${archive} has no ${name}`);
    await writeFile(join(folder, name), content, { mode: 0o700 });
  }
}

/** Renames `made` to `target`, unless another process was first. */
async function install(made: string, target: string): Promise<void> {
  if (await renamed(made, target)) return;
  if (!(await isComplete(target))) {
    // A cleaner of temporary files took a part of it.
    const broken = `${made}-broken`;
    await renamed(target, broken);
    const done = await renamed(made, target);
    await rm(broken, { recursive: true, force: true });
    if (done || (await isComplete(target))) return;
    throw new Error(`cannot write ${target}`);
  }
  await rm(made, { recursive: true, force: true });
}

async function renamed(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch {
    return false;
  }
}
