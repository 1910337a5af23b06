import { type Signal, signal } from "@preact/signals";
import type { JSX } from "preact";
import type { Diagnostic } from "../../../src/index.ts";
import {
  checked,
  compilerFault,
  compiling,
  focusRequest,
  replaceRequest,
  source,
  stopCompiling,
} from "../state.ts";
import { formatSource } from "./format-source.ts";
import { Markdown, Ticked } from "./markdown.tsx";

/** The page of a code, once it is asked for. */
const explained: Signal<{ readonly code: string; readonly text: string } | null> = signal(null);

async function explain(code: string): Promise<void> {
  if (explained.value?.code === code) {
    explained.value = null;
    return;
  }
  const { explain: pageOf } = await import("../../../src/explain.ts");
  explained.value = { code, text: pageOf(code)?.markdown ?? `There is no page for ${code}.` };
}

/** The text with a fix made. */
function fixed(text: string, { edits }: NonNullable<Diagnostic["fixes"]>[number]): string {
  const inOrder = [...edits].sort((a, b) => b.span.start - a.span.start);
  return inOrder.reduce(
    (done, { span, text: insert }) => done.slice(0, span.start) + insert + done.slice(span.end),
    text,
  );
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** All problems of the source, as a list that is read out when it changes. */
export function Problems(): JSX.Element {
  const found = checked.value;
  const isCurrent = found !== null && found.source === source.value;
  const diagnostics = found?.diagnostics ?? [];
  const errors = diagnostics.filter((d) => d.severity === "error").length;
  const fault = compilerFault.value;
  return (
    <section class="problems" aria-label="Problems" aria-busy={!isCurrent}>
      <div class="problems-head">
        <h2 class="small-title" aria-live="polite">
          {headOf(fault, found === null, errors, diagnostics.length - errors)}
        </h2>
        <button
          type="button"
          class="small"
          title="Shift-Alt-F in the editor"
          onClick={() => void formatSource()}
        >
          Format
        </button>
      </div>
      {compiling.value ? (
        <button type="button" class="small late" onClick={stopCompiling}>
          Stop compiling
        </button>
      ) : null}
      {fault === null ? null : <p class="fault">{fault}</p>}
      {diagnostics.length === 0 ? null : (
        <ul class={isCurrent ? "" : "stale"}>
          {diagnostics.map((d) => (
            <Problem key={`${d.code} ${d.span.start}`} diagnostic={d} text={found?.source ?? ""} />
          ))}
        </ul>
      )}
    </section>
  );
}

function headOf(fault: string | null, isFirst: boolean, errors: number, warnings: number): string {
  if (fault !== null) return "Stopped";
  return isFirst ? "Checking…" : titleOf(errors, warnings);
}

function titleOf(errors: number, warnings: number): string {
  const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;
  if (errors + warnings === 0) return "No problems";
  return [
    ...(errors > 0 ? [count(errors, "error")] : []),
    ...(warnings > 0 ? [count(warnings, "warning")] : []),
  ].join(", ");
}

interface ProblemProps {
  readonly diagnostic: Diagnostic;
  /** The source that it is about. */
  readonly text: string;
}

function Problem({ diagnostic, text }: ProblemProps): JSX.Element {
  const { severity, code, message, hint, span, fixes = [] } = diagnostic;
  const page = explained.value?.code === code ? explained.value.text : null;
  return (
    <li class={severity}>
      <button
        type="button"
        class="problem-place"
        onClick={() => {
          focusRequest.value = { at: span.start };
        }}
      >
        <span class="badge">{severity}</span> line {lineOf(text, span.start)}:{" "}
        <Ticked text={message} />
      </button>
      {hint === undefined ? null : (
        <p class="hint">
          <Ticked text={hint} />
        </p>
      )}
      <p class="actions">
        {fixes.map((fix) => (
          <button
            key={fix.title}
            type="button"
            class="primary small"
            onClick={() => {
              // Of another text the offsets mean nothing.
              if (source.value === text) replaceRequest.value = { text: fixed(text, fix) };
            }}
          >
            Fix: <Ticked text={fix.title} />
          </button>
        ))}
        <button
          type="button"
          class="link"
          aria-expanded={page !== null}
          onClick={() => void explain(code)}
        >
          {page === null ? `What ${code} means` : "Close"}
        </button>
      </p>
      {page === null ? null : <Markdown text={page} />}
    </li>
  );
}
