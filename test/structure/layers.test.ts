/** Imports point one way: the rule, and that the linter enforces it. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { importsOf, layerOf, readSources } from "./sources.ts";

/** What each layer may import besides itself. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  support: [],
  diagnostics: ["support"],
  ir: ["diagnostics", "support"],
  frontend: ["diagnostics", "support", "ir"],
  codegen: ["diagnostics", "support", "ir"],
  runtime: ["support", "codegen"],
  tuner: ["diagnostics", "support", "ir", "codegen"],
  "plan-program.ts": ["diagnostics", "support", "ir", "codegen"],
  "compile.ts": ["diagnostics", "support", "ir", "frontend", "codegen", "tuner", "plan-program.ts"],
  api: [
    "diagnostics",
    "support",
    "ir",
    "frontend",
    "codegen",
    "tuner",
    "plan-program.ts",
    "compile.ts",
    "runtime",
  ],
  "index.ts": [
    "diagnostics",
    "support",
    "ir",
    "frontend",
    "codegen",
    "tuner",
    "compile.ts",
    "api",
    "runtime",
  ],
  emit: ["support", "codegen"],
  "emit.ts": ["emit"],
  "explain.ts": ["diagnostics"],
  "runtime.ts": ["api", "runtime", "support"],
  "node.ts": ["api", "runtime", "runtime.ts", "tuner"],
  "bench-process.ts": ["api", "runtime"],
  "bench-thread.ts": ["api", "runtime"],
  "load.ts": ["emit", "runtime"],
  "store.ts": ["support", "runtime"],
  "tune.ts": ["api", "tuner"],
  "store-node.ts": ["runtime", "store.ts"],
  "worker.ts": ["compile.ts", "api", "runtime", "support"],
  "worker-thread.ts": ["compile.ts", "api", "runtime"],
  cli: ["index.ts", "node.ts", "emit.ts", "explain.ts", "store-node.ts", "tune.ts", "support"],
};

/** All that the runtime may know of code generation. */
const planTypes = "src/codegen/plan.ts";

/** Where programs run and files are: not for the pure layers. */
const nodeOnly = /^src\/(?:runtime\/node\/|cli\/|node\.ts|bench-process\.ts|store-node\.ts)/;

describe("imports", () => {
  const edges = readSources().flatMap((s) => importsOf(s).map((to) => ({ from: s.path, to })));
  const inside = edges.filter((e) => e.to.startsWith("src/"));

  it("are found", () => {
    expect(inside.length).toBeGreaterThan(500);
  });

  it("are of layers that the rule knows", () => {
    const layers = new Set(readSources().map((s) => layerOf(s.path)));
    expect([...layers].filter((l) => allowed[l] === undefined)).toEqual([]);
  });

  it("point one way", () => {
    const wrong = inside.filter(({ from, to }) => {
      const [a, b] = [layerOf(from), layerOf(to)];
      return a !== b && !(allowed[a] ?? []).includes(b);
    });
    expect(wrong.map(({ from, to }) => `${from} -> ${to}`)).toEqual([]);
  });

  it("of the runtime see nothing of code generation but the types of plans", () => {
    const seen = inside.filter((e) => layerOf(e.from) === "runtime" && layerOf(e.to) === "codegen");
    expect(new Set(seen.map((e) => e.to))).toEqual(new Set([planTypes]));
  });

  it("of what must run anywhere do not reach Node", () => {
    const next = new Map<string, string[]>();
    for (const { from, to } of inside) next.set(from, [...(next.get(from) ?? []), to]);
    const reached = new Set<string>();
    const visit = (path: string): void => {
      if (reached.has(path)) return;
      reached.add(path);
      for (const to of next.get(path) ?? []) visit(to);
    };
    visit("src/index.ts");
    visit("src/runtime.ts");
    visit("src/load.ts");
    visit("src/store.ts");
    visit("src/worker.ts");
    visit("src/worker-thread.ts");
    visit("src/bench-thread.ts");
    expect(reached.size).toBeGreaterThan(100);
    expect([...reached].filter((path) => nodeOnly.test(path))).toEqual([]);
    const builtins = readSources().filter((s) => /\bfrom "node:/.test(s.text));
    expect(builtins.map((s) => s.path).filter((path) => !nodeOnly.test(path))).toEqual([]);
  });
});

const biome = resolve("node_modules/@biomejs/biome/bin/biome");

/** What the linter says of some files under the project's configuration, by file. */
function lint(files: Readonly<Record<string, string>>): ReadonlyMap<string, readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), "layers-"));
  try {
    cpSync("biome.json", join(folder, "biome.json"));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const report = join(folder, "report.json");
    const options = [
      "lint",
      "--reporter=json",
      `--reporter-file=${report}`,
      "--max-diagnostics=none",
    ];
    try {
      execFileSync(process.execPath, [biome, ...options, "src"], { cwd: folder, stdio: "pipe" });
    } catch {
      // It fails when it finds something, which the report then has.
    }
    const { diagnostics } = JSON.parse(readFileSync(report, "utf8")) as {
      diagnostics: readonly { category: string; location: { path: string | { file: string } } }[];
    };
    const found = new Map<string, string[]>();
    for (const { category, location } of diagnostics) {
      const path = typeof location.path === "string" ? location.path : location.path.file;
      found.set(path, [...(found.get(path) ?? []), category]);
    }
    return found;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const restricted = "lint/style/noRestrictedImports";

describe("the linter", () => {
  it("refuses imports against the rule, from every layer", () => {
    const folders = Object.keys(allowed).filter((l) => !l.endsWith(".ts"));
    const files: Record<string, string> = {};
    const expected: string[] = [];
    for (const from of folders) {
      for (const to of folders) {
        if (from === to || from === "support" || to === "support") continue;
        const path = `src/${from}/to-${to}.ts`;
        files[path] = `import { x } from "../${to}/x.ts";\n\nexport const y: number = x;\n`;
        if (!(allowed[from] ?? []).includes(to)) expected.push(path);
      }
    }
    const found = lint(files);
    const refused = Object.keys(files).filter((path) => found.get(path)?.includes(restricted));
    expect(expected.length).toBeGreaterThan(30);
    expect(expected.filter((path) => !refused.includes(path))).toEqual([]);
  });

  it("refuses imports against the rule, from the files above the layers", () => {
    const imports: Readonly<Record<string, readonly string[]>> = {
      "src/plan-program.ts": ["frontend/analyse.ts", "runtime/device.ts", "cli/main.ts"],
      "src/compile.ts": ["runtime/device.ts", "api/check.ts", "cli/main.ts"],
      "src/index.ts": ["runtime/node/dawn.ts", "cli/main.ts", "node.ts"],
      "src/runtime.ts": ["runtime/node/dawn.ts", "cli/main.ts", "node.ts"],
    };
    const lines = (paths: readonly string[]): string =>
      paths.map((path, n) => `export { x${n} } from "./${path}";\n`).join("");
    const found = lint(
      Object.fromEntries(Object.entries(imports).map(([path, to]) => [path, lines(to)])),
    );
    for (const [path, to] of Object.entries(imports)) {
      const refused = (found.get(path) ?? []).filter((category) => category === restricted);
      expect(refused, path).toHaveLength(to.length);
    }
  });

  it("refuses cycles", () => {
    const found = lint({
      "src/ir/a.ts":
        'import { b } from "./b.ts";\n\nexport function a(): number {\n  return b();\n}\n',
      "src/ir/b.ts":
        'import { a } from "./a.ts";\n\nexport function b(): number {\n  return a();\n}\n',
      "src/ir/c.ts": 'import { a } from "./a.ts";\n\nexport const c: number = a();\n',
    });
    expect(found.get("src/ir/a.ts")).toContain("lint/suspicious/noImportCycles");
    expect(found.get("src/ir/c.ts") ?? []).not.toContain("lint/suspicious/noImportCycles");
  });
});
