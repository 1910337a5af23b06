/**
 * Dawn in Node: its instances, and the Vulkan that they find.
 *
 * An instance is never released: releasing one while the process lives can crash it, and an
 * instance with nothing to do does not keep the process from ending.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type AdapterDescription, describeAdapter } from "../device.ts";
import { cacheFolder } from "./cache-folder.ts";
import { unpackSwiftShader } from "./unpack-swiftshader.ts";

/** An adapter that is there. */
export interface FoundAdapter {
  readonly description: AdapterDescription;
  /** A new adapter object, which gives one device; `null` if the adapter is gone. */
  request(): Promise<GPUAdapter | null>;
}

type CreateGpu = (options: string[]) => GPU;

/** Nanosecond timestamps; by default they come in steps of 65 536 ns. */
const instanceOptions = ["disable-dawn-features=timestamp_quantization"];

/** Matrix units are behind this flag; of what else it allows nothing is ever asked for. */
const systemOptions = [...instanceOptions, "enable-dawn-features=allow_unsafe_apis"];

/** Keeps the instances for as long as the process lives. */
const instances: GPU[] = [];

let system: Promise<readonly FoundAdapter[]> | null = null;
let bundled: Promise<readonly FoundAdapter[]> | null = null;

/**
 * The adapters of this machine's own drivers, at least one.
 * @throws Error saying why there is none.
 */
export function systemAdapters(): Promise<readonly FoundAdapter[]> {
  system ??= openSystem();
  return system;
}

/**
 * The adapter of the SwiftShader that is bundled with an npm package.
 * @throws Error saying why there is none.
 */
export function bundledAdapters(): Promise<readonly FoundAdapter[]> {
  bundled ??= openBundled();
  return bundled;
}

/**
 * Dawn's back end that checks every command and executes none: no GPU and no Vulkan needed.
 * @throws Error when Dawn cannot be loaded.
 */
export async function nullAdapter(): Promise<GPUAdapter> {
  const create = await loadDawn();
  const gpu = create(["backend=null"]);
  instances.push(gpu);
  const adapter = await gpu.requestAdapter();
  if (adapter === null) throw new Error("Dawn has no back end for validation");
  return adapter;
}

async function openSystem(): Promise<readonly FoundAdapter[]> {
  const create = await loadDawn();
  if (process.platform === "linux") await findSystemVulkan();
  await provideRuntimeFolder();
  const found = await listAdapters(create, systemOptions);
  if (found.length > 0) return found;
  throw new Error(
    "Vulkan is there, but it has no driver that Dawn accepts (of Mesa, 25 or later; for llvmpipe install mesa-vulkan-drivers)",
  );
}

async function openBundled(): Promise<readonly FoundAdapter[]> {
  const create = await loadDawn();
  const files = await unpackSwiftShader();
  // Dawn asks the dynamic loader for libvulkan.so.1 and gets the one that is loaded already.
  loadLibrary(await loadKoffi(), files.loader);
  await provideRuntimeFolder();
  const { VK_DRIVER_FILES: before } = process.env;
  setVariable("VK_DRIVER_FILES", files.driver);
  try {
    const found = await listAdapters(create, instanceOptions);
    if (found.length > 0) return found;
    throw new Error("it was loaded, but Dawn does not accept it");
  } finally {
    // Instances read it once, when they are first asked; child processes shall choose themselves.
    setVariable("VK_DRIVER_FILES", before);
  }
}

/** One instance per adapter: Dawn in Node chooses by name, when the instance is made. */
async function listAdapters(
  create: CreateGpu,
  options: readonly string[],
): Promise<readonly FoundAdapter[]> {
  const found: FoundAdapter[] = [];
  for (const name of await adapterNames(create)) {
    const gpu = create([...options, `adapter=${name}`]);
    instances.push(gpu);
    const first = await gpu.requestAdapter();
    if (first === null) continue;
    found.push({
      description: describeAdapter(first.info),
      request: async () => (await gpu.requestAdapter()) as GPUAdapter | null,
    });
  }
  return found;
}

/** The names are in the message of the error for a name that does not exist. */
async function adapterNames(create: CreateGpu): Promise<readonly string[]> {
  const probe = create([...instanceOptions, "adapter=(a list of all, please)"]);
  instances.push(probe);
  try {
    await probe.requestAdapter();
    return [];
  } catch (error) {
    const names = [...messageOf(error).matchAll(/name: '(.*)'$/gm)].map((match) => match[1] ?? "");
    return [...new Set(names)];
  }
}

async function loadDawn(): Promise<CreateGpu> {
  try {
    return (await import("webgpu")).create;
  } catch (error) {
    throw new Error(
      `the package webgpu cannot be loaded (npm install webgpu): ${messageOf(error)}`,
    );
  }
}

type LoadLibrary = (path: string, options?: { readonly global?: boolean }) => unknown;

async function loadKoffi(): Promise<LoadLibrary> {
  try {
    return (await import("koffi")).default.load;
  } catch (error) {
    throw new Error(`the package koffi cannot be loaded (npm install koffi): ${messageOf(error)}`);
  }
}

function loadLibrary(load: LoadLibrary, path: string): void {
  try {
    load(path, { global: true });
  } catch (error) {
    throw new Error(`cannot load ${path}: ${messageOf(error)}`);
  }
}

/** Asks before Dawn does, which would print a warning. */
async function findSystemVulkan(): Promise<void> {
  const load = await loadKoffi().catch(() => null);
  if (load === null) return;
  try {
    load("libvulkan.so.1");
  } catch {
    throw new Error(
      "there is no Vulkan (no libvulkan.so.1); install your GPU's driver, or mesa-vulkan-drivers 25 or later",
    );
  }
}

/** Mesa wants a private folder under this name. */
async function provideRuntimeFolder(): Promise<void> {
  const { XDG_RUNTIME_DIR: given } = process.env;
  if (process.platform !== "linux" || given) return;
  const folder = join(await cacheFolder(), "run");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  setVariable("XDG_RUNTIME_DIR", folder);
}

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
