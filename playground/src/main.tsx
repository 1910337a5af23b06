/** Starts the page: reads the link, shows it, compiles. */
import { render } from "preact";
import { App } from "./app.tsx";
import { firstExample } from "./examples.ts";
import { keepOffline } from "./offline/keep-offline.ts";
import { openDevice } from "./run/run-state.ts";
import { followFile, servedProgram } from "./served-program.ts";
import { keepDraft, readDraft } from "./share/draft.ts";
import { readLink } from "./share/link.ts";
import { arrange } from "./shell/layout.ts";
import { followTheme } from "./shell/theme.ts";
import { answer, notice, openProgram, startCompiling } from "./state.ts";
import { followVisibility } from "./tune/tune-state.ts";

const isEmbedded = new URLSearchParams(location.search).has("embed");
const empty = { def: null, sizes: {}, inputs: {}, options: "" };

/** What the link says; without one, the program of a file that is served, what was here last, or an example. */
async function openFirst(): Promise<void> {
  const link = await readLink(location.hash);
  if (link.kind === "fault") notice.value = link.message;
  if (link.kind === "state") {
    openProgram(link.state, "link");
    if (link.layout !== undefined) arrange(link.layout);
    return;
  }
  const served = await servedProgram();
  const draft = served === null && !isEmbedded ? await readLink(await readDraft()) : null;
  if (draft?.kind === "state") openProgram(draft.state, "draft");
  else openProgram({ ...empty, source: served ?? firstExample });
}

async function start(): Promise<void> {
  followTheme();
  await openFirst();
  const root = document.querySelector("#app");
  if (root === null) return;
  root.replaceChildren();
  render(<App embedded={isEmbedded} />, root);
  startCompiling();
  followFile();
  followVisibility();
  if (!isEmbedded) keepDraft();
  addEventListener("hashchange", () => void openFirst());
  // The first answer is for any device; what is shown after it, for this one.
  const stop = answer.subscribe((first) => {
    if (first === null) return;
    queueMicrotask(() => stop());
    void openDevice();
    void keepOffline();
  });
}

void start();
