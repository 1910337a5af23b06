// Times tc-wgsl beside its peers on one device, in one run. See README.md.
import { FlagError, help, readFlags } from "./flags.js";

try {
  const flags = readFlags(process.argv.slice(2));
  process.exitCode = await start(flags);
} catch (error) {
  // Faults of the runtime, such as an adapter that is not there, have a kind.
  const known = error instanceof FlagError || error.kind !== undefined;
  process.stderr.write(`bench: ${known ? error.message : error.stack}\n`);
  process.exitCode = known ? 2 : 1;
}
// The device's threads and ONNX Runtime's would keep the process.
process.exit();

/** Loads what the mode needs and nothing else. @param {import("./flags.js").Flags} flags */
async function start(flags) {
  switch (flags.mode) {
    case "help":
      process.stdout.write(help);
      return 0;
    case "report":
      return (await import("./modes/report.js")).report(flags);
    case "tune":
      return await (await import("./modes/tune.js")).tuneCases(flags);
    default:
      return await (await import("./modes/measure.js")).measureAll(flags);
  }
}
