/**
 * How long a kernel would take on a GPU that is not at hand: one formula over its facts.
 *
 * ```
 * seconds = dispatches * launch + max(issue, requests, banks, sectors, cache, memory, latency)
 * ```
 * Each is the work of all cores over their rate, and the busiest core has its share of workgroups rounded up.
 * It orders coarsely and says what a kernel waits for; it must not choose register tiles. An estimate is
 * called one wherever it is printed. The constants are frozen: a change of one is a commit of its own, with
 * its effect on all cases of docs/performance.md.
 */
import type { DeviceFigures } from "../../support/device-families.ts";
import type { KernelFacts } from "./kernel-facts.ts";
import { occupancyOf } from "./occupancy.ts";
import { requestLanes, sectorBytes } from "./requests.ts";

/** What may hold a kernel up. */
export type Bound =
  | "issue"
  | "requests"
  | "banks"
  | "sectors"
  | "cache"
  | "memory"
  | "latency"
  | "launch";

/** The time of a kernel's dispatches, and what each part would take alone, in seconds. */
export interface Estimate {
  readonly seconds: number;
  readonly bound: Bound;
  readonly parts: Readonly<Record<Bound, number>>;
}

/** Issue slots of a lane; an FMA takes one. */
const slots = {
  float: 1,
  /** A reciprocal of a quarter of the rate, and its refinement. */
  divisions: 8,
  casts: 1,
  /** An exponential, and what brings its argument into range. */
  calls: 8,
  /** Of what kernel IR writes; the rest is computed once for several, or is part of an address. */
  integer: 0.25,
  /** Of a load, store or exchange. */
  request: 1,
  /** Of a loop's counter, comparison and branch. */
  iteration: 2,
};

/** Clocks of a core in which it takes one request of 32 lanes. */
const requestClocks = 1;

/** Sectors that a core's first cache gives in a clock. */
const sectorsPerClock = 2;

/** Clocks from a request of workgroup memory or the first cache to its value. */
const nearClocks = 30;

/** Of peak rates, what the best kernels get. */
const reachable = 0.9;

function issueSlots(k: KernelFacts): number {
  const o = k.mostOperations;
  const { count, size } = k.workgroups;
  const iterations = k.iterationsPerInvocation * count * size * k.dispatches;
  return (
    o.fma +
    k.products / 4 +
    o.float * slots.float +
    o.divisions * slots.divisions +
    o.casts * slots.casts +
    o.calls * slots.calls +
    o.integer * slots.integer +
    k.requests * requestLanes * slots.request +
    iterations * slots.iteration
  );
}

/** The part of all cores' rate that is used, when the busiest core is the last: 0 to 1. */
function balance(workgroups: number, cores: number): number {
  return workgroups === 0 ? 1 : workgroups / cores / Math.ceil(workgroups / cores);
}

/** Estimates all dispatches of a kernel on a device. */
export function estimate(k: KernelFacts, device: DeviceFigures): Estimate {
  const { size, count, empty } = k.workgroups;
  const full = count - (empty ?? 0);
  const needs = { size, registers: k.liveScalars, bytes: k.workgroupMemory.bytes };
  const held = Math.min(occupancyOf(needs, device).workgroups, Math.max(1, full / device.cores));
  const busy = balance(full, device.cores);
  // Clocks a second of all cores together, as far as they have work.
  const clocks = device.cores * busy * device.gigahertz * 1e9 * reachable;
  const model = device.banks * device.bankBytes >= 128 ? "32x4" : "16x4";
  const { memory, workgroupMemory } = k;
  const unique =
    (memory.uniqueBytesPerWorkgroup ?? (memory.mostSectors * sectorBytes) / Math.max(1, full)) *
    full *
    k.dispatches;
  const stored = (memory.storeSectors ?? 0) * sectorBytes;
  const subgroups = held * Math.ceil(size / requestLanes);
  const storageRequests = k.accesses.reduce(
    (sum, a) => sum + (a.memory.space === "storage" && a.kind === "load" ? a.mostRequests : 0),
    0,
  );
  const inFlight = subgroups * Math.max(1, k.loadsInFlight);
  const misses = Math.min(1, unique / Math.max(1, memory.mostSectors * sectorBytes));
  const wait = nearClocks + misses * device.memoryNanoseconds * device.gigahertz;
  const parts: Record<Bound, number> = {
    issue: issueSlots(k) / device.fmaPerClock / clocks,
    requests: (k.requests * requestClocks) / clocks,
    banks: workgroupMemory.mostWavefronts[model] / clocks,
    sectors: memory.mostSectors / sectorsPerClock / clocks,
    cache: (unique + stored) / (device.cacheGBs * 1e9 * reachable),
    memory: memory.uniqueBytes / (device.memoryGBs * 1e9 * reachable),
    latency: ((storageRequests / inFlight) * wait) / clocks,
    launch: 0,
  };
  const bounds = Object.keys(parts) as Bound[];
  const bound = bounds.reduce((a, b) => (parts[b] > parts[a] ? b : a));
  const launch = k.dispatches * device.launchMicroseconds * 1e-6;
  const longest = launch > parts[bound] ? "launch" : bound;
  return { seconds: parts[bound] + launch, bound: longest, parts: { ...parts, launch } };
}
