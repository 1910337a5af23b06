/**
 * Where the time of a plan goes: how long each of its kernels takes.
 *
 * A kernel is timed where it stands, in an execution of the whole plan, every dispatch in a pass of
 * its own. Where the clock's step is too coarse for that (65 536 ns in browsers), or only
 * submissions can be timed, it is timed alone: its dispatches again and again until the span is long
 * enough for the clock. Each result says which it was.
 */
import type { KernelWork, Plan } from "../codegen/plan.ts";
import { type Clock, mostSpans, type Sample, type Span } from "./clock.ts";
import { type RecordedDispatch, recordDispatches } from "./record-dispatches.ts";
import {
  defaultMinMs,
  isEnough,
  measurePlan,
  median,
  quantaPerSample,
  spreadOf,
  submissionNs,
  type Timing,
  type TimingOptions,
} from "./timing.ts";

/** How long a kernel takes in one execution of its plan. */
export interface KernelTime {
  /** Its name in the plan; `zero fill` is what fills buffers with zero. */
  readonly kernel: string;
  /** Microseconds for all of its dispatches: the median of the samples, and how they spread. */
  readonly us: number;
  readonly mad: number;
  readonly n: number;
  /** In one execution. */
  readonly dispatches: number;
  /**
   * `in-order`: where it stands in the plan. `alone`: its dispatches again and again, because the step
   * of the clock is too coarse for one; what it reads is then in the caches already.
   */
  readonly measured: "in-order" | "alone";
  /** What it computes, of all dispatches; null where the plan does not say (plans read from data). */
  readonly work: KernelWork | null;
}

/** A dispatch on the axis of time. */
export interface DispatchSpan {
  readonly kernel: string;
  /** Microseconds since the first dispatch began. */
  readonly start: number;
  readonly us: number;
}

/** Where the time of a plan goes. */
export interface Profile {
  /** Making the pipelines of the plan, in milliseconds of the host's clock; near 0 of known ones. */
  readonly pipelinesMs: number;
  /**
   * The first execution, from its submission to its end, in milliseconds of the host's clock: drivers
   * compile in it. Null if the plan has run before.
   */
  readonly firstMs: number | null;
  /** Later executions, as `time` gives them. */
  readonly whole: Timing;
  /** In the order in which they are dispatched first. */
  readonly kernels: readonly KernelTime[];
  /**
   * One execution, dispatch by dispatch: as it was seen if all kernels are timed in order, else laid
   * end to end from the medians.
   */
  readonly execution: readonly DispatchSpan[];
  readonly executionIs: "seen" | "laid-out";
}

/** What is known of a plan that is to be profiled. */
export interface PlanHistory {
  readonly pipelinesMs: number;
  readonly hasRun: boolean;
}

/** Measures all of a plan, then each of its kernels. `once` encodes an execution of it. */
export async function profilePlan(
  clock: Clock,
  plan: Plan,
  once: Sample,
  { pipelinesMs, hasRun }: PlanHistory,
  options: TimingOptions = {},
): Promise<Profile> {
  const begun = performance.now();
  await clock.measure(once, 1);
  const firstMs = hasRun ? null : performance.now() - begun;
  const whole = await measurePlan(clock, once, options, true);
  const dispatches = recordDispatches(plan, once.encode);
  const names = dispatches.map(({ kernel }) => nameOf(plan, kernel));
  const { spans } = clock;
  const minNs = (options.minMs ?? defaultMinMs) * 1e6;
  const samples =
    spans === null ? [] : await inOrder(spans, once, dispatches, { us: whole.us, minNs });
  const kernels: KernelTime[] = [];
  for (const kernel of new Set(dispatches.map((one) => one.kernel))) {
    const own = listNumbers(dispatches, kernel);
    const seen = timesInOrder(samples, own, clock.quantumNs);
    const found =
      seen ??
      (await alone(
        clock,
        once,
        own.flatMap((n) => dispatches[n] ?? []),
        options,
      ));
    kernels.push({
      kernel: nameOf(plan, kernel),
      ...found,
      dispatches: own.length,
      measured: seen === null ? "alone" : "in-order",
      work: (kernel === null ? undefined : plan.kernels[kernel]?.work) ?? null,
    });
  }
  const last = samples.at(-1);
  const isSeen = last !== undefined && kernels.every(({ measured }) => measured === "in-order");
  return {
    pipelinesMs,
    firstMs,
    whole,
    kernels,
    execution: isSeen ? asSeen(names, last) : laidOut(names, kernels),
    executionIs: isSeen ? "seen" : "laid-out",
  };
}

function nameOf(plan: Plan, kernel: number | null): string {
  return kernel === null ? "zero fill" : (plan.kernels[kernel]?.kernel.name ?? "");
}

function listNumbers(
  dispatches: readonly RecordedDispatch[],
  kernel: number | null,
): readonly number[] {
  return dispatches.flatMap((one, n) => (one.kernel === kernel ? [n] : []));
}

/**
 * Executions of the plan with a span for each dispatch: several in a submission, as `measurePlan` has
 * them. Of a plan with more dispatches than one submission has spans for, a sample is several
 * executions, each with spans for another part.
 */
async function inOrder(
  spans: NonNullable<Clock["spans"]>,
  once: Sample,
  dispatches: readonly RecordedDispatch[],
  { us, minNs }: { readonly us: number; readonly minNs: number },
): Promise<readonly (readonly Span[])[]> {
  const count = dispatches.length;
  const fitting = Math.floor(Math.min(mostSpans / Math.max(1, count), submissionNs / (1000 * us)));
  const samples: (readonly Span[])[] = [];
  for (let spent = 0; !isEnough(samples.length, spent, minNs); ) {
    const found =
      count > mostSpans
        ? [await spansOfParts(spans, once, dispatches)]
        : await spansOfRuns(spans, once, dispatches, Math.max(1, fitting));
    samples.push(...found);
    for (const sample of found) {
      // A clock that shows nothing must not hold us here for ever.
      spent += Math.max(1e5, (sample.at(-1)?.end ?? 0) - (sample[0]?.begin ?? 0));
    }
  }
  return samples;
}

/** The spans of each of some executions in one submission. */
async function spansOfRuns(
  spans: NonNullable<Clock["spans"]>,
  { before }: Sample,
  dispatches: readonly RecordedDispatch[],
  runs: number,
): Promise<readonly (readonly Span[])[]> {
  const passes = dispatches.map(({ encode }, n): Sample => {
    return { before: n === 0 ? before : () => undefined, encode };
  });
  const found = await spans(Array.from({ length: runs }, () => passes).flat());
  return Array.from({ length: runs }, (_, r) =>
    found.slice(r * dispatches.length, (r + 1) * dispatches.length),
  );
}

/** The spans of all dispatches, at most {@link mostSpans} of them in each execution, end to end. */
export async function spansOfParts(
  spans: NonNullable<Clock["spans"]>,
  { before }: Sample,
  dispatches: readonly RecordedDispatch[],
): Promise<readonly Span[]> {
  const sample: Span[] = [];
  for (let from = 0; from < dispatches.length; from += mostSpans) {
    const lead = dispatches.slice(0, from);
    const passes = dispatches.slice(from, from + mostSpans).map(({ encode }, n): Sample => {
      const prepare = (encoder: GPUCommandEncoder): void => {
        before(encoder);
        encodeAll(encoder, lead);
      };
      return { before: n === 0 ? prepare : () => undefined, encode };
    });
    const end = sample.at(-1)?.end ?? 0;
    for (const one of await spans(passes)) {
      sample.push({ begin: end + one.begin, end: end + one.end });
    }
  }
  return sample;
}

function encodeAll(encoder: GPUCommandEncoder, dispatches: readonly RecordedDispatch[]): void {
  if (dispatches.length === 0) return;
  const pass = encoder.beginComputePass();
  for (const { encode } of dispatches) encode(pass);
  pass.end();
}

/** The time of some dispatches together; null where a step of the clock is too much of one. */
function timesInOrder(
  samples: readonly (readonly Span[])[],
  own: readonly number[],
  quantumNs: number,
): Pick<KernelTime, "us" | "mad" | "n"> | null {
  const sums = samples.map((sample) =>
    own.reduce((sum, n) => sum + (sample[n]?.end ?? 0) - (sample[n]?.begin ?? 0), 0),
  );
  const isLong = median(sums) / own.length >= quantumNs * quantaPerSample;
  return isLong ? { ...spreadOf(sums.map((ns) => ns / 1000)), n: sums.length } : null;
}

async function alone(
  clock: Clock,
  { before }: Sample,
  dispatches: readonly RecordedDispatch[],
  options: TimingOptions,
): Promise<Pick<KernelTime, "us" | "mad" | "n">> {
  const sample: Sample = {
    before,
    encode: (pass) => {
      for (const { encode } of dispatches) encode(pass);
    },
  };
  const { us, mad, n } = await measurePlan(clock, sample, options, true);
  return { us, mad, n };
}

function asSeen(names: readonly string[], spans: readonly Span[]): readonly DispatchSpan[] {
  const origin = spans[0]?.begin ?? 0;
  return spans.map(({ begin, end }, n) => {
    return { kernel: names[n] ?? "", start: (begin - origin) / 1000, us: (end - begin) / 1000 };
  });
}

function laidOut(
  names: readonly string[],
  kernels: readonly KernelTime[],
): readonly DispatchSpan[] {
  const each = new Map(kernels.map(({ kernel, us, dispatches }) => [kernel, us / dispatches]));
  let end = 0;
  return names.map((kernel) => {
    const [start, us] = [end, each.get(kernel) ?? 0];
    end += us;
    return { kernel, start, us };
  });
}
