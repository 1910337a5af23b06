import { type Signal, signal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import type { CompileJob } from "../compile/compile-source.ts";
import { answer, type Good, lastGood, naiveChoices, optionsText } from "../state.ts";
import { choicesText, tunedFor } from "../tune/tune-state.ts";
import { createHelper } from "../worker-client.ts";
import { type DiffLine, diffLines } from "./diff-lines.ts";

/** What the mapping is compared with. */
type Other = "default" | "naive" | "tuned";

const other: Signal<Other> = signal<Other>("default");

/** The WGSL of a program with the other mapping, or why there is none. */
const compared: Signal<{
  readonly job: CompileJob;
  readonly wgsl: string | Error;
} | null> = signal(null);

const helper = createHelper();
let asked: CompileJob | null = null;

async function compileOther(job: CompileJob): Promise<void> {
  if (asked !== null && sameJob(asked, job)) return;
  // What is still compiled of another one is given up.
  if (asked !== null && asked !== compared.peek()?.job) helper.terminate();
  asked = job;
  const wgsl = await helper.call({ kind: "compile", job }).then(
    (said) => said?.compiled?.wgsl ?? new Error("it does not compile for this program"),
    (error: Error) => error,
  );
  if (asked === job) compared.value = { job, wgsl };
}

function sameJob(a: CompileJob, b: CompileJob): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** The job with the mapping that it is compared with; null where that is its own. */
function otherJob(good: Good): CompileJob | null {
  const { job } = good;
  const tuned = other.value === "tuned" ? tunedFor(good) : null;
  const choices = {
    default: "",
    naive: naiveChoices,
    tuned: tuned === null ? "" : choicesText(tuned),
  };
  const options = choices[other.value];
  return options.trim() === job.options.trim() ? null : { ...job, options };
}

/** How the program is mapped to the device: its options as JSON, to edit, and what that changes. */
export function MappingPanel(): JSX.Element {
  const good = lastGood.value;
  const fault = answer.value?.optionsFault ?? null;
  const custom = optionsText.value.trim() !== "";
  useSignalEffect(() => {
    const wanted = lastGood.value === null ? null : otherJob(lastGood.value);
    if (wanted !== null) void compileOther(wanted);
  });
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
      <label class="stack">
        <span>Choices as JSON, which go into links, too</span>
        <textarea
          spellcheck={false}
          rows={custom ? 14 : 4}
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
  if (found === null || !sameJob(found.job, job)) return <p class="faint">Comparing…</p>;
  if (found.wgsl instanceof Error) {
    return <p class="fault">There is nothing to compare with: {found.wgsl.message}.</p>;
  }
  const lines = diffLines(found.wgsl, wgsl);
  const changed = lines.filter(({ kind }) => kind !== "same").length;
  if (changed === 0) return <p>The WGSL is the same.</p>;
  return (
    <>
      <p role="status">{changed} lines differ.</p>
      <pre class="diff">
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
