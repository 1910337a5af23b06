import { type Signal, signal } from "@preact/signals";
import type { JSX } from "preact";
import type { Choice, Decision } from "../../../src/index.ts";
import { failureText } from "../call-failure.ts";
import { PathText } from "../shell/path-text.tsx";
import { type Good, optionsText } from "../state.ts";
import { hasDefaultPolicy, saidIn, withChoice, withoutChoice } from "./edit-choices.ts";
import { groupOf, groupsOf } from "./knob-groups.ts";
import { defaultsFor, isSameProgram, knobs } from "./mapping-state.ts";

/** The kernel, statement or loop whose choices are shown, once the visitor has said which. */
const shown: Signal<string | null> = signal<string | null>(null);

interface ControlsProps {
  readonly good: Good;
  /** While the text of the choices cannot be read, none of them is changed. */
  readonly isLocked: boolean;
}

/** The choices of one kernel, statement or loop: each with the values that go with the others. */
export function ChoiceControls({ good, isLocked }: ControlsProps): JSX.Element | null {
  const found = knobs.value;
  if (found === null) return null;
  const { job, all } = found;
  if (all instanceof Error) {
    return job === good.job ? <Unknown what="These choices are" error={all} /> : null;
  }
  const groups = groupsOf(all.map(({ path }) => path));
  const names = groups.flatMap((kind) => kind.names);
  const first = names[0];
  if (first === undefined) return null;
  const group = names.find((name) => name === shown.value) ?? first;
  const told = defaultsFor(job);
  const defaults = told instanceof Error ? null : told;
  const changed = new Set(
    all.flatMap(({ path, value }) =>
      value === (defaults?.get(path) ?? value) ? [] : [groupOf(path)],
    ),
  );
  const said = saidIn(optionsText.value);
  const isFree = hasDefaultPolicy(optionsText.value);
  return (
    <section class="choices" aria-label="Choices one by one">
      <label class="choice-group">
        Choices of{" "}
        <select
          value={group}
          onChange={(event) => {
            shown.value = event.currentTarget.value;
          }}
        >
          {groups.map(({ title, names: own }) => (
            <optgroup key={title} label={title}>
              {own.map((name) => (
                <option key={name} value={name}>
                  {changed.has(name) ? `${name} (changed)` : name}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      {/* With other choices for one program they stay as they are until the new ones come: a control that is disabled loses the focus. */}
      <fieldset disabled={isLocked || !isSameProgram(job, good.job)}>
        <legend class="hidden">{group}</legend>
        {all
          .filter(({ path }) => groupOf(path) === group)
          .map((knob) => (
            <Control
              key={knob.path}
              knob={knob}
              whole={good.compiled.options}
              said={said.get(knob.path)}
              byDefault={defaults?.get(knob.path)}
              isFree={isFree}
            />
          ))}
      </fieldset>
      {told instanceof Error ? <Unknown what="What the default chooses is" error={told} /> : null}
    </section>
  );
}

function Unknown({ what, error }: { readonly what: string; readonly error: Error }): JSX.Element {
  return (
    <p class="fault" role="alert">
      {what} not known: {failureText(error)}
    </p>
  );
}

interface ControlProps {
  readonly knob: Decision;
  /** The text of all choices that are in use. */
  readonly whole: string;
  /** What the visitor's text says of it. */
  readonly said: Choice | undefined;
  readonly byDefault: Choice | undefined;
  /** The default's policy chooses where the text says nothing. */
  readonly isFree: boolean;
}

/** One choice: what is used, and what the default would use if that is something else. */
function Control({ knob, whole, said, byDefault, isFree }: ControlProps): JSX.Element {
  const { path, values, value } = knob;
  const field = path.slice(groupOf(path).length + 1);
  // Until the latest text is compiled, what it asks for is shown.
  const isPending = knobs.value?.job.options !== optionsText.value;
  const used = isPending ? (said ?? value) : value;
  const offered = values.includes(used) ? values : [used, ...values];
  const differs = byDefault !== undefined && byDefault !== used;
  const mayReset = isFree ? said !== undefined : differs;
  const to = differs ? ` to ${byDefault}` : "";
  return (
    <div class={differs ? "choice-row differs" : "choice-row"}>
      <label>
        <PathText path={field} />{" "}
        <select
          value={String(used)}
          onChange={({ currentTarget }) => {
            const next = offered.find((v) => String(v) === currentTarget.value);
            if (next === undefined) return;
            optionsText.value = withChoice(optionsText.value, whole, path, next);
          }}
        >
          {offered.map((v) => (
            <option key={String(v)} value={String(v)}>
              {String(v)}
            </option>
          ))}
        </select>
      </label>
      {mayReset ? (
        <button
          type="button"
          class="small"
          onClick={({ currentTarget }) => {
            optionsText.value = withoutChoice(optionsText.value, whole, path, byDefault);
            // The button goes away.
            currentTarget.parentElement?.querySelector("select")?.focus();
          }}
        >
          Reset{to}
          <span class="hidden"> ({field})</span>
        </button>
      ) : null}
      {differs && !mayReset ? <span class="faint">default: {String(byDefault)}</span> : null}
    </div>
  );
}
