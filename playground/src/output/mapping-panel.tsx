import { type Signal, signal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { failureText } from "../call-failure.ts";
import type { CompileJob } from "../compile/compile-source.ts";
import { letFocus } from "../shell/scroll.tsx";
import { answer, type Good, lastGood, optionsText } from "../state.ts";
import { tunedFor } from "../tune/tune-state.ts";
import { type DiffLine, diffLines } from "./diff-lines.ts";
import {
  compared,
  followKnobs,
  followMapping,
  isSame,
  type Other,
  other,
  otherJob,
} from "./mapping-state.ts";

/** The controls of single choices: loaded when a mapping is looked at first. */
const controls: Signal<typeof import("./choice-controls.tsx") | null> = signal(null);

async function loadControls(): Promise<void> {
  controls.value ??= await import("./choice-controls.tsx");
}

/** How the program is mapped to the device: its choices one by one and as JSON, to edit, and what that changes. */
export function MappingPanel(): JSX.Element {
  const good = lastGood.value;
  const fault = answer.value?.optionsFault ?? null;
  const custom = optionsText.value.trim() !== "";
  useSignalEffect(followMapping);
  useSignalEffect(followKnobs);
  useEffect(() => void loadControls(), []);
  const Controls = controls.value?.ChoiceControls;
  const notes = good?.compiled.notes ?? [];
  return (
    <div class="mapping scroll">
      <p class="actions">
        <button type="button" disabled={!custom} onClick={() => setOptions("")}>
          Use the default
        </button>
        <button
          type="button"
          disabled={good === null}
          onClick={() => setOptions(good?.compiled.options ?? "")}
        >
          Edit all choices
        </button>
        <span class="faint">
          {custom ? "not the compiler's default" : "the compiler's default"}
        </span>
      </p>
      {Controls === undefined || good === null ? null : (
        <Controls good={good} isLocked={fault !== null} />
      )}
      <label class="stack">
        <span>Choices as JSON, which go into links, too</span>
        <textarea
          spellcheck={false}
          rows={custom ? 8 : 4}
          placeholder="empty: the default"
          value={optionsText.value}
          aria-invalid={fault !== null}
          onInput={(event) => setOptions(event.currentTarget.value)}
        />
      </label>
      {fault === null ? null : (
        <p class="fault" role="alert">
          These choices cannot be taken: {fault}
        </p>
      )}
      {notes.length === 0 ? null : (
        <ul class="notes">
          {notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
      {good === null ? null : <Comparison good={good} />}
    </div>
  );
}

function setOptions(text: string): void {
  optionsText.value = text;
}

const titles: Readonly<Record<Other, string>> = {
  default: "the default",
  naive: "the naive one",
  tuned: "what tuning found",
};

/** The WGSL beside that of another mapping, which the visitor chooses. */
function Comparison({ good }: { readonly good: Good }): JSX.Element {
  const hasTuned = tunedFor(good) !== null;
  const offered = (["default", "naive", "tuned"] as const).filter((o) => o !== "tuned" || hasTuned);
  const wanted = otherJob(good);
  return (
    <section aria-label="Difference of the WGSL">
      <label class="small-title">
        WGSL, beside{" "}
        <select
          value={offered.includes(other.value) ? other.value : "default"}
          onChange={(event) => {
            other.value = event.currentTarget.value as Other;
          }}
        >
          {offered.map((name) => (
            <option key={name} value={name}>
              {titles[name]}
            </option>
          ))}
        </select>
      </label>
      {wanted === null ? (
        <p class="faint">These are the choices.</p>
      ) : (
        <Difference wgsl={good.compiled.wgsl} job={wanted} />
      )}
    </section>
  );
}

/** `job` is the other one. */
function Difference({
  wgsl,
  job,
}: {
  readonly wgsl: string;
  readonly job: CompileJob;
}): JSX.Element {
  const found = compared.value;
  if (found === null || !isSame(found.beside.other, job)) return <p class="faint">Comparing…</p>;
  if (found.wgsl instanceof Error) {
    return <p class="fault">There is nothing to compare with: {failureText(found.wgsl)}</p>;
  }
  const lines = diffLines(found.wgsl, wgsl);
  const changed = lines.filter(({ kind }) => kind !== "same").length;
  if (changed === 0) return <p>The WGSL is the same.</p>;
  return (
    <>
      <p role="status">{changed} lines differ.</p>
      <pre class="diff" ref={letFocus}>
        {around(lines).map((line, n) => (
          <DiffRow key={n} line={line} />
        ))}
      </pre>
    </>
  );
}

const signs = { same: " ", added: "+", removed: "-" } as const;

function DiffRow({ line }: { readonly line: DiffLine | null }): JSX.Element {
  if (line === null) return <div class="gap">⋯</div>;
  return <div class={line.kind}>{`${signs[line.kind]} ${line.text}`}</div>;
}

/** Changed lines with three around them; null where lines are left out. */
function around(lines: readonly DiffLine[]): readonly (DiffLine | null)[] {
  const near = 3;
  const kept = lines.map((_, n) =>
    lines.slice(Math.max(0, n - near), n + near + 1).some(({ kind }) => kind !== "same"),
  );
  return lines.flatMap((line, n) => {
    if (kept[n]) return [line];
    return n === 0 || kept[n - 1] ? [null] : [];
  });
}
