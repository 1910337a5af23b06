/**
 * Serves the playground on this machine only, with one program of a file, and the records of a database:
 *
 * ```
 * GET /          the page, which is told that there is a program
 * GET /program   { file, source }
 * GET /events    an event each time the program has changed
 *     /records   what tuning remembers: see serve-records.ts
 * GET /...       the other files of the page
 * ```
 */
import { readdir, readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, sep } from "node:path";
import type { ServedRecords } from "../api.ts";
import { respondRecords } from "./serve-records.ts";

/** A program as the page gets it. */
export interface ServedProgram {
  /** For people. */
  readonly file: string;
  readonly source: string;
}

export interface PageOptions {
  /** Where the built page lies. */
  readonly folder: string;
  /** 0: any that is free. */
  readonly port: number;
  /** Reads the program, each time that the page asks; absent where the page is to choose one. */
  readonly program?: () => Promise<ServedProgram>;
  /** What tuning remembers outside of the page; absent where it has its own memory alone. */
  readonly records?: ServedRecords;
  /** Names of this machine besides `localhost` and its addresses. */
  readonly hosts?: readonly string[];
}

export interface PageServer {
  readonly url: string;
  readonly port: number;
  /** Tells the pages that the program has changed. */
  changed(): void;
  close(): Promise<void>;
}

const types: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".md": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** What the page finds where it is served with a program, and with records. */
const marks = {
  program: '<meta name="tc-program" content="./program">',
  records: '<meta name="tc-records" content="./records">',
} as const;

/**
 * Starts the server. Requests by another name than this machine's own are refused, so that no page of
 * the web can read the program by a name that it has pointed here.
 */
export async function servePage(options: PageOptions): Promise<PageServer> {
  const { folder } = options;
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = new Set(
    found
      .filter((entry) => entry.isFile())
      .map((e) => join(e.parentPath, e.name).slice(folder.length).replaceAll(sep, "/")),
  );
  const paths = new Set([...files].map((path) => `/${path.replace(/^\/+/, "")}`));
  const listeners = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    respond({ options, paths, listeners }, request, response).catch(() => {
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://localhost:${port}/`,
    port,
    changed: () => {
      for (const listener of listeners) listener.write("data: changed\n\n");
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Site {
  readonly options: PageOptions;
  readonly paths: ReadonlySet<string>;
  readonly listeners: Set<ServerResponse>;
}

async function respond(
  { options, paths, listeners }: Site,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { folder, program, records, hosts = [] } = options;
  const host = (request.headers.host ?? "").replace(/:\d+$/, "");
  if (!["localhost", "127.0.0.1", ...hosts].includes(host)) return end(response, 421);
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  if (pathname === "/records" && records !== undefined) {
    return await respondRecords(records, request, response);
  }
  if (request.method !== "GET") return end(response, 405);
  if (pathname === "/events" && program !== undefined) {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    response.write(": the program is watched\n\n");
    listeners.add(response);
    response.on("close", () => listeners.delete(response));
    return;
  }
  if (pathname === "/program" && program !== undefined) {
    return send(response, "application/json", JSON.stringify(await program()));
  }
  const path = pathname === "/" ? "/index.html" : pathname;
  if (!paths.has(path)) return end(response, 404);
  const content = await readFile(join(folder, path));
  const type = types[extname(path)] ?? "application/octet-stream";
  if (path !== "/index.html") return send(response, type, content);
  const found = (["program", "records"] as const).filter((name) => options[name] !== undefined);
  const head = `<head>${found.map((name) => marks[name]).join("")}`;
  send(response, type, content.toString("utf8").replace("<head>", head));
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status);
  response.end();
}

function send(response: ServerResponse, type: string, content: string | Uint8Array): void {
  response.writeHead(200, {
    "content-type": type,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
  response.end(content);
}
