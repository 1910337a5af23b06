import type { Timer } from "../../../src/runtime.ts";

/** Microseconds in a unit that leaves three digits. */
export function timeText(us: number): string {
  if (us >= 1e6) return `${Number((us / 1e6).toPrecision(3))} s`;
  if (us >= 1000) return `${Number((us / 1000).toPrecision(3))} ms`;
  return us >= 1 ? `${Number(us.toPrecision(3))} µs` : `${Math.round(us * 1000)} ns`;
}

/** What times are read from, in the steps that they come in; browsers make those long. */
export function timerText({ kind, quantumNs }: Timer): string {
  return kind === "wall" ? "wall clock" : `timer ${timeText(quantumNs / 1000)}`;
}

/** How one execution was timed, whose long dispatches are launched in slices, and several others at once. */
export function launchesText(launches: number): string {
  return `one execution in ${launches === 1 ? "one launch" : `${launches} launches`}, wall clock`;
}

const prefixes = ["", "k", "M", "G", "T"] as const;

/** So much, with three digits and a prefix: `1.23 Gop/s`. */
export function amountText(amount: number, unit: string): string {
  let rest = amount;
  let step = 0;
  while (rest >= 1000 && step < prefixes.length - 1) {
    rest /= 1000;
    step += 1;
  }
  return `${Number(rest.toPrecision(3))}\u00a0${prefixes[step]}${unit}`;
}

/** A device whose samples move by more than this part has no one time. */
const notedDrift = 0.05;

/** Says that times moved while they were measured, where that is more than they spread anyway; else null. */
export function driftText({
  us,
  mad,
  drift,
}: {
  readonly us: number;
  readonly mad: number;
  readonly drift: number;
}): string | null {
  if (us <= 0 || Math.abs(drift) <= Math.max(notedDrift, mad / us)) return null;
  const percent = `${Math.round(100 * Math.abs(drift))}\u00a0%`;
  return drift > 0
    ? `The later samples took ${percent} longer than the first: the device gets warm, or has other things to do.`
    : `The later samples took ${percent} less than the first: the device was slow to start, or had other things to do.`;
}
