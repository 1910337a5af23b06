import ts from "typescript";
import { describe, expect, test } from "vitest";
import { blocksOf, documents, readDocument, root } from "./support/markdown.ts";

/** What a document may import, and where its declarations are. */
const entries: Readonly<Record<string, string[]>> = {
  "tc-wgsl": ["src/index.ts"],
  "tc-wgsl/runtime": ["src/runtime.ts"],
  "tc-wgsl/node": ["src/node.ts"],
  "tc-wgsl/load": ["src/load.ts"],
  "tc-wgsl/worker": ["src/worker.ts"],
};

const blocks = documents.flatMap((name) =>
  blocksOf(readDocument(name))
    .filter((block) => block.language === "ts")
    .map((block) => ({ file: `${name}.${block.line}.ts`, text: block.text })),
);

/** What the type checker says of all blocks at once, each as a file in the root. */
function messages(): readonly string[] {
  const folder = root.pathname;
  const { config } = ts.readConfigFile(`${folder}tsconfig.json`, ts.sys.readFile);
  const options: ts.CompilerOptions = {
    ...ts.convertCompilerOptionsFromJson(config.compilerOptions, folder).options,
    isolatedDeclarations: false,
    declaration: false,
    baseUrl: folder,
    paths: entries,
  };
  const texts = new Map(
    blocks.map(({ file, text }) => [`${folder}${file.replaceAll("/", ".")}`, text]),
  );
  const host = ts.createCompilerHost(options);
  const program = ts.createProgram([...texts.keys()], options, {
    ...host,
    fileExists: (file) => texts.has(file) || host.fileExists(file),
    readFile: (file) => texts.get(file) ?? host.readFile(file),
    getSourceFile: (file, target, ...rest) => {
      const text = texts.get(file);
      if (text === undefined) return host.getSourceFile(file, target, ...rest);
      return ts.createSourceFile(file, text, target);
    },
  });
  const own = program.getSourceFiles().filter((file) => texts.has(file.fileName));
  const found = own.flatMap((file) => ts.getPreEmitDiagnostics(program, file));
  return found.map((d) => {
    const line = d.file?.getLineAndCharacterOfPosition(d.start ?? 0).line ?? 0;
    return `${d.file?.fileName}:${line + 1}: ${ts.flattenDiagnosticMessageText(d.messageText, "\n")}`;
  });
}

describe("the TypeScript of the documents", () => {
  test("is right, with errors where it says so", () => {
    expect(blocks.length).toBeGreaterThan(0);
    expect(messages()).toEqual([]);
  });
});
