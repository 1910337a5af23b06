import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unpackSwiftShader } from "../../../src/runtime/node/unpack-swiftshader.ts";

const run = promisify(execFile);
const root = resolve(import.meta.dirname, "../../..");
let folder: string;

/** Node 20 runs no TypeScript: the runtime's files without their types, in a folder of its own. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "runtime-js-"));
  await symlink(join(root, "node_modules"), join(folder, "node_modules"));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }');
  const paths = [
    ...(await listFiles("src/runtime")),
    ...(await listFiles("src/support")),
    "src/codegen/plan.ts",
  ];
  for (const path of paths) await transpile(path);
});

afterAll(() => rm(folder, { recursive: true }));

async function listFiles(under: string): Promise<readonly string[]> {
  const names = await readdir(join(root, under), { recursive: true });
  return names.filter((name) => name.endsWith(".ts")).map((name) => join(under, name));
}

async function transpile(path: string): Promise<void> {
  const { outputText } = ts.transpileModule(await readFile(join(root, path), "utf8"), {
    compilerOptions: {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      rewriteRelativeImportExtensions: true,
    },
  });
  const target = join(folder, path.replace(/\.ts$/, ".js"));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, outputText);
}

interface Outcome {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function runScript(
  body: string,
  environment: Record<string, string> = {},
  flags: readonly string[] = [],
): Promise<Outcome> {
  const script = join(folder, "script.js");
  await writeFile(
    script,
    `import { openRuntime } from "./src/runtime/node/open-runtime.js";\n${body}`,
  );
  // These processes choose for themselves.
  const options = { timeout: 20_000, env: { ...process.env, TC_ADAPTER: "", ...environment } };
  try {
    const { stdout, stderr } = await run(process.execPath, [...flags, script], options);
    return { code: 0, signal: null, stdout, stderr };
  } catch (error) {
    return error as Outcome;
  }
}

const compute = `
const runtime = await openRuntime();
const tensor = runtime.tensor("float32", [3], new Float32Array([1, 2, 3]));
console.log((await tensor.read()).join());
`;

describe("a process that uses the runtime", () => {
  it("ends by itself, with nothing disposed", async () => {
    const outcome = await runScript(compute);
    expect(outcome).toMatchObject({ code: 0, signal: null, stdout: "1,2,3\n" });
  });

  it("ends by itself after dispose", async () => {
    const outcome = await runScript(`${compute}runtime.dispose();`);
    expect(outcome).toMatchObject({ code: 0, signal: null, stdout: "1,2,3\n" });
  });

  it("ends with the code that it asks for, in the middle of work", async () => {
    const outcome = await runScript(`${compute}void tensor.read(); process.exit(5);`);
    expect(outcome).toMatchObject({ code: 5, signal: null, stdout: "1,2,3\n" });
  });

  it("ends with an error that it does not catch", async () => {
    const outcome = await runScript(`${compute}throw new Error("its own");`);
    expect(outcome).toMatchObject({ code: 1, signal: null, stdout: "1,2,3\n" });
    expect(outcome.stderr).toContain("Error: its own");
  });
});

describe("a process finds its adapter", () => {
  it("without a runtime folder, a home or a cache folder", async () => {
    const body = `${compute}console.log(process.env.XDG_RUNTIME_DIR.length > 0);`;
    const none = { XDG_RUNTIME_DIR: "", HOME: "", XDG_CACHE_HOME: "" };
    const outcome = await runScript(body, none);
    expect(outcome).toMatchObject({ code: 0, stdout: "1,2,3\ntrue\n" });
  });

  it("through a Vulkan of the system", async () => {
    const { loader, driver } = await unpackSwiftShader();
    const system = { LD_LIBRARY_PATH: dirname(loader), VK_DRIVER_FILES: driver };
    const body = `${compute}console.log(runtime.adapter.kind);`;
    const outcome = await runScript(body, system);
    expect(outcome).toMatchObject({ code: 0, stdout: "1,2,3\nswiftshader\n" });
  });

  it("in the bundled one, whatever is collected between loading it and asking for it", async () => {
    const body = `let busy = true;
const collect = () => { gc(); if (busy) setImmediate(collect); };
collect();
${compute}console.log(runtime.adapter.kind);
busy = false;`;
    // The folder that is to be made lets the collector run between the two.
    const environment = { TC_ADAPTER: "swiftshader", XDG_RUNTIME_DIR: "" };
    const outcome = await runScript(body, environment, ["--expose-gc"]);
    expect(outcome).toMatchObject({ code: 0, stdout: "1,2,3\nswiftshader\n" });
  });

  it("in the bundled one if the system's Vulkan has no driver", async () => {
    const { loader } = await unpackSwiftShader();
    const empty = { LD_LIBRARY_PATH: dirname(loader), VK_DRIVER_FILES: "/nowhere.json" };
    const body = `${compute}console.log(runtime.adapter.kind, process.env.VK_DRIVER_FILES);`;
    const outcome = await runScript(body, empty);
    const stdout = "1,2,3\nswiftshader /nowhere.json\n";
    expect(outcome).toMatchObject({ code: 0, stdout, stderr: "" });
  });

  it("and hears why the system's was not taken, if it asks", async () => {
    const { loader } = await unpackSwiftShader();
    const empty = { LD_LIBRARY_PATH: dirname(loader), VK_DRIVER_FILES: "/nowhere.json" };
    const body = "await openRuntime({ onNote: (line) => console.log(line) });";
    const outcome = await runScript(body, empty);
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    expect(outcome.stdout).toMatch(
      /^drivers of this system: .*Dawn: .*VK_ERROR_INCOMPATIBLE_DRIVER\n$/,
    );
  });

  it("in the bundled one at a second try, and says why not at the first", async () => {
    const { loader, driver } = await unpackSwiftShader();
    const home = join(folder, "cache");
    const unpacked = join(home, "tc-wgsl", basename(dirname(loader)));
    await cp(dirname(loader), unpacked, { recursive: true });
    await writeFile(join(unpacked, basename(driver)), "");
    const body = `
import { cp } from "node:fs/promises";
const first = await openRuntime({ adapter: "swiftshader" }).catch((error) => error.message);
await cp(${JSON.stringify(driver)}, ${JSON.stringify(join(unpacked, basename(driver)))});
const second = await openRuntime({ adapter: "swiftshader" });
console.log(JSON.stringify({ first, second: second.adapter.kind }));`;
    const outcome = await runScript(body, { XDG_CACHE_HOME: home });
    expect(outcome).toMatchObject({ code: 0, stderr: "" });
    const { first, second } = JSON.parse(outcome.stdout);
    expect(first).toMatch(
      /bundled SwiftShader: it was loaded, but Dawn does not accept it; Dawn: .*vkCreateInstance: Found no drivers!; vkCreateInstance failed with VK_ERROR_INCOMPATIBLE_DRIVER$/m,
    );
    expect(second).toBe("swiftshader");
  });

  it("that the variable TC_ADAPTER names, and does not look for others", async () => {
    const { loader } = await unpackSwiftShader();
    const body = `
const { adapter } = await openRuntime({ onNote: (line) => console.log(line) });
console.log(adapter.kind);`;
    // A note would say that this was looked at.
    const system = { LD_LIBRARY_PATH: dirname(loader), VK_DRIVER_FILES: "/nowhere.json" };
    const found = await runScript(body, { ...system, TC_ADAPTER: "swiftshader" });
    expect(found).toMatchObject({ code: 0, stdout: "swiftshader\n" });
    const none = await runScript(body, { TC_ADAPTER: "abacus" });
    expect(none.stderr).toContain('no usable WebGPU adapter for "abacus"');
    expect(none.stderr).toContain("TC_ADAPTER asks for it");
  });

  it("or says what it tried, and what to do", async () => {
    const { loader } = await unpackSwiftShader();
    const blocked = join(folder, "a-file");
    await writeFile(blocked, "");
    const outcome = await runScript(compute, {
      LD_LIBRARY_PATH: dirname(loader),
      VK_DRIVER_FILES: "/nowhere.json",
      XDG_CACHE_HOME: blocked,
      XDG_RUNTIME_DIR: folder,
    });
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toMatch(/no usable WebGPU adapter for "auto"/);
    expect(outcome.stderr).toMatch(/- drivers of this system: .*install mesa-vulkan-drivers/);
    expect(outcome.stderr).toMatch(/- bundled SwiftShader: .*a-file/);
  });
});
