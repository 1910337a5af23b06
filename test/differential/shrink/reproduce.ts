import type { Runtime } from "../../../src/runtime/runtime.ts";
import type { DeviceProfile } from "../../../src/support/device-profile.ts";
import {
  executeInterpreted,
  executeOnDevice,
  type Failure,
  isFailure,
  mapCase,
  prepareCase,
} from "../differential.ts";
import type { TcCase } from "../generate-tc.ts";
import type { StillFails, Subject } from "./shrink.ts";

const oneThread = { kind: "one-thread" } as const;

/** A failing definition as a subject: random answers become options. */
export function subjectOf(tcCase: TcCase, { mapping, options }: Failure): Subject {
  if (mapping?.kind === "random" && options !== undefined) {
    return { tcCase, mapping: { kind: "options", options } };
  }
  return { tcCase, mapping: mapping ?? oneThread };
}

/** What two failures of one cause have in common: the stage and the kind of fault. */
function signatureOf({ stage, detail }: Failure): string {
  const [line = ""] = detail.split("\n");
  const kind = /^(race|out-of-bounds|misaligned|uninitialised|divergence|[a-z]+:)/.exec(line)?.[0];
  if (kind !== undefined) return `${stage} ${kind}`;
  if (/instead of/.test(line)) return `${stage} wrong`;
  return `${stage} ${line.replace(/\w*[\d#]\w*|\b[A-Z]\w*/g, "#").slice(0, 60)}`;
}

/** What goes wrong with one subject on one profile; null when nothing does. */
export async function failureOf(
  { tcCase, mapping }: Subject,
  profile: DeviceProfile,
  runtime: Runtime | null,
): Promise<Failure | null> {
  const preparation = prepareCase(tcCase);
  if (preparation.kind === "refused") return null;
  if (preparation.kind === "failed") return preparation.failure;
  const { prepared } = preparation;
  const variant = mapCase(prepared, profile, mapping);
  if (isFailure(variant)) return variant;
  const interpreted = executeInterpreted(prepared, variant);
  if (isFailure(interpreted)) return interpreted;
  if (runtime === null) return null;
  const executed = await executeOnDevice(prepared, variant, runtime);
  return isFailure(executed) ? executed : null;
}

/** Tells whether a subject fails as `failure` did. The device is used only if it failed there. */
export function failsLike(
  failure: Failure,
  profile: DeviceProfile,
  runtime: Runtime | null,
): StillFails {
  const wanted = signatureOf(failure);
  const device = failure.stage === "device" ? runtime : null;
  return async (subject) => {
    const found = await failureOf(subject, profile, device);
    return found !== null && signatureOf(found) === wanted;
  };
}
