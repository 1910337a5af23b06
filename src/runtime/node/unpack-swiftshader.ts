/** SwiftShader, a Vulkan implementation on the processor, from the package @sparticuz/chromium. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { readTar } from "./read-tar.ts";
import { findPackage, unpackOnce } from "./unpack-once.ts";

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
 * Unpacks SwiftShader into the cache folder, once per version.
 * @throws Error saying what is missing: the package, this platform in it, or a place to write to.
 */
export async function unpackSwiftShader(): Promise<SwiftShaderFiles> {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Error(
      `the bundled one is for linux-x64, this is ${process.platform}-${process.arch}`,
    );
  }
  const { folder, version } = await findPackage(packageName);
  const archive = join(folder, "bin", "swiftshader.tar.br");
  const target = await unpackOnce(`swiftshader-${version}`, wanted, (made) =>
    unpackInto(made, archive),
  );
  return {
    loader: join(target, "libvulkan.so.1"),
    driver: join(target, "vk_swiftshader_icd.json"),
  };
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
