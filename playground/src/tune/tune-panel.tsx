import type { JSX } from "preact";
import { type Effort, efforts, lockFileName } from "../../../src/tune.ts";
import { hasDevice } from "../run/run-state.ts";
import { timeText } from "../run/time-text.ts";
import { download } from "../share/download.ts";
import { isRunnable, lastGood } from "../state.ts";
import { Candidates } from "./candidates-table.tsx";
import { FiguresTable } from "./figures-table.tsx";
import { RecordsPanel } from "./records-panel.tsx";
import { TunePlot } from "./tune-plot.tsx";
import {
  effort,
  isOf,
  isTuning,
  loadCandidate,
  pausedBy,
  pauseTuning,
  startTuning,
  stopTuning,
  type Tuning,
  tuning,
} from "./tune-state.ts";

/** The search for the best choices on the visitor's device: controls, what it found, and each candidate. */
export function TunePanel(): JSX.Element {
  const run = tuning.value;
  return (
    <div class="tune scroll">
      <Controls />
      {run === null ? (
        <p class="empty">
          Tuning tries other mappings of the program on this device, proves each right before its
          time counts, and keeps the fastest. Nothing leaves this machine.
        </p>
      ) : (
        <Found run={run} />
      )}
      <RecordsPanel />
    </div>
  );
}

function Controls(): JSX.Element {
  return (
    <div class="actions">
      {isTuning.value ? <WhileTuning /> : <BeforeTuning />}
      {hasDevice.value ? null : <span class="faint">There is no device to tune for.</span>}
    </div>
  );
}

function WhileTuning(): JSX.Element {
  const isPaused = pausedBy.value !== null;
  return (
    <>
      <button type="button" onClick={() => pauseTuning(!isPaused)}>
        {isPaused ? "Resume" : "Pause"}
      </button>
      <button type="button" onClick={stopTuning}>
        <span aria-hidden="true">■</span> Stop, keep the best
      </button>
    </>
  );
}

function BeforeTuning(): JSX.Element {
  return (
    <>
      <button
        type="button"
        class="primary"
        disabled={!isRunnable.value || !hasDevice.value}
        onClick={() => void startTuning()}
      >
        Tune
      </button>
      <label>
        Effort{" "}
        <select
          value={effort.value}
          onChange={(event) => {
            effort.value = event.currentTarget.value as Effort;
          }}
        >
          {Object.entries(efforts).map(([name, { candidates, ms }]) => (
            <option key={name} value={name}>
              {name}: {candidates} candidates, {ms / 1000} s
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

function Found({ run }: { readonly run: Tuning }): JSX.Element {
  const good = lastGood.value;
  const old = good !== null && !isOf(run, good);
  const sizes = Object.entries(run.job.sizes).map(([name, value]) => `${name}=${value}`);
  return (
    <section aria-label="What tuning found" class={old ? "stale" : ""}>
      {old ? (
        <p class="stale-note">of an earlier version of the source, or of other sizes</p>
      ) : null}
      <p class="faint">
        <code>{run.job.def}</code> {sizes.join(" ")}
        {run.start === null ? "" : ` · ${run.start.adapter}`}
      </p>
      <Progress run={run} />
      {run.fault === null ? null : (
        <p class="fault" role="alert">
          Could not tune. {run.fault}
        </p>
      )}
      {run.notes.map((note) => (
        <p class="faint" key={note}>
          {note}
        </p>
      ))}
      <Winner run={run} />
      <TunePlot run={run} />
      {run.result === null ? null : <FiguresTable found={run.result} />}
      <Candidates run={run} />
    </section>
  );
}

const phases = { compile: "compiling", measure: "measuring", duel: "comparing the best" } as const;

function stateText({ progress }: Tuning): string {
  if (pausedBy.value === "hidden") return "Paused while this page is hidden";
  if (pausedBy.value === "visitor") return "Paused";
  return progress === null ? "Checking the default…" : "Tuning";
}

function Progress({ run }: { readonly run: Tuning }): JSX.Element | null {
  if (!isTuning.value) return null;
  const { progress } = run;
  return (
    <div>
      {/* Read out: what changes seldom. */}
      <p role="status">{stateText(run)}</p>
      {progress === null ? null : (
        <p class="faint">
          <progress max={progress.of} value={progress.tried} aria-label="Candidates tried" />{" "}
          {progress.tried} of {progress.of}, {phases[progress.phase]}, about{" "}
          {Math.ceil(progress.leftMs / 1000)} s left
        </p>
      )}
    </div>
  );
}

/** The best so far, or the winner of the final comparison. */
function Winner({ run }: { readonly run: Tuning }): JSX.Element | null {
  const { result, lock } = run;
  const best = run.bests.at(-1);
  if (result === null) {
    if (best === undefined) return null;
    return (
      <p class="verdict">
        Best so far: {timeText(best.us)}, {ratioText(best.defaultUs / best.us)} times as fast as the
        default
      </p>
    );
  }
  const { options, alternative, why } = result;
  return (
    <div class="verdict">
      <p role="status">
        {verdictOf(result)}
        {alternative === null ? "" : ` It is the algorithm ${alternative}.`}
        {endings[why]}
      </p>
      <p class="actions">
        <button type="button" onClick={() => loadCandidate(options, alternative)}>
          Use these choices
        </button>
        {lock === null ? null : (
          <button
            type="button"
            title="To be committed beside the source: tc-compile build --locked takes these choices"
            onClick={() => download(lockFileName, lock)}
          >
            Export {lockFileName}
          </button>
        )}
        {why === "known" && !isTuning.value ? (
          <button type="button" onClick={() => void startTuning(true)}>
            Search again
          </button>
        ) : null}
      </p>
    </div>
  );
}

type Result = NonNullable<Tuning["result"]>;

const endings: Readonly<Record<Result["why"], string>> = {
  budget: "",
  exhausted: " There is nothing else to try.",
  aborted: " The run was ended before its time.",
  lost: " The run ended early: the device was lost again and again.",
  known: "",
};

function verdictOf({ default: usual, tuned, source, why }: Result): JSX.Element {
  if (why === "known") return <b>An earlier run on this device has found the answer.</b>;
  if (source.kind === "default") return <b>The default is the best that was found.</b>;
  if (tuned === null) return <b>What was known before is the answer.</b>;
  if (usual === null) return <b>The default does not run here; this does.</b>;
  return (
    <>
      <b>{ratioText(usual.us / tuned.us)} times as fast as the default</b>: {timeText(tuned.us)} in
      place of {timeText(usual.us)}.
    </>
  );
}

function ratioText(ratio: number): string {
  return String(Number(ratio.toPrecision(3)));
}
