import { type Signal, signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { writeNpy } from "../../../src/cli/npy.ts";
import type { Verification } from "../../../src/index.ts";
import { download } from "../share/download.ts";
import { isStale } from "../state.ts";
import { numberText } from "../tensors/colour-scale.ts";
import { HeatMap } from "../tensors/heat-map.tsx";
import type { TensorValue, VerifyAnswer } from "../worker-protocol.ts";
import { findings, outdated, phase, result } from "./run-state.ts";
import { Times } from "./times.tsx";

const chosenOutput: Signal<string | null> = signal<string | null>(null);
const showDifference: Signal<boolean> = signal(false);

/** What came out: whether it is right, how long it took, and the tensors as pictures. */
export function Results(): JSX.Element {
  const found = result.value;
  const section = useRef<HTMLElement>(null);
  // Sizes and inputs may fill the panel: what was asked for comes into view.
  useEffect(() => showBelow(section.current), [found]);
  if (found === null) {
    return <p class="empty">Run shows the results here, compared with a float64 reference.</p>;
  }
  const { verified, timing } = findings.value;
  const output = found.outputs.find((o) => o.name === chosenOutput.value) ?? found.outputs[0];
  const old = isStale.value ? "an earlier version" : outdated.value;
  return (
    <section ref={section} aria-label="Results" class={old === null ? "results" : "results stale"}>
      {old === null ? null : <p class="stale-note">These are of {old}: Run makes new ones.</p>}
      {found.by === "reference" ? (
        <p class="verdict">Computed by the float64 reference, on the CPU.</p>
      ) : (
        <Verdict verified={verified} />
      )}
      {timing === null ? null : <Times timing={timing} work={found.work} />}
      {found.notes.map((note) => (
        <p class="faint" key={note}>
          {note}
        </p>
      ))}
      {output === undefined ? <p>It has no outputs.</p> : <Output output={output} />}
    </section>
  );
}

/** Scrolls what holds an element, and nothing around that, so that the element begins at its top, unless it is seen whole. */
function showBelow(element: HTMLElement | null): void {
  const holder = element?.parentElement ?? null;
  if (element === null || holder === null) return;
  const [own, around] = [element.getBoundingClientRect(), holder.getBoundingClientRect()];
  if (own.bottom > around.bottom) holder.scrollTop += own.top - around.top - 8;
}

/** Whether the results are those of the reference. */
function Verdict({ verified }: { readonly verified: VerifyAnswer | null }): JSX.Element {
  if (verified === null) {
    return <p class="verdict">{phase.value === "idle" ? "Not compared." : "Not compared yet."}</p>;
  }
  const { decision, total, compared, ambiguous, outputs, wrong } = verified.verification;
  if (decision === "wrong") {
    const [first] = wrong;
    return (
      <p class="verdict wrong" role="alert">
        ✗ Wrong: {first?.tensor}({first?.index.join(", ")}) is {numberText(first?.found ?? 0)}, the
        reference says {numberText(first?.expected ?? 0)}, give or take{" "}
        {numberText(first?.allowed ?? 0)}
      </p>
    );
  }
  if (decision === "undecided") {
    return (
      <p class="verdict">
        {ambiguous > 0
          ? `Not decided: rounding may explain any value of ${ambiguous.toLocaleString("en")} elements.`
          : "Too large to compare with the reference here: choose smaller sizes."}
      </p>
    );
  }
  const all = compared + ambiguous >= total;
  const count = compared.toLocaleString("en");
  return (
    <p class="verdict right">
      ✓ {all ? `All ${count}` : `${count} of ${total.toLocaleString("en")}`} elements are those of
      the reference
      {ambiguous > 0 ? `; rounding decides ${ambiguous} others` : ""}
      {outputs.map((output) => (
        <span key={output.name}>; {errorText(output, outputs.length > 1)}</span>
      ))}
    </p>
  );
}

/** How far an output may be off, beside its values, and how far it is. */
function errorText(
  { name, allowed, measured, scale, compared }: Verification["outputs"][number],
  isNamed: boolean,
): string {
  const of = isNamed ? `${name} ` : "";
  if (compared === 0) return `${of}not compared`;
  if (allowed === 0) return `${of}exact`;
  const short = (value: number): string => String(Number(value.toPrecision(2)));
  return `${of}within ${short(allowed)} of values around ${short(scale)}, measured ${short(measured)}`;
}

function Output({ output }: { readonly output: TensorValue }): JSX.Element {
  const { name, type, shape, data } = output;
  const outputs = result.value?.outputs ?? [];
  const expected = findings.value.verified?.expected.find((t) => t.name === name) ?? null;
  const isDifference = showDifference.value && expected !== null;
  const minus = isDifference ? expected.data : null;
  const elements = useMemo(() => ({ data, minus }), [data, minus]);
  return (
    <div class="output-tensor">
      <div class="actions">
        {outputs.length < 2 ? null : (
          <label>
            <span class="hidden">Output</span>
            <select
              value={name}
              onChange={(event) => {
                chosenOutput.value = event.currentTarget.value;
              }}
            >
              {outputs.map((o) => (
                <option key={o.name}>{o.name}</option>
              ))}
            </select>
          </label>
        )}
        <span>
          <code>{name}</code>{" "}
          <span class="faint">
            {type} {shape.length === 0 ? "scalar" : shape.join(" × ")}
          </span>
        </span>
        {expected === null ? null : (
          <label class="check">
            <input
              type="checkbox"
              checked={showDifference.value}
              onChange={(event) => {
                showDifference.value = event.currentTarget.checked;
              }}
            />{" "}
            difference from the reference
          </label>
        )}
        <button
          type="button"
          class="small"
          onClick={() => download(`${name}.npy`, writeNpy(type, shape, data))}
        >
          Save .npy
        </button>
      </div>
      <HeatMap
        name={isDifference ? `${name} − reference` : name}
        shape={shape}
        elements={elements}
      />
    </div>
  );
}
