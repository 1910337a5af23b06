/** How long the page takes to answer keys: measured inside of it, since what drives a browser takes its own time. */
import type { Page } from "playwright-core";

/** Of one key, in milliseconds from the moment of its event. */
export interface KeyTime {
  /** Until a frame with the letter was handed on to be shown. */
  readonly painted: number;
  /** Until it was shown what is wrong with the text; null where a later key came first. */
  readonly checked: number | null;
  /** Until the compiler's answer to the text was shown; null where a later key came first. */
  readonly answered: number | null;
}

/** Runs in the page before its own scripts; {@link keyTimes} reads what it notes. */
export const watchKeys = `
  globalThis.keyTimes = [];
  let latest = null;
  addEventListener("keydown", ({ timeStamp }) => {
    const time = { painted: null, checked: null, answered: null };
    latest = { time, timeStamp };
    keyTimes.push(time);
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => { time.painted = performance.now() - timeStamp; };
      port2.postMessage(null);
    });
  }, { capture: true });
  new MutationObserver((changes) => {
    if (latest === null) return;
    const done = (part) =>
      changes.some(({ target }) => target.matches(part) && target.ariaBusy === "false");
    const since = performance.now() - latest.timeStamp;
    if (done(".problems")) latest.time.checked ??= since;
    if (done(".output")) latest.time.answered ??= since;
  }).observe(document, { subtree: true, attributeFilter: ["aria-busy"] });
`;

/** The times of the keys so far, which are forgotten. */
export async function keyTimes(page: Page): Promise<readonly KeyTime[]> {
  return await page.evaluate<readonly KeyTime[]>("keyTimes.splice(0)");
}

const letters = "abcdefghijklmnopqrstuvwxyz";

/** Types letters, or other keys in turn, so many milliseconds after each other, at the place of the cursor. */
export async function typeKeys(
  page: Page,
  count: number,
  everyMs: number,
  keys: string = letters,
): Promise<void> {
  for (let n = 0; n < count; n++) {
    await page.keyboard.press(keys[n % keys.length] ?? "a");
    await page.waitForTimeout(everyMs);
  }
}

/** The value below which a share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
