/** `--watch`: the same command again whenever a file that it read changes. */
import { existsSync, type FSWatcher, watch as watchFolder } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { fingerprint, type Reads, unread } from "./record-reads.ts";
import { onEndSignal } from "./supervise.ts";

/** Editors write in several steps: a round starts when nothing has happened for so long. */
const quietMs = 50;

/** One execution of the command. */
export interface Round {
  /** The files that it depends on, as they were; null if it was interrupted. */
  readonly done: Promise<Reads | null>;
  kill(): void;
}

/**
 * Runs rounds until the process is asked to end. Errors do not end it, nor do files that are not
 * there. Folders are watched, not files: a save that replaces the file is seen, too. A change that
 * leaves all contents as they are starts no round.
 *
 * @param wait called when the command waits for changes of so many files.
 */
export async function watch(
  start: (first: boolean) => Round,
  wait: (files: number) => void,
): Promise<void> {
  const asked = new Promise<null>((done) => onEndSignal(() => done(null)));
  for (let first = true; ; first = false) {
    const round = start(first);
    const reads = await Promise.race([round.done, asked]);
    if (reads === null) return round.kill();
    const changes = watchFiles(reads);
    wait(Object.keys(reads).length);
    const next = await Promise.race([changes.next, asked]);
    changes.close();
    if (next === null) return;
  }
}

interface Changes {
  /** Resolves when the content of a file is not what was read. */
  readonly next: Promise<true>;
  close(): void;
}

function watchFiles(reads: Reads): Changes {
  const watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  const next = new Promise<true>((resolveNext) => {
    const touched = (): void => {
      clearTimeout(timer);
      timer = setTimeout(async () => {
        if (await differs(reads)) resolveNext(true);
      }, quietMs);
    };
    for (const [folder, names] of foldersOf(Object.keys(reads))) {
      const watcher = watchFolder(folder, (_, name) => {
        if (name === null || names.has(name)) touched();
      });
      // A folder that goes away: its files are gone, which the comparison sees.
      watcher.on("error", touched);
      watchers.push(watcher);
    }
    // What changed since the round has read it.
    touched();
  });
  const close = (): void => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
  return { next, close };
}

async function differs(reads: Reads): Promise<boolean> {
  const compared = Object.entries(reads).map(async ([path, before]) => {
    const content = await readFile(path).catch(() => null);
    return (content === null ? unread : fingerprint(content)) !== before;
  });
  return (await Promise.all(compared)).includes(true);
}

/** The folders to watch for files, and what in them: the innermost folders that are there. */
function foldersOf(paths: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const folders = new Map<string, Set<string>>();
  for (const path of paths) {
    let [folder, name] = [dirname(resolve(path)), basename(path)];
    while (!existsSync(folder) && dirname(folder) !== folder) {
      [folder, name] = [dirname(folder), basename(folder)];
    }
    folders.set(folder, (folders.get(folder) ?? new Set()).add(name));
  }
  return folders;
}
