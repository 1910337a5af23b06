// What a browser loads to compile: `compile` alone with all that it needs, minified, gzipped.
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { Rolldown } from "tsdown";

const target = 215;
const entry = "\0page";
const compiler = fileURLToPath(new URL("../../dist/index.js", import.meta.url));

export async function bundleSize() {
  const page = `export { compile } from ${JSON.stringify(compiler)};`;
  const bundle = await Rolldown.rolldown({
    input: entry,
    platform: "browser",
    logLevel: "silent",
    plugins: [
      {
        name: "page",
        resolveId: (id) => (id === entry ? entry : null),
        load: (id) => (id === entry ? page : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: "esm", minify: true });
  await bundle.close();
  const value = gzipSync(output[0].code, { level: 9 }).length / 1000;
  return [{ figure: "bundle, gzipped", of: "the pure compiler", value, unit: "kB", target }];
}
