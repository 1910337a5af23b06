/** What a queue does with tasks that nobody wants any more, with threads that do as they are told. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RuntimeFault } from "../../../src/runtime/runtime-fault.ts";
import type { ThreadListener } from "../../../src/runtime/threads/thread.ts";
import { createThreadQueue, type ThreadQueue } from "../../../src/runtime/threads/thread-queue.ts";

/** A thread that says what it is told to say. */
interface FakeThread {
  readonly listener: ThreadListener;
  /** The tasks that it was given. */
  readonly tasks: { readonly id: number; readonly task: string }[];
  alive: boolean;
  kept: boolean;
}

let threads: FakeThread[];
let queue: ThreadQueue<string, string, string>;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  threads = [];
  queue = createThreadQueue((listener) => {
    const made: FakeThread = { listener, tasks: [], alive: true, kept: false };
    threads.push(made);
    return {
      post: (message) => made.tasks.push(message as { id: number; task: string }),
      keepAlive: (keep) => {
        made.kept = keep;
      },
      terminate: () => {
        made.alive = false;
      },
    };
  });
});

afterEach(() => {
  vi.useRealTimers();
});

function thread(n: number): FakeThread {
  const found = threads[n];
  if (found === undefined) throw new Error(`no thread ${n}`);
  return found;
}

function ready(n: number): void {
  thread(n).listener.message({ kind: "ready" });
}

/** Ends the latest task of a thread. */
function done(n: number): void {
  const latest = thread(n).tasks.at(-1);
  if (latest === undefined) throw new Error("no task");
  const { id, task } = latest;
  thread(n).listener.message({ kind: "done", id, result: `${task}!` });
}

function tasksOf(n: number): readonly string[] {
  return thread(n).tasks.map(({ task }) => task);
}

describe("a thread's queue", () => {
  it("starts the thread for the first task, and gives it one at a time", async () => {
    expect(threads).toHaveLength(0);
    const results = [queue.run("a"), queue.run("b")];
    expect(tasksOf(0)).toEqual([]);
    ready(0);
    expect(tasksOf(0)).toEqual(["a"]);
    done(0);
    expect(tasksOf(0)).toEqual(["a", "b"]);
    done(0);
    expect(await Promise.all(results)).toEqual(["a!", "b!"]);
    expect(threads).toHaveLength(1);
  });

  it("keeps a program running while something is under way, and no longer", async () => {
    const result = queue.run("a");
    expect(thread(0).kept).toBe(true);
    ready(0);
    expect(thread(0).kept).toBe(true);
    done(0);
    await result;
    expect(thread(0).kept).toBe(false);
    const again = queue.run("b");
    expect(thread(0).kept).toBe(true);
    queue.cancel(new Error("not wanted"));
    await expect(again).rejects.toThrow("not wanted");
    expect(thread(0).kept).toBe(false);
  });

  it("sends only the newest of what was typed while the thread loaded", async () => {
    for (const text of ["f", "fo"]) {
      const stale = queue.run(text);
      queue.cancel(new Error("stale"));
      await expect(stale).rejects.toThrow("stale");
    }
    vi.advanceTimersByTime(10_000);
    const newest = queue.run("foo");
    ready(0);
    expect(tasksOf(0)).toEqual(["foo"]);
    done(0);
    expect(await newest).toBe("foo!");
    expect(threads).toHaveLength(1);
  });

  it("waits a moment for a task that is given up, and goes on with the warm thread", async () => {
    const stale = queue.run("a");
    ready(0);
    queue.cancel(new Error("stale"));
    await expect(stale).rejects.toThrow("stale");
    const newest = queue.run("b");
    vi.advanceTimersByTime(90);
    done(0);
    expect(tasksOf(0)).toEqual(["a", "b"]);
    done(0);
    expect(await newest).toBe("b!");
    vi.advanceTimersByTime(10_000);
    expect(threads).toHaveLength(1);
    expect(thread(0).alive).toBe(true);
  });

  it("ends the thread of a task that takes long after it was given up", async () => {
    const stale = queue.run("a");
    ready(0);
    queue.cancel(new Error("stale"));
    await expect(stale).rejects.toThrow("stale");
    const newest = queue.run("b");
    vi.advanceTimersByTime(101);
    expect(thread(0).alive).toBe(false);
    expect(threads).toHaveLength(2);
    ready(1);
    // What the old one still had to say is of no interest.
    thread(0).listener.message({ kind: "done", id: 2, result: "wrong" });
    done(1);
    expect(await newest).toBe("b!");
  });

  it("leaves a task alone that was given up, until another one waits", async () => {
    const stale = queue.run("a");
    ready(0);
    queue.cancel(new Error("stale"));
    await expect(stale).rejects.toThrow("stale");
    vi.advanceTimersByTime(10_000);
    expect(thread(0).alive).toBe(true);
    const newest = queue.run("b");
    expect(thread(0).alive).toBe(false);
    ready(1);
    done(1);
    expect(await newest).toBe("b!");
  });

  it("gives up the task whose signal is aborted, and no other", async () => {
    const controller = new AbortController();
    const kept = queue.run("a");
    const dropped = queue.run("b", { signal: controller.signal });
    const last = queue.run("c");
    ready(0);
    controller.abort(new Error("enough"));
    await expect(dropped).rejects.toThrow("enough");
    done(0);
    done(0);
    expect(await Promise.all([kept, last])).toEqual(["a!", "c!"]);
    expect(tasksOf(0)).toEqual(["a", "c"]);
    await expect(queue.run("d", { signal: controller.signal })).rejects.toThrow("enough");
  });

  it("passes on what the thread has to say on the way, while it is wanted", async () => {
    const news: string[] = [];
    const controller = new AbortController();
    const result = queue.run("a", {
      signal: controller.signal,
      onNews: (text) => news.push(text),
    });
    ready(0);
    const { id } = thread(0).tasks[0] ?? { id: 0 };
    thread(0).listener.message({ kind: "news", id, news: "half" });
    controller.abort(new Error("enough"));
    thread(0).listener.message({ kind: "news", id, news: "most" });
    await expect(result).rejects.toThrow("enough");
    expect(news).toEqual(["half"]);
  });

  it("rejects with what was thrown, as the error that it was", async () => {
    const result = queue.run("a");
    ready(0);
    const error = { name: "RangeError", message: "too far", stack: "there" };
    thread(0).listener.message({ kind: "failed", id: 1, error });
    const found: unknown = await result.catch((reason: unknown) => reason);
    expect(found).toBeInstanceOf(RangeError);
    expect(found).toMatchObject({ message: "too far", stack: "there" });
  });

  it("rejects the task of a thread that ends, and has a new one for the next", async () => {
    const [lost, next] = [queue.run("a"), queue.run("b")];
    ready(0);
    thread(0).listener.failure(new RuntimeFault("internal", "out of memory"));
    await expect(lost).rejects.toThrow("out of memory");
    ready(1);
    done(1);
    expect(await next).toBe("b!");
  });

  it("rejects all that wait where a thread cannot be started", async () => {
    const both = [queue.run("a"), queue.run("b")];
    thread(0).listener.failure(new RuntimeFault("internal", "no such file"));
    for (const one of both) await expect(one).rejects.toThrow("no such file");
    expect(threads).toHaveLength(1);
  });

  it("rejects whatever comes after it was disposed of", async () => {
    const pending = queue.run("a");
    queue.dispose();
    await expect(pending).rejects.toMatchObject({ kind: "misuse" });
    expect(thread(0).alive).toBe(false);
    await expect(queue.run("b")).rejects.toMatchObject({ kind: "misuse" });
    expect(threads).toHaveLength(1);
  });
});
