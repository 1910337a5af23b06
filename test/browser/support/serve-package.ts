/** A server for one page that uses the built package as it is, without a bundler. */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A running server. */
export interface PageServer {
  readonly port: number;
  close(): Promise<void>;
}

const root = new URL("../../../", import.meta.url);

/** What a page without a bundler has to say, once. */
const importMap = {
  imports: {
    "tc-wgsl": "/dist/index.js",
    "tc-wgsl/runtime": "/dist/runtime.js",
    "tc-wgsl/load": "/dist/load.js",
    "tc-wgsl/store": "/dist/store.js",
    "tc-wgsl/tune": "/dist/tune.js",
    "tc-wgsl/tune/thread": "/dist/bench-thread.js",
    "tc-wgsl/worker": "/dist/worker.js",
  },
};

const html = `<!doctype html>
<meta charset="utf-8">
<script type="importmap">${JSON.stringify(importMap)}</script>
<pre></pre>
<script type="module" src="/test/browser/page.js"></script>
`;

const served = /^\/(?:dist\/[\w-]+\.js|test\/browser\/page\.js)$/;

/** Serves the page at `/`, and what it imports, on a free port of this machine. */
export async function servePackage(): Promise<PageServer> {
  const server = createServer(async (request, response) => {
    const path = request.url ?? "/";
    const found = path === "/" ? html : await fileText(path);
    const type = path === "/" ? "text/html" : "text/javascript";
    response.writeHead(found === null ? 404 : 200, { "content-type": type });
    response.end(found ?? "");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function fileText(path: string): Promise<string | null> {
  if (!served.test(path)) return null;
  return await readFile(new URL(`.${path}`, root), "utf8").catch(() => null);
}
