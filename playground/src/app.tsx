import { type Signal, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { SourceEditor } from "./editor/source-editor.tsx";
import { OutputPanel } from "./output/output-panel.tsx";
import { RunPanel } from "./run/run-panel.tsx";
import { run } from "./run/run-state.ts";
import { Header } from "./shell/header.tsx";
import { Problems } from "./shell/problems.tsx";
import { Splitter, widths } from "./shell/splitter.tsx";
import { notice } from "./state.ts";

type Column = "code" | "made" | "run";

/** On a narrow screen one column is shown at a time. */
const shownColumn: Signal<Column> = signal<Column>("code");

const columns: readonly (readonly [Column, string])[] = [
  ["code", "Code"],
  ["made", "Output"],
  ["run", "Run"],
];

/** The page: code, output, run; side by side where there is room. */
export function App({ embedded }: { readonly embedded: boolean }): JSX.Element {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      void run();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  const shown = shownColumn.value;
  const { code, run: right } = widths.value;
  return (
    <div class={embedded ? "page embedded" : "page"}>
      {embedded ? <EmbedHeader /> : <Header />}
      <Notice />
      <main data-shown={shown} style={{ "--code-width": `${code}fr`, "--run-width": `${right}fr` }}>
        <section class="column code-column" aria-label="Code">
          <SourceEditor />
          <Problems />
        </section>
        <Splitter side="code" label="Width of the code" />
        <div class="column made-column">
          <OutputPanel />
        </div>
        <Splitter side="run" label="Width of the results" />
        <div class="column run-column">
          <RunPanel />
        </div>
      </main>
      <nav class="bottom" aria-label="Parts of the page">
        {columns.map(([name, title]) => (
          <button
            key={name}
            type="button"
            aria-pressed={shown === name}
            onClick={() => {
              shownColumn.value = name;
            }}
          >
            {title}
          </button>
        ))}
      </nav>
    </div>
  );
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
