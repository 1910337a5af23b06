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
import { openStderrCapture } from "./capture-stderr.ts";
import { loadKoffi, loadLibrary, messageOf } from "./native-library.ts";
import { unpackSwiftShader } from "./unpack-swiftshader.ts";

/** An adapter that is there. */
export interface FoundAdapter {
  readonly description: AdapterDescription;
  /** What Dawn, the Vulkan loader and the driver printed when it was looked for. */
  readonly said: readonly string[];
  /** A new adapter object, which gives one device; `null` if the adapter is gone. */
  request(): Promise<GPUAdapter | null>;
}

type OpenAdapters = () => Promise<readonly FoundAdapter[]>;

type CreateGpu = (options: string[]) => GPU;

/** Nanosecond timestamps; by default they come in steps of 65 536 ns. */
const instanceOptions = ["disable-dawn-features=timestamp_quantization"];

/** Matrix units are behind this flag; of what else it allows nothing is ever asked for. */
const systemOptions = [...instanceOptions, "enable-dawn-features=allow_unsafe_apis"];

/** Keeps the instances for as long as the process lives. */
const instances: GPU[] = [];

/**
 * The adapters of this machine's own drivers, at least one.
 * @throws Error saying why there is none.
 */
export const systemAdapters: OpenAdapters = openedOnce(openSystem);

/**
 * The adapter of the SwiftShader that is bundled with an npm package.
 * @throws Error saying why there is none.
 */
export const bundledAdapters: OpenAdapters = openedOnce(openBundled);

/** What was opened is shared; after a failure the next call tries again. */
function openedOnce(open: OpenAdapters): OpenAdapters {
  let opened: ReturnType<OpenAdapters> | null = null;
  return () => {
    opened ??= open().catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
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
  if (!(await hasSystemVulkan())) {
    throw new Error(
      "there is no Vulkan (no libvulkan.so.1); install your GPU's driver, or mesa-vulkan-drivers 25 or later",
    );
  }
  await provideRuntimeFolder();
  const { adapters, said } = await listAdapters(create, { options: systemOptions });
  if (adapters.length > 0) return adapters;
  throw new Error(
    `Vulkan is there, but it has no driver that Dawn accepts (of Mesa, 25 or later; for llvmpipe install mesa-vulkan-drivers)${quoted(said)}`,
  );
}

async function openBundled(): Promise<readonly FoundAdapter[]> {
  const create = await loadDawn();
  const { loader, driver } = await unpackSwiftShader();
  // Afterwards nobody could tell.
  await hasSystemVulkan();
  // Dawn asks the dynamic loader for libvulkan.so.1 and gets the one that is loaded already.
  await loadLibrary(loader, { global: true });
  await provideRuntimeFolder();
  const { adapters, said } = await listAdapters(create, { options: instanceOptions, driver });
  if (adapters.length > 0) return adapters;
  throw new Error(`it was loaded, but Dawn does not accept it${quoted(said)}`);
}

/** How instances are made, and where Vulkan is to look for its drivers if not where it does. */
interface InstanceSettings {
  readonly options: readonly string[];
  /** A path for `VK_DRIVER_FILES`. */
  readonly driver?: string;
}

interface ListedAdapters {
  readonly adapters: readonly FoundAdapter[];
  readonly said: readonly string[];
}

/** One instance per adapter: Dawn in Node chooses by name, when the instance is made. */
async function listAdapters(
  create: CreateGpu,
  settings: InstanceSettings,
): Promise<ListedAdapters> {
  const { names, printed } = await adapterNames(create, settings);
  const texts = [printed];
  const adapters: Omit<FoundAdapter, "said">[] = [];
  for (const name of names) {
    const ask = newInstance(create, settings, name);
    const first = await ask();
    texts.push(first.printed);
    if (first.adapter === null) continue;
    adapters.push({
      description: describeAdapter(first.adapter.info),
      request: async () => (await ask()).adapter,
    });
  }
  const said = linesOf(texts.join(""));
  return { adapters: adapters.map((adapter) => ({ ...adapter, said })), said };
}

interface AdapterNames {
  readonly names: readonly string[];
  readonly printed: string;
}

/** The names are in the message of the error for a name that does not exist. */
async function adapterNames(create: CreateGpu, settings: InstanceSettings): Promise<AdapterNames> {
  const answer = await newInstance(create, settings, "(a list of all, please)")();
  const names = [...answer.failure.matchAll(/name: '(.*)'$/gm)].map((match) => match[1] ?? "");
  return { names: [...new Set(names)], printed: answer.printed };
}

interface Answer {
  readonly adapter: GPUAdapter | null;
  /** Why there is no adapter, or `""`: Dawn does not always say. */
  readonly failure: string;
  /** Lines of Dawn, the Vulkan loader and the driver. */
  readonly printed: string;
}

/** A new instance that knows one adapter; each call of the result asks for it. */
function newInstance(
  create: CreateGpu,
  { options, driver }: InstanceSettings,
  name: string,
): () => Promise<Answer> {
  const gpu = create([...options, `adapter=${name}`]);
  instances.push(gpu);
  return async () => {
    const capture = await openStderrCapture();
    const { value, printed } = capture(() =>
      driver === undefined
        ? gpu.requestAdapter()
        : withVariable("VK_DRIVER_FILES", driver, () => gpu.requestAdapter()),
    );
    try {
      return { adapter: await value, failure: "", printed };
    } catch (error) {
      return { adapter: null, failure: messageOf(error), printed };
    }
  };
}

/** What was printed without repetitions, labels and places in Dawn's source. */
function linesOf(printed: string): readonly string[] {
  const lines = printed.split("\n").filter((line) => line.trim() !== "" && !/^\s+at /.test(line));
  return [...new Set(lines.map((line) => line.replace(/^(Warning|Error|Info): /, "").trim()))];
}

function quoted(said: readonly string[]): string {
  return said.length === 0 ? "" : `; Dawn: ${said.join("; ")}`;
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

let systemVulkan: Promise<boolean> | null = null;

/** Whether this system has a Vulkan loader, as far as can be known without asking Dawn. */
function hasSystemVulkan(): Promise<boolean> {
  systemVulkan ??= findSystemVulkan();
  return systemVulkan;
}

async function findSystemVulkan(): Promise<boolean> {
  if (process.platform !== "linux" || (await loadKoffi().catch(() => null)) === null) return true;
  return await loadLibrary("libvulkan.so.1").then(
    () => true,
    () => false,
  );
}

/** Mesa wants a private folder under this name. */
async function provideRuntimeFolder(): Promise<void> {
  const { XDG_RUNTIME_DIR: given } = process.env;
  if (process.platform !== "linux" || given) return;
  const folder = join(await cacheFolder(), "run");
  await mkdir(folder, { recursive: true, mode: 0o700 });
  setVariable("XDG_RUNTIME_DIR", folder);
}

/** Instances read it when they are first asked; child processes shall choose themselves. */
function withVariable<T>(name: string, value: string, action: () => T): T {
  const { [name]: before } = process.env;
  setVariable(name, value);
  try {
    return action();
  } finally {
    setVariable(name, before);
  }
}

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
