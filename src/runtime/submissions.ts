/**
 * How the dispatches of a plan are divided into submissions: drivers take a device for hung that works on one for
 * seconds, and whoever shares it waits. How long dispatches take is known after the first run: until then there are few
 * in each submission. The host never waits between two of them.
 */
import type { Step } from "../codegen/plan.ts";
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
  return steps.reduce(
    (sum, s) => sum + (s.kind === "repeat" ? s.extent * countDispatches(s.body) : 1),
    0,
  );
}

/** So many dispatches in equal pieces, the last one shorter. */
function evenly(dispatches: number, size: number): readonly number[] {
  const sizes: number[] = [];
  for (let rest = dispatches; rest > 0; rest -= size) sizes.push(Math.min(size, rest));
  return sizes;
}

/** The fewest milliseconds between two ends of submissions of which the host hears apart. */
const leastMs = 0.1;

/** Submissions of whose ends the host hears at once, since it was busy meanwhile, took their time together. */
function heardApart(timed: readonly Piece[]): readonly Piece[] {
  const apart: Piece[] = [];
  for (const piece of timed) {
    const last = piece.ms < leastMs ? apart.pop() : undefined;
    const { dispatches = 0, ms = 0 } = last ?? {};
    apart.push({ dispatches: dispatches + piece.dispatches, ms: ms + piece.ms });
  }
  return apart;
}

/**
 * The submissions of the next run, in dispatches, from those of one that was timed: short ones are put together, and
 * those that took too long are divided.
 */
export function nextPieces(timed: readonly Piece[]): readonly number[] {
  const sizes: number[] = [];
  let room = 0;
  for (const { dispatches, ms } of heardApart(timed)) {
    if (ms > mostMs) sizes.push(...evenly(dispatches, ceilDiv(dispatches, ceilDiv(ms, wantedMs))));
    else if (ms > room) sizes.push(dispatches);
    else sizes.push((sizes.pop() ?? 0) + dispatches);
    room = ms > mostMs ? 0 : (ms > room ? wantedMs : room) - ms;
  }
  return sizes;
}

/** Submits the runs of one plan. */
export interface Submissions {
  /**
   * Submits what `encode` writes, with what that gives: into the first pass, and from one dispatch to the next into that
   * which `next` gives.
   */
  submit<T>(encode: (pass: PassCommands, next: () => PassCommands) => T): T;
}

/**
 * Submissions for a plan of so many dispatches.
 *
 * @param now milliseconds; the clock of the host unless a test has another.
 */
export function createSubmissions(
  device: Pick<GPUDevice, "createCommandEncoder" | "queue">,
  dispatches: number,
  now: () => number = () => performance.now(),
): Submissions {
  let sizes = evenly(dispatches, untimed);
  let isTimed = sizes.length < 2;
  return {
    submit: (encode) => {
      const timed: Promise<Piece>[] = [];
      const isTiming = !isTimed;
      let [done, size, count, before] = [0, sizes[0] ?? 0, 0, now()];
      let encoder = device.createCommandEncoder();
      let pass = encoder.beginComputePass();
      const submit = (): void => {
        pass.end();
        const { queue } = device;
        queue.submit([encoder.finish()]);
        if (!isTiming) return;
        const [begun, made] = [now(), size];
        const piece = async (): Promise<Piece> => {
          await queue.onSubmittedWorkDone();
          const from = Math.max(before, begun);
          before = now();
          return { dispatches: made, ms: before - from };
        };
        const heard = piece();
        // Nobody waits for it where what is encoded next throws.
        heard.catch(() => {});
        timed.push(heard);
      };
      const value = encode(pass, () => {
        count += 1;
        if (count === size && done + 1 < sizes.length) {
          submit();
          done += 1;
          [size, count] = [sizes[done] ?? 0, 0];
          encoder = device.createCommandEncoder();
          pass = encoder.beginComputePass();
        }
        return pass;
      });
      submit();
      isTimed = true;
      if (isTiming) {
        Promise.all(timed).then(
          (pieces) => {
            sizes = nextPieces(pieces);
            isTimed = heardApart(pieces).every((p) => p.ms <= mostMs || p.dispatches < 2);
          },
          // The device is lost, as the next call says.
          () => {},
        );
      }
      return value;
    },
  };
}
