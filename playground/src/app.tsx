import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { SourceEditor } from "./editor/source-editor.tsx";
import { OutputPanel } from "./output/output-panel.tsx";
import { LongRun } from "./run/long-run.tsx";
import { RunPanel } from "./run/run-panel.tsx";
import { phase, run, stopRun } from "./run/run-state.ts";
import { Header } from "./shell/header.tsx";
import { openFile } from "./shell/open-file.ts";
import { Problems } from "./shell/problems.tsx";
import { type Part, shownPart, shownSide, showPart } from "./shell/shown.ts";
import { Splitter, widths } from "./shell/splitter.tsx";
import { Tabs } from "./shell/tabs.tsx";
import { isRunnable, notice } from "./state.ts";
import { TunePanel } from "./tune/tune-panel.tsx";

const parts: readonly (readonly [Part, string])[] = [
  ["code", "Code"],
  ["made", "Output"],
  ["run", "Run"],
  ["tune", "Tune"],
];

/** The page: code, output, running and tuning; side by side where there is room. */
export function App({ embedded }: { readonly embedded: boolean }): JSX.Element {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      showPart("run");
      void run();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  useEffect(keepPage, []);
  const shown = shownPart.value;
  const { code, run: right } = widths.value;
  return (
    <div class={embedded ? "page embedded" : "page"}>
      {embedded ? <EmbedHeader /> : <Header />}
      <Notice />
      <LongRun />
      <main data-shown={shown} style={{ "--code-width": `${code}fr`, "--run-width": `${right}fr` }}>
        <section
          class="column code-column"
          aria-label="Code"
          // Before the editor, which would write the file's text at the place where it is dropped.
          onDragOverCapture={(event) => {
            if (hasFile(event)) event.preventDefault();
          }}
          onDropCapture={(event) => {
            if (!hasFile(event)) return;
            event.preventDefault();
            event.stopPropagation();
            void openFile(event.dataTransfer?.files[0]);
          }}
        >
          <SourceEditor />
          <Problems />
        </section>
        <Splitter side="code" label="Width of the code" />
        <div class="column made-column">
          <OutputPanel />
        </div>
        <Splitter side="run" label="Width of the results" />
        <div class="column run-column">
          <Tabs<"run" | "tune">
            label="Run or tune"
            shown={shownSide.value}
            onShow={showPart}
            tabs={[
              { name: "run", title: "Run", body: () => <RunPanel /> },
              { name: "tune", title: "Tune", body: () => <TunePanel /> },
            ]}
          />
        </div>
      </main>
      <div class="bottom">
        <nav aria-label="Parts of the page">
          {parts.map(([name, title]) => (
            <button
              key={name}
              type="button"
              aria-pressed={shown === name}
              onClick={() => showPart(name)}
            >
              {title}
            </button>
          ))}
        </nav>
        <RunNow />
      </div>
    </div>
  );
}

/** On a narrow screen: runs, whichever part is shown, and shows what comes out. */
function RunNow(): JSX.Element {
  const isRunning = phase.value !== "idle";
  return (
    <button
      type="button"
      class="primary run-now"
      aria-label={isRunning ? "Stop what runs" : "Run now"}
      disabled={!isRunning && !isRunnable.value}
      onClick={() => {
        showPart("run");
        if (isRunning) stopRun();
        else void run();
      }}
    >
      <span aria-hidden="true">{isRunning ? "■" : "▶"}</span>
    </button>
  );
}

/** A file that is dropped where nothing takes it would be opened by the browser in place of the page. */
function keepPage(): () => void {
  const onDrag = (event: DragEvent): void => {
    if (hasFile(event)) event.preventDefault();
  };
  const onDrop = (event: DragEvent): void => {
    // Who takes a file says so.
    if (event.defaultPrevented || !hasFile(event)) return;
    event.preventDefault();
    notice.value = "Drop programs on the code, and .npy files on the row of an input under Run.";
  };
  window.addEventListener("dragover", onDrag);
  window.addEventListener("drop", onDrop);
  return () => {
    window.removeEventListener("dragover", onDrag);
    window.removeEventListener("drop", onDrop);
  };
}

function hasFile(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

function Notice(): JSX.Element | null {
  if (notice.value === null) return null;
  return (
    <div class="notice" role="alert">
      <p>{notice.value}</p>
      <button
        type="button"
        onClick={() => {
          notice.value = null;
        }}
      >
        Close
      </button>
    </div>
  );
}

/** In another page: a way to the whole one, with the same program. */
function EmbedHeader(): JSX.Element {
  return (
    <p class="embed-bar">
      <a href={`./${location.hash}`} target="_blank" rel="noopener">
        Open in the playground
      </a>
    </p>
  );
}
