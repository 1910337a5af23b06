/** Runs the JavaScript of documents as it stands, with this package's sources behind its names. */
import { format } from "node:util";

const modules: Readonly<Record<string, () => Promise<object>>> = {
  "tc-wgsl": () => import("../../../src/index.ts"),
  "tc-wgsl/runtime": () => import("../../../src/runtime.ts"),
  "tc-wgsl/node": () => import("../../../src/node.ts"),
};

const importLine = /^import (\{[^}]*\}) from "([^"]*)";$/gm;

/** Runs a script; what it prints with `console.log`. */
export async function runScript(text: string): Promise<string> {
  const loaded: Record<string, object> = {};
  for (const [, , name = ""] of text.matchAll(importLine)) {
    const load = modules[name];
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
