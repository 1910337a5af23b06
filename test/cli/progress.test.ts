import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Io } from "../../src/cli/io.ts";
import { startProgress } from "../../src/cli/progress.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A progress, and what it wrote to stderr. */
function started(isTerminal: boolean, style: { readonly format?: "json"; readonly quiet?: true }) {
  const written: string[] = [];
  const stderr = { isTerminal, write: (text: string) => void written.push(text) };
  const io = { stderr, now: () => Date.now() } as Partial<Io> as Io;
  const whole = { format: "human", color: "auto", quiet: false, verbose: false, ...style } as const;
  return { written, progress: startProgress(io, whole) };
}

describe("the progress of a command", () => {
  it("is silent for a second, and then says in lines what is being done", () => {
    const { written, progress } = started(false, {});
    progress.step("compiling pipelines: 0 of 2");
    vi.advanceTimersByTime(999);
    expect(written).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(written).toEqual(["compiling pipelines: 0 of 2\n"]);
    progress.step("compiling pipelines: 1 of 2");
    progress.step("first run");
    vi.advanceTimersByTime(999);
    expect(written).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(written.slice(1)).toEqual(["first run\n"]);
    progress.end();
    vi.advanceTimersByTime(9000);
    expect(written).toHaveLength(2);
  });

  it("says nothing of what is done sooner", () => {
    const { written, progress } = started(false, {});
    progress.step("compiling pipelines: 0 of 2");
    vi.advanceTimersByTime(500);
    progress.end();
    vi.advanceTimersByTime(9000);
    expect(written).toEqual([]);
  });

  it("is one line on a terminal, which goes away", () => {
    const { written, progress } = started(true, {});
    progress.step("one");
    vi.advanceTimersByTime(1000);
    progress.step("two");
    vi.advanceTimersByTime(1000);
    progress.end();
    expect(written).toEqual(["\r\u001b[2Kone", "\r\u001b[2Ktwo", "\r\u001b[2K"]);
  });

  it.each([{ format: "json" }, { quiet: true }] as const)("is silent with %o", (style) => {
    const { written, progress } = started(true, style);
    progress.step("one");
    vi.advanceTimersByTime(5000);
    progress.end();
    expect(written).toEqual([]);
  });
});
