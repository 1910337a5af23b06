/** Starts the page: reads the link, shows it, compiles. */
import { render } from "preact";
import { App } from "./app.tsx";
import { firstExample } from "./examples.ts";
import { openDevice } from "./run/run-state.ts";
import { followFile, servedProgram } from "./served-program.ts";
import { readLink } from "./share/link.ts";
import { followTheme } from "./shell/theme.ts";
import { answer, notice, openProgram, startCompiling } from "./state.ts";
import { followVisibility } from "./tune/tune-state.ts";

const empty = { def: null, sizes: {}, inputs: {}, options: "" };

/** What the link says; without one, the program of a file that is served, or an example. */
async function openFirst(): Promise<void> {
  const link = await readLink(location.hash);
  if (link.kind === "fault") notice.value = link.message;
  if (link.kind === "state") openProgram(link.state);
  else openProgram({ ...empty, source: (await servedProgram()) ?? firstExample });
}

async function start(): Promise<void> {
  followTheme();
  await openFirst();
  const root = document.querySelector("#app");
  if (root === null) return;
  root.replaceChildren();
  render(<App embedded={new URLSearchParams(location.search).has("embed")} />, root);
  startCompiling();
  followFile();
  followVisibility();
  addEventListener("hashchange", () => void openFirst());
  // The first answer is for any device; what is shown after it, for this one.
  const stop = answer.subscribe((first) => {
    if (first === null) return;
    queueMicrotask(() => stop());
    void openDevice();
  });
}

void start();
