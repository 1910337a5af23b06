/** The program of the thread that `tc-wgsl/worker` starts: a module, to be run and not imported. */
import type { CompileTask } from "./api/compiler-worker.ts";
import { type CompileResult, compile, type StageResult } from "./compile.ts";
import { serveTasks } from "./runtime/threads/serve-tasks.ts";

serveTasks<CompileTask, CompileResult, StageResult>(({ source, request, stages }, tell) =>
  compile(source, stages ? { ...request, onStage: tell } : request),
);
