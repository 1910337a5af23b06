/** The program of the thread that `tc-wgsl/worker` starts: a module, to be run and not imported. */
import type { CompileTask } from "./api/compiler-worker.ts";
import { type Compiled, type CompileResult, compile, type StageResult } from "./compile.ts";
import { serveTasks } from "./runtime/threads/serve-tasks.ts";

let previous: Compiled | null = null;

serveTasks<CompileTask, CompileResult, StageResult>(({ source, request, stages }, tell) => {
  const more = stages ? { previous, onStage: tell } : { previous };
  // What is no request is refused by who compiles.
  const isRequest = typeof request === "object" && request !== null && !Array.isArray(request);
  const asked = isRequest || request === undefined ? { ...request, ...more } : request;
  const result = compile(source, asked);
  if (result.ok) previous = result;
  return result;
});
