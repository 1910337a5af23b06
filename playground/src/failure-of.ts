/** What a person reads of an error, and what they can do about it. */
import { RuntimeFault } from "../../src/load.ts";
import { CallFailure } from "./call-failure.ts";

/** The message of an error, and what to do next. */
export function failureOf(error: unknown): { readonly message: string; readonly next: string } {
  if (error instanceof CallFailure) return { message: error.message, next: error.next };
  if (error instanceof RuntimeFault) return { message: error.message, next: nextOf(error) };
  const message = error instanceof Error ? error.message : String(error);
  return { message: `internal error: ${message}`, next: "Please report it with a link to this." };
}

function nextOf({ kind }: RuntimeFault): string {
  switch (kind) {
    case "device-lost":
      return "Run it again: that opens a new device.";
    case "out-of-memory":
    case "unsupported":
      return "Choose smaller sizes.";
    case "argument":
      return "Change the inputs or the sizes.";
    default:
      return "Please report it with a link to this.";
  }
}
