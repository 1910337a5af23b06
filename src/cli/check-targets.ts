import { dirname } from "node:path";
import { failed, type Outcome, success } from "./failure.ts";
import type { Io } from "./io.ts";

/**
 * Whether the files that a command is to write can be there, before it does work that takes long:
 * their folders exist, since a misspelt one is more likely than a new one, and they are no folders.
 */
export async function checkTargets(
  { kindOf }: Pick<Io, "kindOf">,
  paths: readonly string[],
): Promise<Outcome<null>> {
  for (const path of paths) {
    if (path === "-") {
      return failed("cannot write to standard output: it has what people read", "give a file");
    }
    if (path.endsWith("/") || (await kindOf(path)) === "folder") {
      return failed(`cannot write ${path}: it is a folder`, "give a file in it");
    }
    const folder = dirname(path);
    const there = folder === "." ? "folder" : await kindOf(folder);
    if (there === "file") {
      return failed(`cannot write ${path}: ${folder} is a file, not a folder`, "check the path");
    }
    if (there === "nothing") {
      return failed(
        `cannot write ${path}: there is no folder ${folder}`,
        `make it: mkdir -p ${folder}`,
      );
    }
  }
  return success(null);
}
