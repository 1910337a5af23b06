/** Runs the JavaScript of documents as it stands, with this package's sources behind its names. */
import { format } from "node:util";
import { buildPackage } from "../../support/built-package.ts";
import { openWorkplace } from "./command.ts";

const modules: Readonly<Record<string, () => Promise<object>>> = {
  "tc-wgsl": () => import("../../../src/index.ts"),
  "tc-wgsl/runtime": () => import("../../../src/runtime.ts"),
  "tc-wgsl/node": () => import("../../../src/node.ts"),
  "tc-wgsl/load": () => import("../../../src/load.ts"),
  "tc-wgsl/tune": () => import("../../../src/tune.ts"),
  "tc-wgsl/store": () => import("../../../src/store.ts"),
  "tc-wgsl/emit": () => import("../../../src/emit.ts"),
  // Its thread runs what is built.
  "tc-wgsl/worker": async () => {
    buildPackage();
    return await import(
      /* @vite-ignore */ new URL("../../../dist/worker.js", import.meta.url).href
    );
  },
};

const importLine = /^import (\{[^}]*\}) from "([^"]*)";$/gm;

/** Runs a script; what it prints with `console.log`. */
export async function runScript(text: string): Promise<string> {
  const loaded: Record<string, object> = {};
  for (const [, , name = ""] of text.matchAll(importLine)) {
    const load = modules[name] ?? emittedExample(name);
    if (load === undefined) throw new Error(`documents may not import ${name}`);
    loaded[name] = await load();
  }
  const body = text.replace(importLine, (_, names, from) => {
    return `const ${names.replaceAll(" as ", ": ")} = modules[${JSON.stringify(from)}];`;
  });
  const lines: string[] = [];
  const log = (...values: unknown[]): void => {
    lines.push(`${format(...values)}\n`);
  };
  const asyncFunction = (async () => {}).constructor as new (
    ...parts: readonly string[]
  ) => (modules: object, console: object) => Promise<void>;
  await new asyncFunction("modules", "console", body)(loaded, { log });
  return lines.join("");
}

/**
 * `./matmul.js` is what `tc-compile examples/matmul.tc -o matmul.js` makes, `./matmul-nvidia-gpu.js` what that makes with
 * `--profile nvidia,gpu`.
 */
function emittedExample(name: string): (() => Promise<object>) | undefined {
  const [, example, profiles = ""] = /^\.\/(\w+)((?:-\w+)*)\.js$/.exec(name) ?? [];
  if (example === undefined) return undefined;
  const flags = profiles === "" ? [] : ["--profile", profiles.slice(1).replaceAll("-", ",")];
  return async () => {
    const args = [`examples/${example}.tc`, "--emit", "js", ...flags];
    const { stdout } = await openWorkplace().run(args);
    return await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(stdout)}`);
  };
}
