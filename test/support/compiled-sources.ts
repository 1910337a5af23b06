/**
 * Tests run the sources as Node itself runs modules: each file of src/ is compiled once, to a file of its own, and only
 * tests go through Vite. Its form of modules asks for every imported name anew, and costs a compiler, whose functions are
 * many and small, a third of its time; and it would read all of src/ anew for each file of tests.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import type { Plugin } from "vitest/config";

const root = fileURLToPath(new URL("../..", import.meta.url));
const sources = join(root, "src");
const compiled = join(root, ".cache", "src");

/** Where a source is compiled to. */
function compiledPath(source: string): string {
  return join(compiled, relative(sources, source)).replace(/\.ts$/, ".js");
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;
}

function compileSource(source: string): void {
  const { outputText } = ts.transpileModule(readFileSync(source, "utf8"), {
    fileName: source,
    compilerOptions: {
      target: ts.ScriptTarget.ES2023,
      module: ts.ModuleKind.ESNext,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
      inlineSourceMap: true,
    },
  });
  const path = compiledPath(source);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, outputText.replace('/package.json"', '/package.json.js"'));
}

/** What sources import of package.json, as Node's own modules import it: by name from a module only. */
function compilePackage(): void {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  mkdirSync(compiled, { recursive: true });
  writeFileSync(
    join(compiled, "..", "package.json.js"),
    `export const version = ${JSON.stringify(version)};\n`,
  );
}

/** Compiles what changed since it was compiled. */
export function compileSources(): void {
  compilePackage();
  for (const entry of readdirSync(sources, { recursive: true, encoding: "utf8" })) {
    const source = join(sources, entry);
    if (source.endsWith(".ts") && changedAt(source) > changedAt(compiledPath(source)))
      compileSource(source);
  }
}

/** Files whose modules are replaced are run by Vite with all that they import. */
function replacesModules(file: string): boolean {
  return existsSync(file) && /\bvi\.(mock|doMock)\(/.test(readFileSync(file, "utf8"));
}

/** Leads imports of src/, but those of src/ itself, to what is compiled of it; where changes are watched, Vite runs all. */
export function compiledSources(): Plugin {
  let isWatched = false;
  return {
    name: "compiled-sources",
    enforce: "pre",
    configureVitest({ vitest }) {
      isWatched = vitest.config.watch;
    },
    buildStart: compileSources,
    async resolveId(specifier, importer, options) {
      const from = importer?.replace(/\?.*$/, "");
      if (
        isWatched ||
        from === undefined ||
        from.startsWith(sources + sep) ||
        replacesModules(from)
      )
        return null;
      const found = await this.resolve(specifier, importer, { ...options, skipSelf: true });
      if (found === null || !found.id.startsWith(sources + sep)) return null;
      return compiledPath(found.id);
    },
  };
}
