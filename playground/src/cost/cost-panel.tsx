import { useSignalEffect } from "@preact/signals";
import type { JSX } from "preact";
import type { Ceilings } from "../../../src/runtime.ts";
import { CodeView } from "../output/code-view.tsx";
import { findings, hasDevice, phase, result, stopRun } from "../run/run-state.ts";
import { amountText, timeText } from "../run/time-text.ts";
import { Table } from "../shell/table.tsx";
import { type Good, isRunnable, lastGood } from "../state.ts";
import { choicesSummary } from "./choices-summary.ts";
import {
  ceilings,
  costFault,
  countFacts,
  facts,
  measureCosts,
  measuring,
  type Standing,
  standings,
  tiledName,
} from "./cost-state.ts";
import { type Measured, roofUs } from "./roofline.ts";
import { Roofline } from "./roofline-plot.tsx";

/** What most of an estimated time is, in words. */
const bounds: Readonly<Record<string, string>> = {
  issue: "arithmetic",
  requests: "requests",
  banks: "workgroup memory",
  sectors: "first cache",
  cache: "shared cache",
  memory: "memory",
  latency: "latency of loads",
  launch: "launch",
};

/** What the kernels cost: what they have to do, how long that takes, and how near it is to what the device can do. */
export function CostPanel({ good }: { readonly good: Good }): JSX.Element {
  useSignalEffect(() => {
    const now = lastGood.value;
    if (now !== null) void countFacts(now.job);
  });
  const own = standings.value?.job === good.job ? standings.value.all : [];
  const kernels = measuredKernels(good);
  const known = ceilings.value;
  return (
    <div class="cost scroll">
      <Kernels good={good} kernels={kernels} />
      <p class="actions">
        <button
          type="button"
          disabled={!hasDevice.value || !isRunnable.value || phase.value !== "idle"}
          onClick={() => void measureCosts()}
        >
          Measure on this device
        </button>
        {measuring.value === null ? null : (
          <button type="button" onClick={stopRun}>
            <span aria-hidden="true">■</span> Stop measuring
          </button>
        )}
        <span class="faint" role="status">
          {measuring.value === null
            ? "what it can do at most, and how mappings compare"
            : `Measuring ${measuring.value}…`}
        </span>
      </p>
      {costFault.value === null ? null : (
        <p class="fault" role="alert">
          {costFault.value}
        </p>
      )}
      {known === null ? null : <CeilingsText most={known} />}
      {own.length === 0 ? null : <Standings all={own} />}
      {known === null ? null : (
        <Roofline most={known} measured={[...kernels.values(), ...own.flatMap(measuredMapping)]} />
      )}
      <FactsTable good={good} />
    </div>
  );
}

/** Kernels of the latest run, if it was of just this plan. */
function measuredKernels({ compiled }: Good): ReadonlyMap<string, Measured> {
  const { timing } = findings.value;
  const choices = choicesSummary(compiled.options);
  if (timing === null || result.value?.job.plan !== compiled.plan) return new Map();
  return new Map(
    timing.kernels.flatMap(({ kernel: name, us }) => {
      const work = compiled.work[name] ?? null;
      return work === null ? [] : [[name, { name, us, work, choices, kind: "kernel" }] as const];
    }),
  );
}

function measuredMapping({ name, us, work, choices }: Standing): readonly Measured[] {
  return us === null ? [] : [{ name, us, work, choices, kind: "mapping" }];
}

interface KernelsProps {
  readonly good: Good;
  readonly kernels: ReadonlyMap<string, Measured>;
}

function Kernels({ good, kernels }: KernelsProps): JSX.Element {
  const { compiled, job } = good;
  const counted = facts.value?.job === job ? facts.value.facts : null;
  const columns = [
    "Kernel",
    "Operations",
    "Memory",
    "op/B",
    ...(kernels.size === 0 ? [] : ["Took"]),
    ...(kernels.size === 0 || ceilings.value === null ? [] : ["Roof"]),
    "Estimate",
  ];
  return (
    <Table
      caption={
        <>
          What the program asks of each kernel.
          {counted === null
            ? ""
            : ` The estimate, and what most of it is, are for ${counted.device}.`}
          {kernels.size === 0 ? " Run finds out how long they take here." : ""}
        </>
      }
      columns={columns}
    >
      {compiled.plan.kernels.map(({ name }) => {
        const work = compiled.work[name] ?? null;
        const estimated = counted?.estimates[name];
        return (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td class="number">{work === null ? "" : amountText(work.operations, "op")}</td>
            <td class="number">{work === null ? "" : amountText(work.bytes, "B")}</td>
            <td class="number">
              {work === null || work.bytes === 0 ? "" : shareText(work.operations / work.bytes)}
            </td>
            <MeasuredCells measured={kernels.get(name)} isAny={kernels.size > 0} />
            <td class="number">
              {estimated === undefined ? "…" : timeText(estimated.us)}{" "}
              <span class="faint">
                {estimated === undefined ? "" : (bounds[estimated.bound] ?? estimated.bound)}
              </span>
            </td>
          </tr>
        );
      })}
    </Table>
  );
}

function MeasuredCells({
  measured,
  isAny,
}: {
  readonly measured: Measured | undefined;
  readonly isAny: boolean;
}): JSX.Element | null {
  if (!isAny) return null;
  const known = ceilings.value;
  return (
    <>
      <td class="number">{measured === undefined ? "" : timeText(measured.us)}</td>
      {known === null ? null : (
        <td class="number">{measured === undefined ? "" : roofText(measured, known)}</td>
      )}
    </>
  );
}

function shareText(value: number): string {
  return String(Number(value.toPrecision(3)));
}

/** How much of what the device can do. */
function roofText({ us, work }: Pick<Measured, "us" | "work">, known: Ceilings): string {
  const share = us === 0 ? 0 : (100 * roofUs(work, known)) / us;
  return `${Number(share.toPrecision(2))}\u00a0%`;
}

function CeilingsText({ most }: { readonly most: Ceilings }): JSX.Element {
  return (
    <p>
      This device computes <b>{amountText(1e9 * most.gflops, "op/s")}</b> and copies{" "}
      <b>{amountText(1e9 * most.gigabytes, "B/s")}</b> at most, as measured here with kernels that
      do nothing else.
    </p>
  );
}

/** The mappings that were measured: a bar for the time of each. */
function Standings({ all }: { readonly all: readonly Standing[] }): JSX.Element {
  const most = Math.max(...all.map(({ us }) => us ?? 0));
  const known = ceilings.value;
  return (
    <Table
      caption={`The whole program under several mappings, on this device${
        all.some(({ name }) => name === tiledName)
          ? "; beside them, its largest matrix product by the scheme of TensorFlow.js"
          : ""
      }`}
      columns={["Mapping", "Time", "Computes", "Moves", "Roof"]}
    >
      {all.map(({ name, us, note, work, choices }) => (
        <tr key={name}>
          <th scope="row">
            {name} <span class="faint choices">{choices.join("; ")}</span>
          </th>
          <td class="number time-cell">
            {us === null ? note : timeText(us)}
            {us === null || note === "" ? null : <span class="faint choices">{note}</span>}
            {us === null ? null : (
              <span
                class="time-share"
                aria-hidden="true"
                style={{ width: `${(100 * us) / most}%` }}
              />
            )}
          </td>
          <td class="number">{us === null ? "" : rateText(work.operations, us, "op/s")}</td>
          <td class="number">{us === null ? "" : rateText(work.bytes, us, "B/s")}</td>
          <td class="number">
            {us === null || known === null ? "" : roofText({ us, work }, known)}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function rateText(amount: number, us: number, unit: string): string {
  return amount === 0 || us === 0 ? "" : amountText(amount / (us * 1e-6), unit);
}

/** All that is counted from the text of kernels. */
function FactsTable({ good }: { readonly good: Good }): JSX.Element {
  const counted = facts.value;
  return (
    <section aria-labelledby="facts-title" class="cost-facts">
      <h2 class="small-title" id="facts-title">
        Facts: what each access asks of a device, counted without running it
      </h2>
      {counted === null ? (
        <p class="empty">Counting…</p>
      ) : (
        <div class={counted.job === good.job ? "fill" : "stale fill"}>
          <CodeView text={counted.facts.text} language="ir" label="Facts of the kernels" />
        </div>
      )}
    </section>
  );
}
