import type { Runtime } from "./api.ts";
import type { Context } from "./context.ts";
import { type ExitKind, failed, type Outcome } from "./failure.ts";

/** What to do about each kind of RuntimeFault that is not our own bug. */
const advice: Readonly<Record<string, readonly [ExitKind, string]>> = {
  argument: ["usage", "correct the input that is named"],
  "no-adapter": [
    "adapter",
    "try --adapter auto, or --adapter reference, which needs no device; build and check need none",
  ],
  unsupported: ["adapter", "choose smaller sizes, or another device with --adapter"],
  "out-of-memory": ["adapter", "choose smaller sizes, or another device with --adapter"],
  "device-lost": ["adapter", "run it again; if it happens again, try --adapter software"],
};

/**
 * A fault of the runtime as a failure of the command; anything else is a bug and is thrown on.
 */
export function runtimeFailure(error: unknown): ReturnType<typeof failed> {
  if (!(error instanceof Error) || !("kind" in error)) throw error;
  const [exit, next] = advice[String(error.kind)] ?? [
    "internal" as const,
    "report it as a bug, with the source and the output of tc-compile info",
  ];
  return failed(error.message, next, exit);
}

/** Opens the adapter that was asked for, and closes it; its faults are failures. */
export async function onRuntime<T>(
  { line, report, tools }: Context,
  act: (runtime: Runtime) => Promise<Outcome<T>>,
): Promise<Outcome<T>> {
  let runtime: Runtime;
  try {
    runtime = await tools.openRuntime({ adapter: line.adapter, onNote: report.aside });
  } catch (error) {
    return runtimeFailure(error);
  }
  try {
    return await act(runtime);
  } catch (error) {
    return runtimeFailure(error);
  } finally {
    runtime.dispose();
  }
}
