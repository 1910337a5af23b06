/** The program of a file, where `tc-compile play FILE` serves the page: it follows the file. */
import { replaceRequest, source } from "./state.ts";

/** Where the server says the program is; null where the page lies on any other host. */
function programUrl(): string | null {
  const mark = document.querySelector<HTMLMetaElement>('meta[name="tc-program"]');
  return mark?.content ?? null;
}

async function read(url: string): Promise<string | null> {
  try {
    const response = await fetch(url);
    const data: unknown = await response.json();
    if (typeof data !== "object" || data === null || !("source" in data)) return null;
    return typeof data.source === "string" ? data.source : null;
  } catch {
    // The server has ended: what is here stays.
    return null;
  }
}

/** The program of the file; null without one. */
export async function servedProgram(): Promise<string | null> {
  const url = programUrl();
  return url === null ? null : await read(url);
}

/** Puts the file into the editor each time that it is saved; undoing brings back what was there. */
export function followFile(): void {
  const url = programUrl();
  if (url === null) return;
  new EventSource("./events").onmessage = async () => {
    const text = await read(url);
    if (text === null || text === source.value) return;
    replaceRequest.value = { text };
  };
}
