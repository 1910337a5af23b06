/**
 * Share links: all of the page's state in the fragment, so that it never reaches a server.
 *
 * ```
 * fragment := "#1/" base64url(deflate-raw(JSON of LinkState, keys of one letter))
 * ```
 * Version 1 keeps loading for ever: fields may be added, none may change its meaning. Whatever a
 * link holds is data: it is checked here, and only the compiler reads it.
 */

/** What a link holds. */
export interface LinkState {
  readonly source: string;
  /** The definition that was chosen. */
  readonly def: string | null;
  /** Sizes that were set on the page. */
  readonly sizes: Readonly<Record<string, number>>;
  /** Words for inputs that were set on the page, by tensor. */
  readonly inputs: Readonly<Record<string, string>>;
  /** JSON text of options, opaque; empty: the default. */
  readonly options: string;
  /** Which compiler wrote the options: see drift.ts. Early links do not say. */
  readonly made?: string;
}

/** How a page is arranged; what is left out is as on a new page. */
export interface LinkLayout {
  /** Widths of the outer columns, in those of the middle one. */
  readonly code?: number;
  readonly run?: number;
  /** The view of the output, and what is shown of running and tuning. */
  readonly output?: string;
  readonly side?: string;
}

/** The state of a link, or why there is none; null for a page without one. */
export type ReadLink =
  | { readonly kind: "none" }
  | { readonly kind: "state"; readonly state: LinkState; readonly layout?: LinkLayout }
  | { readonly kind: "fault"; readonly message: string };

/** Links above this may be cut by what they are sent with, in characters. */
export const longLink = 2000;

const mostCharacters = 400_000;
const mostBytes = 1_000_000;
const mostNames = 200;
const version = "1";

/** The fragment of a state, from `#` on. The same state and layout give the same text. */
export async function writeLink(state: LinkState, layout: LinkLayout = {}): Promise<string> {
  const { source, def, sizes, inputs, options, made } = state;
  const data = {
    s: source,
    ...(def === null ? {} : { d: def }),
    ...(Object.keys(sizes).length === 0 ? {} : { z: sizes }),
    ...(Object.keys(inputs).length === 0 ? {} : { i: inputs }),
    ...(Object.keys(layout).length === 0 ? {} : { l: written(layout) }),
    ...(options.trim() === "" ? {} : { o: options, ...(made === undefined ? {} : { g: made }) }),
  };
  const bytes = await deflated(new TextEncoder().encode(JSON.stringify(data)));
  return `#${version}/${toBase64Url(bytes)}`;
}

/** Reads a fragment. Never throws, whatever it holds; takes bounded time and memory. */
export async function readLink(fragment: string): Promise<ReadLink> {
  if (fragment === "" || fragment === "#") return { kind: "none" };
  if (fragment.startsWith("#gist=")) return { kind: "fault", message: noGist };
  const [, found, body = ""] = /^#(\d{1,4})\/(.*)$/s.exec(fragment) ?? [];
  if (found === undefined) return { kind: "none" };
  if (found !== version) {
    const message = `This link has format ${found}, which a newer playground made: this one reads format ${version}.`;
    return { kind: "fault", message };
  }
  if (body.length > mostCharacters) return broken("it is too long");
  const bytes = fromBase64Url(body);
  if (bytes === null) return broken("it has characters that no link has");
  const text = await inflated(bytes);
  if (text === null) return broken("it is cut or damaged");
  return readState(text);
}

/** Other playgrounds load such links; who opens one here shall know why nothing comes. */
const noGist =
  "This page asks no other host for anything, so it loads no gist: open the gist, and paste its text here or drop its file on the code.";

function broken(why: string): ReadLink {
  return { kind: "fault", message: `This link cannot be read: ${why}. Ask for it again.` };
}

function readState(text: string): ReadLink {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return broken("it is cut or damaged");
  }
  if (!isObject(data)) return broken("it holds no program");
  const {
    s: source,
    d: def = null,
    z: sizes = {},
    i: inputs = {},
    o: options = "",
    g: made,
    l: layout,
  } = data;
  if (typeof source !== "string") return broken("it holds no program");
  const isDef = def === null || (typeof def === "string" && def.length <= 200);
  const isOptions = typeof options === "string";
  if (!isDef || !isOptions || !isSizes(sizes) || !isWords(inputs)) {
    return broken("a part of it is not what it should be");
  }
  // It is told and nothing else: what is no such text is as good as none.
  const known = typeof made === "string" && made.length <= 100 ? { made } : {};
  const state = { source, def, sizes, inputs, options, ...known };
  return isObject(layout)
    ? { kind: "state", state, layout: layoutOf(layout) }
    : { kind: "state", state };
}

function written({ code, run, output, side }: LinkLayout): Fields {
  return { c: code, r: run, o: output, s: side };
}

/** What is no width and no name is as good as none: a page has an arrangement anyway. */
function layoutOf({ c: code, r: run, o: output, s: side }: Fields): LinkLayout {
  const isWidth = (value: unknown): value is number => Number.isFinite(value);
  const isTab = (value: unknown): value is string => typeof value === "string" && isName(value);
  return {
    ...(isWidth(code) ? { code } : {}),
    ...(isWidth(run) ? { run } : {}),
    ...(isTab(output) ? { output } : {}),
    ...(isTab(side) ? { side } : {}),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isSizes(value: unknown): value is Readonly<Record<string, number>> {
  return isNamed(value, (one) => Number.isSafeInteger(one) && Math.abs(Number(one)) < 2 ** 31);
}

function isWords(value: unknown): value is Readonly<Record<string, string>> {
  return isNamed(value, (one) => typeof one === "string" && one.length <= 200);
}

function isNamed(value: unknown, test: (one: unknown) => boolean): boolean {
  if (!isObject(value)) return false;
  const entries = Object.entries(value);
  return entries.length <= mostNames && entries.every(([name, one]) => isName(name) && test(one));
}

/** Names of the language; `__proto__` would not be a field like others. */
function isName(text: string): boolean {
  return /^[A-Za-z_]\w{0,199}$/.test(text) && text !== "__proto__";
}

async function deflated(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = streamOf(bytes).pipeThrough(new CompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The text, or null: not deflated, not UTF-8, or more than {@link mostBytes}. */
async function inflated(bytes: Uint8Array): Promise<string | null> {
  const stream = streamOf(bytes).pipeThrough(new DecompressionStream("deflate-raw"));
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = stream.getReader();
  let text = "";
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      length += value.length;
      if (length > mostBytes) {
        await reader.cancel();
        return null;
      }
      text += decoder.decode(value, { stream: true });
    }
  } catch {
    return null;
  }
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start: (controller) => {
      controller.enqueue(new Uint8Array(bytes));
      controller.close();
    },
  });
}

function toBase64Url(bytes: Uint8Array): string {
  const part = 8192;
  let binary = "";
  for (let at = 0; at < bytes.length; at += part) {
    binary += String.fromCharCode(...bytes.subarray(at, at + part));
  }
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function fromBase64Url(text: string): Uint8Array | null {
  if (!/^[\w-]*$/.test(text)) return null;
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
