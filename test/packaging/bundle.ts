/** What a bundler makes of the sources for a page. */
import { fileURLToPath } from "node:url";
import { Rolldown } from "tsdown";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** One module with some exports of a source file, and all that these need. */
export async function bundle(
  file: string,
  names: readonly string[],
  options: { readonly minify: boolean },
): Promise<string> {
  const entry = "\0page";
  const build = await Rolldown.rolldown({
    input: entry,
    cwd: root,
    platform: "browser",
    logLevel: "silent",
    plugins: [
      {
        name: "page",
        resolveId: (id) => (id === entry ? entry : null),
        load: (id) =>
          id === entry
            ? `export { ${names.join(", ")} } from ${JSON.stringify(root + file)};`
            : null,
      },
    ],
  });
  const { output } = await build.generate({ format: "esm", ...options });
  await build.close();
  return output[0].code;
}
