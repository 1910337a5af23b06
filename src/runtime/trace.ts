/**
 * Profiles in the Trace Event Format, which chrome://tracing, Perfetto and speedscope read. Source:
 * "Trace Event Format", N. Duca and D. Sinclair, 2016: complete events (`X`) and metadata (`M`).
 */
import type { Profile } from "./profile-plan.ts";

/** An event; times are microseconds. */
export interface TraceEvent {
  readonly name: string;
  /** `X`: something that took time. `M`: the name of a process or a thread. */
  readonly ph: "X" | "M";
  /** The host is 1, the device 2. */
  readonly pid: 1 | 2;
  readonly tid: 1;
  readonly ts?: number;
  readonly dur?: number;
  readonly cat?: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** A file of the format, as data for JSON. */
export interface Trace {
  readonly traceEvents: readonly TraceEvent[];
  readonly displayTimeUnit: "ns" | "ms";
  readonly otherData: Readonly<Record<string, string | number>>;
}

/** What a trace has to say besides the profile. */
export interface TraceContext {
  /** One line for people: which adapter it was. */
  readonly adapter: string;
  /** How long compiling took on the host, in milliseconds; left out where that is not known. */
  readonly compileMs?: number;
}

/**
 * A profile as a trace. On the host the stages up to the first execution, end to end; on the device
 * one later execution, which begins where those end: the clocks of both have no common origin.
 */
export function chromeTrace(profile: Profile, { adapter, compileMs }: TraceContext): Trace {
  const { pipelinesMs, firstMs, whole, kernels, execution, executionIs } = profile;
  const events: TraceEvent[] = [
    named(1, "host"),
    named(2, `device: ${adapter} (clock ${whole.clock}, step ${whole.quantumNs} ns)`),
  ];
  let end = 0;
  const stages = { compile: compileMs, "create pipelines": pipelinesMs, "first run": firstMs };
  for (const [name, ms] of Object.entries(stages)) {
    if (ms === undefined || ms === null) continue;
    events.push({ name, cat: "host", ph: "X", pid: 1, tid: 1, ts: end, dur: 1000 * ms });
    end += 1000 * ms;
  }
  const byName = new Map(kernels.map((one) => [one.kernel, one]));
  for (const { kernel, start, us } of execution) {
    const time = byName.get(kernel);
    const args = {
      measured: time?.measured,
      dispatches: time?.dispatches,
      medianUs: time?.us,
      bytes: time?.work?.bytes,
      operations: time?.work?.operations,
    };
    events.push({
      name: kernel,
      cat: "kernel",
      ph: "X",
      pid: 2,
      tid: 1,
      ts: end + start,
      dur: us,
      args,
    });
  }
  return {
    traceEvents: events,
    displayTimeUnit: "ns",
    otherData: {
      adapter,
      clock: whole.clock,
      quantumNs: whole.quantumNs,
      medianUs: whole.us,
      execution: executionIs === "seen" ? "as the clock saw it" : "laid end to end from medians",
    },
  };
}

function named(pid: 1 | 2, name: string): TraceEvent {
  return { name: "process_name", ph: "M", pid, tid: 1, args: { name } };
}
