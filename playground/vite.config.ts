import { fileURLToPath } from "node:url";
import { defineConfig, type Plugin, type UserConfig } from "vite";

const folder = fileURLToPath(new URL(".", import.meta.url));

/** Vite's own client, for development only, puts styles into the page and asks its server for news. */
function withoutPolicyInDevelopment(): Plugin {
  return {
    name: "without-policy-in-development",
    apply: "serve",
    transformIndexHtml: (html) =>
      html.replace(/<meta\s+http-equiv="Content-Security-Policy"[^>]*>/, ""),
  };
}

/** The list of all files, which the page keeps for the time without a network. */
function listFiles(): Plugin {
  return {
    name: "list-files",
    apply: "build",
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const names = Object.keys(bundle).filter((name) => /^assets\/|\.html$/.test(name));
        const files = ["./", "./files.json", "./icon.svg", ...names.map((name) => `./${name}`)];
        this.emitFile({ type: "asset", fileName: "files.json", source: JSON.stringify(files) });
      },
    },
  };
}

const config: UserConfig = defineConfig({
  root: folder,
  // Relative paths: the page may lie in any folder of any host.
  base: "./",
  publicDir: "public",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  plugins: [withoutPolicyInDevelopment(), listFiles()],
  worker: { format: "es" },
  server: { fs: { allow: [fileURLToPath(new URL("..", import.meta.url))] } },
  build: {
    outDir: fileURLToPath(new URL("./dist", import.meta.url)),
    emptyOutDir: true,
    target: "es2023",
    modulePreload: { polyfill: false },
    license: { fileName: "licenses.md" },
    rolldownOptions: {
      input: {
        index: fileURLToPath(new URL("./index.html", import.meta.url)),
        "tc-play": fileURLToPath(new URL("./src/embed/tc-play.ts", import.meta.url)),
        "service-worker": fileURLToPath(
          new URL("./src/offline/service-worker.ts", import.meta.url),
        ),
      },
      output: {
        // Other pages import the element by its name; browsers know a service worker by its own.
        entryFileNames: ({ name }) => (name === "index" ? "assets/[name]-[hash].js" : "[name].js"),
        // Third-party code apart from ours, so that its size can be watched.
        codeSplitting: {
          groups: [
            {
              name: "vendor",
              test: /node_modules\/(?:@codemirror|@lezer|@preact|preact|style-mod|w3c-keyname|crelt|@marijn)/,
            },
          ],
        },
      },
    },
  },
});

export default config;
