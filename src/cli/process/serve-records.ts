/**
 * Gives a page of this machine the records of tuning, and takes new ones:
 *
 * ```
 * GET  /records   { name, lines, notes }
 * POST /records   { lines }, as JSON of the page's own origin: { added }
 * ```
 * A refusal has a status and `{ message }`. Whoever calls has checked the name that the server was asked by.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServedRecords } from "../api.ts";

/** The longest body that is read, in bytes; the page sends less at once. */
const mostBytes = 2 ** 22;

/** Why a request is not answered. */
interface Refused {
  readonly status: number;
  readonly message: string;
}

const tooLong: Refused = { status: 413, message: `more than ${mostBytes} bytes at once` };
const noLines: Refused = { status: 400, message: "the body is no { lines } of texts" };

/** Answers a request for records. */
export async function respondRecords(
  records: ServedRecords,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refused = refusalOf(request);
  if (refused !== null) return refuse(response, refused);
  try {
    if (request.method === "GET") return send(response, 200, await records.read());
    const body = await bodyOf(request);
    if (body === null) return refuse(response, tooLong);
    const lines = linesOf(body);
    if (lines === null) return refuse(response, noLines);
    send(response, 200, { added: await records.append(lines) });
  } catch (error) {
    // What stores reject with says what to do.
    refuse(response, { status: 500, message: error instanceof Error ? error.message : `${error}` });
  }
}

/**
 * What is wrong with who asks and how. A page of another origin can send what forms send without being asked: those have
 * no JSON, and browsers name the origin of whatever is no GET.
 */
function refusalOf({ method, headers }: IncomingMessage): Refused | null {
  const { origin, host } = headers;
  if (method !== "GET" && method !== "POST") return { status: 405, message: "only GET and POST" };
  const isOwn = origin === `http://${host}` || (origin === undefined && method === "GET");
  const site = headers["sec-fetch-site"];
  if (!isOwn || (site !== undefined && site !== "same-origin")) {
    return { status: 403, message: "only the page itself may ask" };
  }
  if (method === "POST" && !/^application\/json *(?:;|$)/i.test(headers["content-type"] ?? "")) {
    return { status: 415, message: "only JSON" };
  }
  return null;
}

/** The body; null where it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > mostBytes) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

/** The lines of a body; null where it holds something else. */
function linesOf(body: string): readonly string[] | null {
  try {
    const { lines } = JSON.parse(body) as { readonly lines?: unknown };
    return Array.isArray(lines) && lines.every((line) => typeof line === "string") ? lines : null;
  } catch {
    return null;
  }
}

function refuse(response: ServerResponse, { status, message }: Refused): void {
  // What is left of a body is not read.
  response.setHeader("connection", "close");
  send(response, status, { message });
}

function send(response: ServerResponse, status: number, content: object): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
  });
  response.end(JSON.stringify(content));
}
