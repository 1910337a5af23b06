/** What the visitor wrote, for those who come back without a link: in the browser's IndexedDB. */
import { effect, type Signal, signal } from "@preact/signals";
import { idbStore } from "../../../src/store.ts";
import { linkState, type Opened, opened, openProgram } from "../state.ts";
import { madeBy } from "./drift.ts";
import { type LinkState, readLink, writeLink } from "./link.ts";

/** So long after the last change it is kept, in milliseconds. */
const afterMs = 500;
/** Programs that are kept. */
const mostDrafts = 4;

/** A line for each program, the latest last: the fragment of a link. */
const drafts = idbStore("tc-wgsl draft");

/** A program that was kept. */
interface Draft {
  readonly line: string;
  readonly state: LinkState;
}

/** Drafts of other programs than the one on the page, the latest first. */
export const earlier: Signal<readonly Draft[]> = signal<readonly Draft[]>([]);

/** All lines; none where storage is forbidden. */
async function readLines(): Promise<readonly string[]> {
  return await drafts.read().catch(() => []);
}

/** The fragment of the latest draft; empty where there is none. */
export async function readDraft(): Promise<string> {
  return (await readLines()).at(-1) ?? "";
}

/** The line of a state: the same for all links that hold it, whichever compiler wrote them. */
async function lineOf(state: LinkState): Promise<string> {
  return await writeLink({ ...state, made: madeBy(null) });
}

/** Finds the drafts that may be opened. */
export async function findEarlier(): Promise<void> {
  const shown = await lineOf(linkState());
  const others = (await readLines()).filter((line) => line !== shown).reverse();
  const read = await Promise.all(
    others.map(async (line) => ({ line, link: await readLink(line) })),
  );
  earlier.value = read.flatMap(({ line, link }) =>
    link.kind === "state" ? [{ line, state: link.state }] : [],
  );
}

/** Opens a draft, which is the latest one then. */
export async function openEarlier(line: string): Promise<void> {
  const link = await readLink(line);
  if (link.kind === "state") openProgram(link.state, "draft");
}

/** The lines with another one at their end: in place of the last one, or behind it. */
export function linesWith(
  lines: readonly string[],
  line: string,
  keepsLast: boolean,
): readonly string[] {
  const others = (keepsLast ? lines : lines.slice(0, -1)).filter((other) => other !== line);
  return [...others, line].slice(-mostDrafts);
}

/**
 * Keeps what the visitor changes from now on. What a link brings is not kept as long as nothing is changed; once it is,
 * the address loses the link, which would come back in place of the changes. A draft that was written stays beside that of
 * another program.
 */
export function keepDraft(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const first = opened.peek();
  /** What the last line is of, and whether it is more than what was opened. */
  let last = { of: first?.from === "draft" ? first : null, isWritten: true };
  const keep = async (state: LinkState, of: Opened | null): Promise<void> => {
    const line = await lineOf(state);
    const isAsOpened = of !== null && line === (await lineOf(of.state));
    if (isAsOpened && of.from === "link" && last.of !== of) return;
    const isWritten = !isAsOpened || of.from === "draft";
    const keepsLast = last.isWritten && last.of !== of;
    await drafts.rewrite((lines) => linesWith(lines, line, keepsLast));
    last = { of, isWritten };
    const link = await readLink(location.hash);
    if (link.kind === "none" || (link.kind === "state" && (await lineOf(link.state)) === line))
      return;
    history.replaceState(null, "", location.pathname + location.search);
  };
  let isFirst = true;
  effect(() => {
    const [state, of] = [linkState(), opened.value];
    clearTimeout(timer);
    // In a private window it is not kept, and the link stays.
    if (!isFirst) timer = setTimeout(() => void keep(state, of).catch(() => undefined), afterMs);
    isFirst = false;
  });
}
