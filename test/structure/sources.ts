/** The files of `src` as the structure tests read them. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

export interface Source {
  /** From the root of the project, as in `src/ir/affine.ts`. */
  readonly path: string;
  readonly text: string;
}

/** All of them, in the order of their paths. */
export function readSources(): readonly Source[] {
  return readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .sort()
    .map((name) => {
      const path = join("src", name).replaceAll("\\", "/");
      return { path, text: readFileSync(path, "utf8") };
    });
}

/** The text without comments; strings stay, and so do the numbers of lines. */
export function withoutComments(text: string): string {
  const pattern =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;
  return text.replace(pattern, (found) =>
    found.startsWith("/*") || found.startsWith("//") ? found.replaceAll(/[^\n]/g, "") : found,
  );
}

/** The files of the project that a source imports, types included. */
export function importsOf({ path, text }: Source): readonly string[] {
  const pattern = /\bfrom\s+"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"\s*\)|\bimport\s+"(\.[^"]+)"/g;
  return [...withoutComments(text).matchAll(pattern)].map((m) =>
    normalize(join(dirname(path), m[1] ?? m[2] ?? m[3] ?? "")).replaceAll("\\", "/"),
  );
}

/** `ir` for `src/ir/affine.ts`, `compile.ts` for `src/compile.ts`. */
export function layerOf(path: string): string {
  return path.split("/")[1] ?? "";
}
