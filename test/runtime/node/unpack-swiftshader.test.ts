import { mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { cacheFolder } from "../../../src/runtime/node/cache-folder.ts";
import { readTar } from "../../../src/runtime/node/read-tar.ts";
import { unpackSwiftShader } from "../../../src/runtime/node/unpack-swiftshader.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "unpack-test-"));
  vi.stubEnv("XDG_CACHE_HOME", folder);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

describe("unpackSwiftShader", () => {
  it("gives the same files to many that unpack at once, and leaves nothing else", async () => {
    const all = await Promise.all([1, 2, 3, 4].map(() => unpackSwiftShader()));
    for (const files of all) expect(files).toEqual(all[0]);
    const [files] = all;
    expect((await stat(files?.loader ?? "")).size).toBeGreaterThan(100_000);
    const driver: unknown = JSON.parse(await readFile(files?.driver ?? "", "utf8"));
    expect(driver).toMatchObject({ ICD: { library_path: "./libvk_swiftshader.so" } });
    const cache = await readdir(join(folder, "tc-wgsl"));
    expect(cache).toEqual([expect.stringMatching(/^swiftshader-\d+\.\d+\.\d+$/)]);
  });

  it("repairs a folder from which a file was taken", async () => {
    const { loader } = await unpackSwiftShader();
    await rm(loader);
    expect(await unpackSwiftShader()).toMatchObject({ loader });
    expect((await stat(loader)).size).toBeGreaterThan(100_000);
    expect(await readdir(join(folder, "tc-wgsl"))).toHaveLength(1);
  });
});

describe("cacheFolder", () => {
  it("is closed to others, even if it was open", async () => {
    const open = join(folder, "open");
    await mkdir(join(open, "tc-wgsl"), { recursive: true, mode: 0o777 });
    vi.stubEnv("XDG_CACHE_HOME", open);
    const made = await cacheFolder();
    vi.stubEnv("XDG_CACHE_HOME", folder);
    expect(made).toBe(join(open, "tc-wgsl"));
    expect((await stat(made)).mode & 0o022).toBe(0);
  });
});

describe("readTar", () => {
  function entry(name: string, content: string, type = "0"): Uint8Array {
    const block = new Uint8Array(512 + Math.ceil(content.length / 512) * 512);
    const put = (text: string, at: number): void => block.set(new TextEncoder().encode(text), at);
    put(name, 0);
    put(`${content.length.toString(8).padStart(11, "0")}\0`, 124);
    put(type, 156);
    put(content, 512);
    return block;
  }

  it("reads files of all sizes, and passes over folders and the end", () => {
    const long = "x".repeat(1024);
    const parts = [entry("./a", "hello"), entry("d/", "", "5"), entry("b", ""), entry("c", long)];
    const archive = new Uint8Array(Buffer.concat([...parts, new Uint8Array(1024)]));
    const files = readTar(archive);
    const texts = [...files].map(([name, bytes]) => [name, new TextDecoder().decode(bytes)]);
    expect(texts).toEqual([
      ["a", "hello"],
      ["b", ""],
      ["c", long],
    ]);
  });
});
