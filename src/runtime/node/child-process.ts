/**
 * Child processes of Node, spoken to like threads. A device that hangs blocks its thread for ever, and ending a worker
 * thread with one aborts the process: a process of its own can be killed.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { RuntimeFault } from "../runtime-fault.ts";
import type { OpenThread } from "../threads/thread.ts";

/** What is kept of a child's complaints. */
const keptText = 2_000;

/** Runs a module in a child process, which is killed when it is terminated and ends with this one. */
export function openChild(program: URL): OpenThread {
  return ({ message, failure }) => {
    const child = fork(fileURLToPath(program), [], {
      // Flags such as --input-type are for the program that Node was started with.
      execArgv: [],
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    let said = "";
    let over = false;
    const end = (cause: string): void => {
      if (over) return;
      over = true;
      const text = said.trim() === "" ? "" : `: ${said.trim()}`;
      failure(new RuntimeFault("internal", `the process that measures ${cause}${text}`));
    };
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-keptText);
    });
    child.on("message", message);
    child.on("error", (error) => end(`failed: ${error.message}`));
    child.on("exit", (code, signal) =>
      end(signal === null ? `ended with ${code}` : `got ${signal}`),
    );
    const keepAlive = (keep: boolean): void => {
      for (const handle of [child, child.channel]) {
        if (keep) handle?.ref();
        else handle?.unref();
      }
    };
    const { stderr } = child;
    if (stderr !== null && "unref" in stderr && typeof stderr.unref === "function") stderr.unref();
    keepAlive(false);
    return {
      post: (data) => {
        // A child that is gone says so by its exit.
        if (child.connected) child.send(data as object, () => undefined);
      },
      keepAlive,
      terminate: () => {
        over = true;
        child.kill("SIGKILL");
      },
      processId: child.pid,
    };
  };
}
