/** What was on the page last, for those who come back without a link: in the browser's IndexedDB. */
import { effect } from "@preact/signals";
import { idbStore } from "../../../src/store.ts";
import { linkState } from "../state.ts";
import { madeBy } from "./drift.ts";
import { writeLink } from "./link.ts";

/** So long after the last change it is kept, in milliseconds. */
const afterMs = 500;

/** One line: the fragment of a link. */
const drafts = idbStore("tc-wgsl draft");

/** The fragment of a draft; empty where there is none, or storage is forbidden. */
export async function readDraft(): Promise<string> {
  try {
    return (await drafts.read()).at(-1) ?? "";
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
      const fragment = await writeLink({ ...state, made: madeBy(null) });
      // In a private window it is not kept.
      await drafts.rewrite(() => [fragment]).catch(() => undefined);
    }, afterMs);
  });
}
