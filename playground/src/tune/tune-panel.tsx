import type { JSX } from "preact";
import { type Effort, efforts } from "../../../src/tune.ts";
import { hasDevice } from "../run/run-state.ts";
import { timeText } from "../run/time-text.ts";
import { isStale, lastGood } from "../state.ts";
import { FiguresTable } from "./figures-table.tsx";
import { TunePlot } from "./tune-plot.tsx";
import {
  effort,
  isTuning,
  loadCandidate,
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
          Tuning tries other choices on this device, proves each right before its time counts, and
          keeps the fastest. Nothing leaves this page.
        </p>
      ) : (
        <Found run={run} />
      )}
    </div>
  );
}

function Controls(): JSX.Element {
  const running = isTuning.value;
  return (
    <p class="actions">
      {running ? (
        <button type="button" onClick={stopTuning}>
          <span aria-hidden="true">■</span> Stop, keep the best
        </button>
      ) : (
        <button
          type="button"
          class="primary"
          disabled={lastGood.value === null || isStale.value || !hasDevice.value}
          onClick={() => void startTuning()}
        >
          Tune
        </button>
      )}
      <label>
        Effort{" "}
        <select
          value={effort.value}
          disabled={running}
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
      {hasDevice.value ? null : <span class="faint">There is no device to tune for.</span>}
    </p>
  );
}

function Found({ run }: { readonly run: Tuning }): JSX.Element {
  const good = lastGood.value;
  const old = good !== null && good.source !== run.job.source;
  const sizes = Object.entries(run.job.sizes).map(([name, value]) => `${name}=${value}`);
  return (
    <section aria-label="What tuning found" class={old ? "stale" : ""}>
      {old ? <p class="stale-note">of an earlier version of the source</p> : null}
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
      <Candidates run={run} />
    </section>
  );
}

function Progress({ run }: { readonly run: Tuning }): JSX.Element | null {
  if (!isTuning.value) return null;
  const { progress } = run;
  if (progress === null) return <p role="status">Checking the default…</p>;
  const { tried, of, phase, leftMs } = progress;
  return (
    <p role="status">
      <progress max={of} value={tried} aria-label="Candidates tried" />{" "}
      {`${tried} of ${of}, ${phase}, about ${Math.ceil(leftMs / 1000)} s left`}
    </p>
  );
}

/** The best so far, or the winner of the final comparison. */
function Winner({ run }: { readonly run: Tuning }): JSX.Element | null {
  const { result } = run;
  if (result !== null) {
    const { tuned, source, options, alternative } = result;
    return (
      <div>
        <p class="verdict">
          {tuned === null || source.kind === "default" || result.default === null ? (
            <b>The default is the best that was found.</b>
          ) : (
            <>
              <b>{ratioText(result.default.us / tuned.us)} times as fast as the default</b>:{" "}
              {timeText(tuned.us)} in place of {timeText(result.default.us)}
              {alternative === null ? "" : `, by the algorithm ${alternative}`}
            </>
          )}
          {result.complete ? "" : " The run was ended before its time."}{" "}
          <button type="button" onClick={() => loadCandidate(options, alternative)}>
            Use these choices
          </button>
        </p>
        <FiguresTable found={{ default: result.default, tuned }} />
      </div>
    );
  }
  const best = run.bests.at(-1);
  if (best === undefined) return null;
  return (
    <p class="verdict">
      Best so far: {timeText(best.us)}, {ratioText(best.defaultUs / best.us)} times as fast as the
      default
    </p>
  );
}

function ratioText(ratio: number): string {
  return String(Number(ratio.toPrecision(3)));
}

const outcomes = {
  ok: "ran",
  vetoed: "not tried: its facts are hopeless",
  invalid: "refused by the device",
  wrong: "wrong result",
  timeout: "took too long",
  "out-of-memory": "took too much memory",
  lost: "the device was lost",
} as const;

/** All candidates, those that ran first, the fastest of them on top. */
function Candidates({ run }: { readonly run: Tuning }): JSX.Element | null {
  if (run.candidates.length === 0) return null;
  const sorted = [...run.candidates].sort((a, b) => (a.us ?? Infinity) - (b.us ?? Infinity));
  return (
    <details>
      <summary>All {run.candidates.length} candidates</summary>
      <table class="candidates">
        <thead>
          <tr>
            <th scope="col">Candidate</th>
            <th scope="col">Time, roughly</th>
            <th scope="col">Where from</th>
            <th scope="col">Outcome</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {sorted.map(({ i, us, from, status, why, options, alternative }) => (
            <tr key={i}>
              <th scope="row">{i}</th>
              <td class="number">{us === undefined ? "" : timeText(us)}</td>
              <td>
                {from.kind}
                {from.parent === undefined ? "" : ` of ${from.parent}`}
                {alternative === null ? "" : `, ${alternative}`}
              </td>
              <td>
                {outcomes[status]}
                {why === undefined ? "" : `: ${why}`}
              </td>
              <td>
                <button type="button" onClick={() => loadCandidate(options, alternative)}>
                  Load<span class="hidden"> candidate {i}</span>
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
