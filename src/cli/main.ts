#!/usr/bin/env node
/** The program `tc-compile`. */
import { exitCodes } from "./failure.ts";
import { start } from "./process/start.ts";

process.on("uncaughtException", (error) => {
  process.stderr.write(`error: internal error: ${error.message}\n  next: report it as a bug\n`);
  process.exit(exitCodes.internal);
});
process.exitCode = await start(process.argv.slice(2));
