import type { CompileResult } from "./api.ts";
import { failed, type Outcome, success } from "./failure.ts";

/** Flags by how the message of a RangeError begins, and what to do about them. */
const mistakes: readonly (readonly [start: string, flag: string, next: string])[] = [
  ["layout of", "layout of", "write other strides with --layout, or leave it out"],
  ["temporaries:", "--dump:", "name a tensor that the definition makes"],
];

/** Compiles; what no tensor can have, and tensors that are not there, are mistakes of a command line. */
export function compileAsked(compile: () => CompileResult): Outcome<CompileResult> {
  try {
    return success(compile());
  } catch (error) {
    const message = error instanceof RangeError ? error.message : "";
    const mistake = mistakes.find(([start]) => message.startsWith(start));
    if (mistake === undefined) throw error;
    const [start, flag, next] = mistake;
    return failed(message.replace(start, flag), next);
  }
}
