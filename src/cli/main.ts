#!/usr/bin/env node
/** The program `tc-compile`. */
import { dispatch } from "./dispatch.ts";
import { exitCodes } from "./failure.ts";
import { nodeIo } from "./node-io.ts";
import { toolchain } from "./toolchain.ts";

process.on("SIGINT", () => process.exit(exitCodes.interrupted));
process.exitCode = await dispatch(process.argv.slice(2), nodeIo(), toolchain);
