/** The program of the process that `createProcessBench` starts: a module, to be run and not imported. */
import { serveBench } from "./api/tuning/serve-bench.ts";
import { openRuntime } from "./runtime/node/open-runtime.ts";

// At once, since the device may hang.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
// Ctrl-C is for whoever started it, and reaches this process too.
process.on("SIGINT", () => undefined);
serveBench((adapter) => openRuntime(adapter === undefined ? {} : { adapter }));
