/**
 * Benches without a device: times that were recorded, with noise from a seed, a clock that drifts, and steps of it.
 * Time passes on a clock of their own, so that budgets are the same on every machine.
 */
import { type Random, seededRandom } from "../support/random.ts";
import type { Bench, BenchClock, Refusal, Sample } from "./bench.ts";
import type { Candidate } from "./candidate.ts";
import { type Landscape, recordedCandidates } from "./landscape.ts";

/** What is simulated of one candidate. */
export interface Simulated {
  /** Microseconds of one execution without noise. */
  readonly us: number;
  /** Of each kernel of its plan; empty for a clock that does not tell them apart. */
  readonly kernels?: Readonly<Record<string, number>>;
  /** Milliseconds of its admission; 0 when left out. */
  readonly firstMs?: number;
}

/** How a bench is simulated. */
export interface SimulationOptions {
  readonly seed: number;
  /** The standard deviation of the logarithm of a sample; 0.03 by default. */
  readonly noise?: number;
  /** Of 1, how often something disturbs a sample, which then takes up to three times as long; 0.02 by default. */
  readonly disturbed?: number;
  /** By what the device is slower at a time, in milliseconds since the start; 1 by default. */
  readonly drift?: (ms: number) => number;
  /** Nanoseconds of the clock's step; 1 by default. */
  readonly quantumNs?: number;
  /** Microseconds that a span has at least, whatever the step; 100 by default. */
  readonly leastSpanUs?: number;
}

/** A bench and the clock that it is on. */
export interface SimulatedBench {
  readonly bench: Bench;
  /** Milliseconds since the start. */
  readonly now: () => number;
  /** Milliseconds pass, as they do where plans are made. */
  readonly pass: (ms: number) => void;
}

/** A number of the standard normal distribution (Box and Muller). */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

/** A bench on which candidates take the time that `timeOf` says, or are refused. */
export function simulatedBench(
  timeOf: (candidate: Candidate) => Simulated | Refusal,
  options: SimulationOptions,
): SimulatedBench {
  const { seed, noise = 0.03, disturbed = 0.02, drift = () => 1 } = options;
  const { quantumNs = 1, leastSpanUs = 100 } = options;
  const random = seededRandom(seed);
  const clock: BenchClock = { kind: "replay", quantumNs };
  const held = new Map<string, Simulated>();
  let ms = 0;
  const sample = ({ us, kernels = {} }: Simulated, quanta: number): Sample => {
    const disturbance = random.chance(disturbed) ? 1 + 2 * random.next() : 1;
    const factor = Math.exp(noise * normal(random)) * disturbance * drift(ms);
    const step = quantumNs / 1_000;
    const times = Math.max(1, Math.ceil(Math.max(leastSpanUs, quanta * step) / us));
    const span = times * us * factor;
    // Where a span begins between two steps of the clock is chance.
    const seen = Math.floor(span / step + random.next()) * step;
    ms += span / 1_000;
    const share = seen / (times * us);
    return {
      us: seen / times,
      kernels: Object.fromEntries(Object.entries(kernels).map(([name, t]) => [name, t * share])),
    };
  };
  const bench: Bench = {
    clock,
    // Whoever asks has whole candidates: there is no other side.
    admit: async (candidate: Candidate, { timeoutMs }) => {
      const found = timeOf(candidate);
      if ("kind" in found) return found;
      const { firstMs = 0, us } = found;
      if (firstMs > timeoutMs) {
        ms += timeoutMs;
        return { kind: "timeout", ms: timeoutMs };
      }
      ms += firstMs + (2 * us) / 1_000;
      held.set(candidate.id, found);
      return {
        kind: "ok",
        firstMs,
        roughUs: us * Math.exp(2 * noise * normal(random)) * drift(ms),
      };
    },
    time: async (ids, { quanta }) =>
      ids.map((id) => {
        const found = held.get(id);
        return found === undefined
          ? { kind: "invalid", why: `\`${id}\` is not admitted` }
          : sample(found, quanta);
      }),
    release: (ids) => {
      for (const id of ids) held.delete(id);
    },
    close: async () => held.clear(),
  };
  return {
    bench,
    now: () => ms,
    pass: (more) => {
      ms += more;
    },
  };
}

/** A bench that replays a landscape. */
export function replayBench(landscape: Landscape, options: SimulationOptions): SimulatedBench {
  const byId = new Map(recordedCandidates(landscape).map((c, n) => [c.id, landscape.points[n]]));
  return simulatedBench((candidate) => {
    const point = byId.get(candidate.id);
    if (point === undefined || point.us === null) return { kind: "invalid", why: "as recorded" };
    return { us: point.us, kernels: point.kernels, firstMs: point.firstMs };
  }, options);
}
