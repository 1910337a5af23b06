/** What was on the page last, for those who come back without a link. */
import { effect } from "@preact/signals";
import { linkState } from "../state.ts";
import { writeLink } from "./link.ts";

const key = "tc-wgsl draft";
/** So long after the last change it is kept, in milliseconds. */
const afterMs = 500;

/** The fragment of a draft; empty where there is none, or storage is forbidden. */
export function readDraft(): string {
  try {
    return localStorage.getItem(key) ?? "";
  } catch {
    return "";
  }
}

/** Keeps what the visitor changes from now on. What a link brings is not kept as long as nothing is changed. */
export function keepDraft(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isFirst = true;
  effect(() => {
    const state = linkState();
    clearTimeout(timer);
    if (isFirst) {
      isFirst = false;
      return;
    }
    timer = setTimeout(async () => {
      const fragment = await writeLink(state);
      try {
        localStorage.setItem(key, fragment);
      } catch {
        // It is not kept then.
      }
    }, afterMs);
  });
}
