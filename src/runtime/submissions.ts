/**
 * How the dispatches of a plan are divided into submissions: drivers take a device for hung that works on one for
 * seconds, and whoever shares it waits. How long dispatches take is known after the first run: until then there are few
 * in each submission. The host never waits between two of them.
 */
import type { Step } from "../codegen/plan.ts";
import { assertNever } from "../support/assert.ts";
import { ceilDiv } from "../support/integer.ts";
import type { PassCommands } from "./clock.ts";

/** Dispatches of a submission while nobody knows how long they take. */
const untimed = 16;

/** The most milliseconds of a submission with more than one dispatch. */
const mostMs = 100;

/** Submissions of so many milliseconds are made from shorter ones: half of the most, since other runs may take longer. */
const wantedMs = mostMs / 2;

/** Some dispatches one after the other, and how many milliseconds they took. */
export interface Piece {
  readonly dispatches: number;
  readonly ms: number;
}

/** How many dispatches some steps make. */
export function countDispatches(steps: readonly Step[]): number {
  return steps.reduce((sum, step) => {
    switch (step.kind) {
      case "repeat":
        return sum + step.extent * countDispatches(step.body);
      case "dispatch":
      case "zero":
        return sum + 1;
      default:
        return assertNever(step);
    }
  }, 0);
}

/** So many dispatches in equal pieces, the last one shorter. */
function evenly(dispatches: number, size: number): readonly number[] {
  const sizes: number[] = [];
  for (let rest = dispatches; rest > 0; rest -= size) sizes.push(Math.min(size, rest));
  return sizes;
}

/**
 * The submissions of the next run, in dispatches, from those of one that was timed: short ones are put together, and
 * those that took too long are divided.
 */
export function nextPieces(timed: readonly Piece[]): readonly number[] {
  const sizes: number[] = [];
  let open: Piece = { dispatches: 0, ms: 0 };
  const close = (): void => {
    if (open.dispatches > 0) sizes.push(open.dispatches);
    open = { dispatches: 0, ms: 0 };
  };
  for (const { dispatches, ms } of timed) {
    if (open.ms + ms > wantedMs) close();
    if (ms > mostMs) {
      sizes.push(...evenly(dispatches, ceilDiv(dispatches, ceilDiv(ms, wantedMs))));
    } else open = { dispatches: open.dispatches + dispatches, ms: open.ms + ms };
  }
  close();
  return sizes;
}

/** Whether a run has to be timed once more: a piece of several dispatches took too long. */
function isTooLong({ dispatches, ms }: Piece): boolean {
  return dispatches > 1 && ms > mostMs;
}

/** Submits the runs of one plan. */
export interface Submissions {
  /** Encodes a run and submits it, in as many parts as it takes; with what `encode` gives. */
  submit<T>(encode: (pass: PassCommands) => T): T;
}

/** What is used of a device. */
type Submitter = Pick<GPUDevice, "createCommandEncoder" | "queue">;

/**
 * Passes, each submitted when it has its share of the dispatches; `ended` hears of each. Encoders set pipeline, bindings and
 * immediates for each dispatch anew, so that any of them may be the first of a pass.
 */
function passesOf(
  device: Submitter,
  sizes: readonly number[],
  ended: (dispatches: number) => void,
): PassCommands & { end(): void } {
  let open: { readonly encoder: GPUCommandEncoder; readonly pass: GPUComputePassEncoder } | null =
    null;
  let [part, dispatches] = [0, 0];
  const pass = (): GPUComputePassEncoder => {
    if (open === null) {
      const encoder = device.createCommandEncoder();
      open = { encoder, pass: encoder.beginComputePass() };
    }
    return open.pass;
  };
  const end = (): void => {
    if (open === null) return;
    open.pass.end();
    device.queue.submit([open.encoder.finish()]);
    open = null;
    ended(dispatches);
    [part, dispatches] = [part + 1, 0];
  };
  return {
    setPipeline: (pipeline) => pass().setPipeline(pipeline),
    setBindGroup: (index: number, group?: GPUBindGroup | null, offsets?: Iterable<number>) =>
      offsets === undefined
        ? pass().setBindGroup(index, group)
        : pass().setBindGroup(index, group, offsets),
    setImmediates: (offset, data) => pass().setImmediates(offset, data),
    dispatchWorkgroups: (x, y, z) => {
      pass().dispatchWorkgroups(x, y, z);
      dispatches += 1;
      if (dispatches >= (sizes[part] ?? Infinity)) end();
    },
    end,
  };
}

/**
 * Submissions for a plan of so many dispatches.
 *
 * @param now milliseconds; the clock of the host unless a test has another.
 */
export function createSubmissions(
  device: Submitter,
  dispatches: number,
  now: () => number = () => performance.now(),
): Submissions {
  let sizes = evenly(dispatches, untimed);
  let state: "unknown" | "timing" | "known" = sizes.length > 1 ? "unknown" : "known";
  const timeRun = (): { ended(dispatches: number): void; all(): void } => {
    const found: Promise<Piece>[] = [];
    let before = now();
    const ended = (count: number): void => {
      const submitted = now();
      const done = device.queue.onSubmittedWorkDone().then((): Piece => {
        const at = now();
        const ms = at - Math.max(before, submitted);
        before = at;
        return { dispatches: count, ms };
      });
      found.push(done);
    };
    const all = (): void => {
      state = "timing";
      Promise.all(found).then(
        (pieces) => {
          sizes = nextPieces(pieces);
          state = pieces.some(isTooLong) ? "unknown" : "known";
        },
        // The device is lost, as the next call says.
        () => {
          state = "unknown";
        },
      );
    };
    return { ended, all };
  };
  return {
    submit: (encode) => {
      const timing = state === "unknown" ? timeRun() : null;
      const passes = passesOf(device, sizes, (count) => timing?.ended(count));
      const value = encode(passes);
      passes.end();
      timing?.all();
      return value;
    },
  };
}
