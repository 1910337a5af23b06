/** What `tc-compile play FILE` serves beside the page: the program of the file, which the page follows, and records. */
import { replaceRequest, source } from "./state.ts";

/** Where the server says something is; null where the page lies on any other host. */
function servedUrl(what: "program" | "records"): string | null {
  const mark = document.querySelector<HTMLMetaElement>(`meta[name="tc-${what}"]`);
  return mark === null ? null : new URL(mark.content, document.baseURI).href;
}

/** Where the records of the command line are; null where the page has its own alone. */
export function recordsUrl(): string | null {
  return servedUrl("records");
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
  const url = servedUrl("program");
  return url === null ? null : await read(url);
}

/** Puts the file into the editor each time that it is saved; undoing brings back what was there. */
export function followFile(): void {
  const url = servedUrl("program");
  if (url === null) return;
  new EventSource("./events").onmessage = async () => {
    const text = await read(url);
    if (text === null || text === source.value) return;
    replaceRequest.value = { text };
  };
}
