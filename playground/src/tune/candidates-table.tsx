import { type Signal, signal } from "@preact/signals";
import type { JSX } from "preact";
import { timeText } from "../run/time-text.ts";
import { Table } from "../shell/table.tsx";
import { type CandidateEvent, loadCandidate, type Tuning } from "./tune-state.ts";

/** Whether the table is shown: it is long, and changes with each candidate. */
const isOpen: Signal<boolean> = signal(false);

const outcomes: Readonly<Record<CandidateEvent["status"], string>> = {
  ok: "ran",
  vetoed: "not tried: its facts are hopeless",
  invalid: "refused by the device",
  wrong: "wrong result",
  timeout: "took too long",
  "out-of-memory": "took too much memory",
  lost: "the device was lost",
};

const columns = ["Candidate", "Time, roughly", "Where from", "Outcome", ""];

/** All candidates, those that ran first, the fastest of them on top. */
export function Candidates({ run }: { readonly run: Tuning }): JSX.Element | null {
  const { length } = run.candidates;
  if (length === 0) return null;
  return (
    <details
      open={isOpen.value}
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>{length === 1 ? "The one candidate" : `All ${length} candidates`}</summary>
      {isOpen.value ? (
        <Table caption="Candidates" isCaptionHidden columns={columns}>
          {[...run.candidates]
            .sort((a, b) => (a.us ?? Infinity) - (b.us ?? Infinity))
            .map((candidate) => (
              <Row key={candidate.i} candidate={candidate} />
            ))}
        </Table>
      ) : null}
    </details>
  );
}

function Row({ candidate }: { readonly candidate: CandidateEvent }): JSX.Element {
  const { i, us, from, status, why, options, alternative } = candidate;
  return (
    <tr>
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
        <button type="button" class="small" onClick={() => loadCandidate(options, alternative)}>
          Load<span class="hidden"> candidate {i}</span>
        </button>
      </td>
    </tr>
  );
}
