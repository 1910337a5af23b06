/** What takes long, said while it does. */
import type { Io } from "./io.ts";
import type { ReportStyle } from "./reporter.ts";

/** Milliseconds after which somebody who waits wants to know why, and between two lines. */
const patience = 1000;

/** Tells people on stderr what is being done, once it has taken a second. */
export interface Progress {
  /** What is being done from now on. */
  step(text: string): void;
  /** It is done; a line on a terminal goes away. */
  end(): void;
}

/**
 * Starts to count. On a terminal there is one line that changes, elsewhere a line for what is being
 * done each second, if that changed; with `--json` and `--quiet` there is none.
 */
export function startProgress(io: Io, { format, quiet }: ReportStyle): Progress {
  if (quiet || format === "json") return { step: () => undefined, end: () => undefined };
  const { stderr } = io;
  const eraseLine = "\r\u001b[2K";
  let [wanted, shown, last] = ["", "", io.now()];
  let timer: ReturnType<typeof setTimeout> | null = null;
  const show = (): void => {
    timer = null;
    last = io.now();
    if (wanted === shown) return;
    shown = wanted;
    stderr.write(stderr.isTerminal ? `${eraseLine}${shown}` : `${shown}\n`);
  };
  return {
    step: (text) => {
      wanted = text;
      timer ??= setTimeout(show, Math.max(0, last + patience - io.now()));
    },
    end: () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      if (shown !== "" && stderr.isTerminal) stderr.write(eraseLine);
    },
  };
}
