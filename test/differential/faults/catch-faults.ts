/** Which seeded compiler faults a set of random programs notices. */
import { interpretPlan } from "../../../src/codegen/interpret-kernel/interpret-plan.ts";
import { judge } from "../../../src/ir/interpret/judge.ts";
import type { DeviceProfile } from "../../../src/support/device-profile.ts";
import {
  executeInterpreted,
  isFailure,
  mapCase,
  type Prepared,
  prepareCase,
} from "../differential.ts";
import type { TcCase } from "../generate-tc.ts";
import { profilesFor } from "../run-case.ts";
import { type Variant, waysFor } from "../variants.ts";
import type { CompilerFault, FaultSubject } from "./inject.ts";

/** A definition to be tried in all places, or in some: the name of a profile and the number of one of its ways. */
export interface Subject {
  readonly tcCase: TcCase;
  readonly only?: readonly string[];
}

/** What became of a fault. */
export interface FaultRecord {
  readonly fault: CompilerFault;
  /** Plans that it changed before it was noticed. */
  applied: number;
  /** How it was noticed, for example `race` or `wrong result`; null if it was not. */
  caught: { readonly by: string; readonly tcCase: TcCase; readonly place: string } | null;
}

/** How an execution shows that a plan is wrong; null when it does not. */
function symptomOf(
  subject: FaultSubject,
  prepared: Prepared,
  fault: CompilerFault,
): string | null | undefined {
  try {
    const plan = fault.inject(subject);
    if (plan === null) return undefined;
    const { outputs, faults } = interpretPlan(plan, prepared.inputs, { faultLimit: 1 });
    const [first] = faults;
    if (first !== undefined) return first.kind;
    return judge(prepared.expected, outputs).decision === "wrong" ? "wrong result" : null;
  } catch {
    return "internal error";
  }
}

function tryFault(record: FaultRecord, { prepared, place }: Trial, variant: Variant): void {
  const symptom = symptomOf({ program: prepared.program, variant }, prepared, record.fault);
  if (symptom === undefined) return;
  record.applied += 1;
  if (symptom !== null) record.caught = { by: symptom, tcCase: prepared.tcCase, place };
}

/** A definition under one mapping; null when something is wrong with it without any fault. */
interface Trial {
  readonly prepared: Prepared;
  /** As in `Subject`. */
  readonly place: string;
  readonly variant: Variant | null;
}

/** The places of a definition that are wanted. */
function placesOf({ tcCase, only }: Subject, profiles: readonly DeviceProfile[]) {
  const all = profilesFor(tcCase, profiles).flatMap((profile) =>
    waysFor(tcCase.inputSeed).map((mapping, way) => {
      return { place: `${profile.name} ${way}`, profile, mapping };
    }),
  );
  return all.filter(({ place }) => only?.includes(place) ?? true);
}

function* trials(
  subjects: Iterable<Subject>,
  profiles: readonly DeviceProfile[],
): Generator<Trial> {
  for (const subject of subjects) {
    const preparation = prepareCase(subject.tcCase);
    if (preparation.kind !== "prepared") continue;
    const { prepared } = preparation;
    for (const { place, profile, mapping } of placesOf(subject, profiles)) {
      const variant = mapCase(prepared, profile, mapping);
      const unclean = isFailure(variant) || isFailure(executeInterpreted(prepared, variant));
      yield { prepared, place, variant: unclean ? null : variant };
    }
  }
}

/**
 * Injects every fault into the plans of one definition after the other until all are noticed. Plans
 * are executed without the fault first: what is not clean then is counted in `unclean` and left out.
 */
export function catchFaults(
  faults: readonly CompilerFault[],
  subjects: Iterable<Subject>,
  profiles: readonly DeviceProfile[],
): { readonly records: readonly FaultRecord[]; readonly unclean: number } {
  const records = faults.map((fault): FaultRecord => ({ fault, applied: 0, caught: null }));
  let unclean = 0;
  for (const trial of trials(subjects, profiles)) {
    const { variant } = trial;
    const open = records.filter((r) => r.caught === null);
    if (open.length === 0) break;
    if (variant === null) unclean += 1;
    else for (const record of open) tryFault(record, trial, variant);
  }
  return { records, unclean };
}
