import { type Signal, signal, useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import type { CompileAnswer, CompileJob } from "../compile/compile-source.ts";
import { answer, lastGood, optionsText } from "../state.ts";
import { startWorker, type WorkerHandle } from "../worker-client.ts";
import { type DiffLine, diffLines } from "./diff-lines.ts";

/** The WGSL of the same program with default options, for comparison. */
const baseline: Signal<{ readonly job: CompileJob; readonly wgsl: string } | null> = signal(null);

let worker: WorkerHandle | null = null;
let asked: CompileJob | null = null;

async function compileDefault(job: CompileJob): Promise<void> {
  if (asked !== null && sameJob(asked, job)) return;
  asked = job;
  worker ??= startWorker();
  const found: CompileAnswer = await worker.call({ kind: "compile", job: { ...job, options: "" } });
  if (asked === job && found.compiled !== null) {
    baseline.value = { job, wgsl: found.compiled.wgsl };
  }
}

function sameJob(a: CompileJob, b: CompileJob): boolean {
  return JSON.stringify({ ...a, options: "" }) === JSON.stringify({ ...b, options: "" });
}

/** How the program is mapped to the device: its options as JSON, to edit, and what that changes. */
export function MappingPanel(): JSX.Element {
  const good = lastGood.value;
  const fault = answer.value?.optionsFault ?? null;
  const custom = optionsText.value.trim() !== "";
  useSignalEffect(() => {
    const now = lastGood.value;
    if (now !== null && optionsText.value.trim() !== "") void compileDefault(now.job);
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
          onClick={() => setOptions(good?.compiled.allOptions ?? "")}
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
      {custom && good !== null ? <Difference wgsl={good.compiled.wgsl} job={good.job} /> : null}
    </div>
  );
}

function setOptions(text: string): void {
  optionsText.value = text;
}

function Difference({
  wgsl,
  job,
}: {
  readonly wgsl: string;
  readonly job: CompileJob;
}): JSX.Element {
  const other = baseline.value;
  if (other === null || !sameJob(other.job, job)) return <p class="faint">Comparing…</p>;
  const lines = diffLines(other.wgsl, wgsl);
  const changed = lines.filter(({ kind }) => kind !== "same").length;
  if (changed === 0) return <p>The WGSL is that of the default.</p>;
  return (
    <section aria-label="Difference of the WGSL from the default">
      <h2 class="small-title">WGSL, beside the default: {changed} lines differ</h2>
      <pre class="diff">
        {around(lines).map((line, n) => (
          <DiffRow key={n} line={line} />
        ))}
      </pre>
    </section>
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
