/**
 * Where the page keeps what tuning finds: in this browser, and where `tc-compile play` serves the page, in the file of the
 * command line, too.
 */
import { idbStore, type Store } from "../../../src/store.ts";
import { CallFailure } from "../call-failure.ts";

/** A store, with what its reader should know. */
export interface PageStore {
  /** What is read is the union of both. What is forgotten is forgotten by this browser alone. */
  readonly store: Store;
  /** The name of the file; null where there is none, or it does not answer. */
  readonly file: string | null;
  readonly notes: readonly string[];
}

/** What the server answers: see `serve-records.ts`. */
interface Served {
  readonly name: string;
  readonly lines: readonly string[];
  readonly notes: readonly string[];
}

/** So many characters are sent at once: in bytes less than the server takes, whatever they are. */
const mostCharacters = 2 ** 20;

/** Opens what there is; `url`: where the server has its records. Never rejects: what cannot be read is told. */
export async function openPageStore(url: string | null): Promise<PageStore> {
  const own = idbStore();
  if (url === null) return { store: own, file: null, notes: [] };
  try {
    const { name, lines, notes } = await ask<Served>(url);
    return { store: bothStores(own, { url, name, lines }), file: name, notes };
  } catch (error) {
    return {
      store: own,
      file: null,
      notes: [`records are kept in this browser alone: ${why(error)}`],
    };
  }
}

function bothStores(
  own: Store,
  { url, name, lines }: Pick<Served, "name" | "lines"> & { readonly url: string },
): Store {
  return {
    name,
    // Private windows keep nothing: the file does.
    read: async () => [...lines, ...(await own.read().catch(() => []))],
    append: async (more) => {
      const [here, there] = await Promise.allSettled([own.append(more), post(url, more)]);
      if (there.status === "fulfilled") return;
      const where = here.status === "fulfilled" ? "in this browser alone" : "nowhere";
      throw new CallFailure(`what was found is kept ${where}: ${why(there.reason)}`, "");
    },
    rewrite: own.rewrite,
  };
}

async function post(url: string, lines: readonly string[]): Promise<void> {
  for (const part of inParts(lines)) {
    const headers = { "content-type": "application/json" };
    await ask(url, { method: "POST", headers, body: JSON.stringify({ lines: part }) });
  }
}

/** The lines in their order, in parts that are sent one after the other. */
export function inParts(
  lines: readonly string[],
  most: number = mostCharacters,
): readonly string[][] {
  const parts: string[][] = [];
  let room = 0;
  for (const line of lines) {
    room -= line.length;
    if (room < 0) {
      parts.push([]);
      room = most - line.length;
    }
    parts.at(-1)?.push(line);
  }
  return parts;
}

async function ask<T>(url: string, request: RequestInit = {}): Promise<T> {
  const response = await fetch(url, request).catch(() => {
    throw new Error("`tc-compile play` does not answer");
  });
  const answer = (await response.json()) as T & { readonly message?: string };
  if (!response.ok)
    throw new Error(answer.message ?? `\`tc-compile play\` answered ${response.status}`);
  return answer;
}

function why(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
