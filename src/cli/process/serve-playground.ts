import { watch } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServedRecords, ServeOptions } from "../api.ts";
import { servePage } from "./serve-page.ts";
import { onEndSignal } from "./supervise.ts";

/** Editors write in several steps: pages are told when nothing has happened for so long. */
const quietMs = 50;

/** Beside `dist/` of the package. */
const builtPage = fileURLToPath(new URL("../playground/dist", import.meta.url));

/** Serves the built page until this process is asked to end. */
export async function servePlayground(
  { port, program, onStart }: Omit<ServeOptions, "db">,
  records: ServedRecords,
): Promise<void> {
  const server = await servePage({
    folder: builtPage,
    port,
    records,
    ...(program === null ? {} : { program: program.read }),
  });
  const unwatch = program === null ? () => undefined : watchFile(program.path, server.changed);
  onStart(server.url);
  await new Promise<void>((done) => {
    const stop = onEndSignal(() => {
      stop();
      done();
    });
  });
  unwatch();
  await server.close();
}

/** Calls `changed` after each save; the folder is watched, so that a file that is replaced is seen. */
function watchFile(path: string, changed: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const name = basename(path);
  const watcher = watch(dirname(resolve(path)), (_, touched) => {
    if (touched !== null && touched !== name) return;
    clearTimeout(timer);
    timer = setTimeout(changed, quietMs);
  });
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}
