/**
 * What no default for GPUs may do, asked of facts. Two vetoes are not here: instructions that compute are
 * counted in machine code, and work that grows with the square of a scan is seen in the program.
 */
import type { DeviceFamily } from "../../support/device-families.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { AccessFacts, KernelFacts } from "./kernel-facts.ts";
import { registerOverhead } from "./occupancy.ts";
import { type BankModel, bankModels, requestLanes } from "./requests.ts";

/** A bound that a kernel breaks. */
export interface Veto {
  readonly veto: "banks" | "used" | "fma" | "cores" | "empty" | "registers";
  readonly kernel: string;
  /** The place of an access; null for the whole kernel. */
  readonly place: string | null;
  /** What it has, and the most or least that it may have. */
  readonly found: number;
  readonly bound: number;
}

/** Multiply-adds of an invocation from which a kernel lives by what it uses again. */
const livesByReuse = 512;

/** What sums of samples that stand for many others may be beside the truth. */
const rounding = 1 + 1e-6;

/** Elements that a kernel stores for each core, from which every core could have a workgroup. */
const elementsForCore = 64;

/** Answers that a request may need: of halves of it, twice as many. */
function mostAnswers(width: number, { lanes }: BankModel): number {
  return ((width === 4 ? 4 : 2) * requestLanes) / lanes;
}

/** The models of banks that have to be good: sources disagree about Apple's, so all of them are. */
function modelsOf({ name, banks, bankBytes }: DeviceFamily): readonly BankModel[] {
  const own = banks * bankBytes >= 128 ? "32x4" : "16x4";
  return bankModels.filter((model) => name === "apple" || model.name === own);
}

function banks(
  k: KernelFacts,
  { place, width, requests, memory }: AccessFacts,
  family: DeviceFamily,
): readonly Veto[] {
  if (memory.space === "storage" || memory.wavefronts === null || !requests) return [];
  const { wavefronts } = memory;
  return flatMap(modelsOf(family), (model) => {
    const [found, bound] = [wavefronts[model.name] / requests, mostAnswers(width, model)];
    if (found <= bound * rounding) return [];
    return [{ veto: "banks" as const, kernel: k.kernel, place, found, bound }];
  });
}

function whole(k: KernelFacts, veto: Veto["veto"], found: number, bound: number): Veto {
  return { veto, kernel: k.kernel, place: null, found, bound };
}

/** Vetoes of one kernel; what data decide is no reason for one. */
function vetoesOf(k: KernelFacts, family: DeviceFamily): readonly Veto[] {
  const { count, size, empty } = k.workgroups;
  const full = count - (empty ?? 0);
  const used = k.memory.loadedShareUsed;
  const invocations = Math.max(1, full * size * k.dispatches);
  const stored = ((k.memory.storeSectors ?? 0) * 8) / Math.max(1, k.dispatches);
  const lanes = Math.ceil(size / family.width) * family.width;
  const most = Math.min(255, Math.floor(family.registersPerCore / lanes));
  const registers = k.liveScalars + registerOverhead;
  const few = k.fmaPerWavefront !== null && k.fmaPerWavefront * rounding < 3;
  return [
    ...k.accesses.flatMap((access) => banks(k, access, family)),
    ...(used !== null && used * rounding < 0.5 ? [whole(k, "used", used, 0.5)] : []),
    ...(few && k.mostOperations.fma / invocations >= livesByReuse
      ? [whole(k, "fma", k.fmaPerWavefront ?? 0, 3)]
      : []),
    ...(full * rounding < family.cores && stored >= elementsForCore * family.cores
      ? [whole(k, "cores", full, family.cores)]
      : []),
    ...(empty !== null && empty / count > 0.02 * rounding
      ? [whole(k, "empty", empty / count, 0.02)]
      : []),
    ...(registers > most ? [whole(k, "registers", registers, most)] : []),
  ];
}

/** What facts of a plan's kernels break on a family of devices. */
export function vetoes(facts: readonly KernelFacts[], family: DeviceFamily): readonly Veto[] {
  return facts.flatMap((k) => vetoesOf(k, family));
}
