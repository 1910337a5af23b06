import type { JSX } from "preact";
import type { Timing } from "../../../src/runtime.ts";
import type { CompiledView } from "../compile/compile-source.ts";
import { Table } from "../shell/table.tsx";
import { numberText } from "../tensors/colour-scale.ts";
import type { TimeAnswer } from "../worker-protocol.ts";
import { amountText, driftText, launchesText, timeText } from "./time-text.ts";

interface TimesProps {
  readonly timing: TimeAnswer;
  readonly work: CompiledView["work"];
}

/** The time of a run, and how it was measured; and of each kernel. */
export function Times({ timing, work }: TimesProps): JSX.Element {
  const most = Math.max(...timing.kernels.map((k) => k.us));
  return (
    <div class="times">
      {"launches" in timing ? (
        <p class="time">
          <b>{timeText(timing.whole.us)}</b>
          <span class="faint">
            {" "}
            {launchesText(timing.launches)}: whole, a dispatch of it may hold up the device too long
            to repeat it
          </span>
        </p>
      ) : (
        <Repeated {...timing.whole} />
      )}
      <details>
        <summary>Each kernel</summary>
        <Table
          caption="Time of each kernel"
          isCaptionHidden
          columns={["Kernel", "Time", "Operations", "Memory"]}
        >
          {timing.kernels.map((kernel) => (
            <KernelRow
              key={kernel.kernel}
              kernel={kernel}
              work={work[kernel.kernel] ?? null}
              part={kernel.us / most}
            />
          ))}
        </Table>
      </details>
    </div>
  );
}

/** The median, its spread, and what the clock can tell apart. */
function Repeated(whole: Timing): JSX.Element {
  const { us, mad, n, clock, quantumNs } = whole;
  const drift = driftText(whole);
  return (
    <>
      <p class="time">
        <b>{timeText(us)}</b> ± {spreadText(us, mad)}
        <span class="faint">
          {" "}
          median of {n}; {clock === "wall" ? "wall clock" : "timestamps of the device"}, in steps of{" "}
          {timeText(quantumNs / 1000)}
        </span>
      </p>
      {drift === null ? null : <p class="drift">{drift}</p>}
    </>
  );
}

interface KernelRowProps {
  readonly kernel: TimeAnswer["kernels"][number];
  readonly work: CompiledView["work"][string];
  /** Of the time of the slowest one. */
  readonly part: number;
}

function KernelRow({ kernel, work, part }: KernelRowProps): JSX.Element {
  const { kernel: name, us } = kernel;
  const repeated = "launches" in kernel ? null : kernel;
  return (
    <tr>
      <th scope="row">
        <code>{name}</code>
        {(repeated?.dispatches ?? 1) > 1 ? (
          <span class="faint"> × {repeated?.dispatches}</span>
        ) : null}
      </th>
      <td class="number">
        {timeText(us)}
        {repeated === null ? null : <span class="faint"> ± {spreadText(us, repeated.mad)}</span>}
        {repeated?.measured === "alone" ? <span class="faint">, by itself</span> : null}
        <span class="time-share" aria-hidden="true" style={{ width: `${100 * part}%` }} />
      </td>
      <td class="number">{rateText(work?.operations ?? null, us, "op/s")}</td>
      <td class="number">{rateText(work?.bytes ?? null, us, "B/s")}</td>
    </tr>
  );
}

/** So much in so many microseconds, as a rate for people; nothing where it is not known. */
function rateText(amount: number | null, us: number, unit: string): string {
  if (amount === null || amount === 0 || us <= 0) return "";
  return amountText(amount / (us * 1e-6), unit);
}

function spreadText(us: number, mad: number): string {
  const spread = us === 0 ? 0 : (100 * mad) / us;
  return `${numberText(Number(spread.toPrecision(2)))}\u00a0%`;
}
