/** A lock beside a file, which processes of one machine respect among each other. */
import { open, readFile, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

/** Who holds a lock. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  /** Tells the locks of one process apart. */
  readonly nonce: string;
}

/** Milliseconds after which a lock is nobody's, whatever its holder: one is held for a write. */
const staleMs = 30_000;

/** Milliseconds that a lock is waited for. */
const patienceMs = 60_000;

let count = 0;

/** Whether somebody who left this text in a lock of this age is gone. */
function isStale(text: string, ageMs: number): boolean {
  if (ageMs > staleMs) return true;
  const found = holderOf(text);
  // Half-written: its owner is about to write the rest, or was ended.
  if (found === null) return ageMs > 2_000;
  return found.host === hostname() && !isAlive(found.pid);
}

function holderOf(text: string): Holder | null {
  try {
    const { pid, host, nonce } = JSON.parse(text);
    return typeof pid === "number" && typeof host === "string" ? { pid, host, nonce } : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Makes the lock, unless it is there. */
async function create(path: string, text: string): Promise<boolean> {
  try {
    const file = await open(path, "wx");
    try {
      await file.writeFile(text);
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Takes a lock out of the way whose holder is gone. */
async function clear(path: string, nonce: string): Promise<void> {
  const [text, found] = await Promise.all([
    readFile(path, "utf8").catch(() => null),
    stat(path).catch(() => null),
  ]);
  if (text === null || found === null || !isStale(text, Date.now() - found.mtimeMs)) return;
  const aside = `${path}.${nonce}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  // Somebody else may have been faster, and the lock a new one: it is put back.
  const moved = await readFile(aside, "utf8").catch(() => text);
  if (moved !== text) await create(path, moved);
  await rm(aside, { force: true });
}

/**
 * Runs `act` while nobody else holds the lock at `path`. A lock whose process is gone, or that is older than 30 s, is
 * taken over.
 * @throws Error that names the file when it is held for a minute, what the file system says, and what `act` throws.
 */
export async function withLock<T>(path: string, act: () => Promise<T>): Promise<T> {
  count += 1;
  const nonce = `${process.pid}-${count}`;
  const text = JSON.stringify({ pid: process.pid, host: hostname(), nonce } satisfies Holder);
  const begin = Date.now();
  for (let wait = 2; !(await create(path, text)); wait = Math.min(50, wait * 2)) {
    if (Date.now() - begin > patienceMs) {
      throw new Error(`another process writes for a minute: remove ${path} if none does`);
    }
    await clear(path, nonce);
    await sleep(wait);
  }
  try {
    return await act();
  } finally {
    const own = await readFile(path, "utf8").catch(() => "");
    if (own === text) await rm(path, { force: true });
  }
}
