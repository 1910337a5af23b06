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

/** What became of a fault. */
export interface FaultRecord {
  readonly fault: CompilerFault;
  /** Plans that it changed before it was noticed. */
  applied: number;
  /** How it was noticed, for example `race` or `wrong result`; null if it was not. */
  caught: { readonly by: string; readonly tcCase: TcCase } | null;
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

function tryFault(record: FaultRecord, prepared: Prepared, variant: Variant): void {
  const symptom = symptomOf({ program: prepared.program, variant }, prepared, record.fault);
  if (symptom === undefined) return;
  record.applied += 1;
  if (symptom !== null) record.caught = { by: symptom, tcCase: prepared.tcCase };
}

/** A definition under one mapping; null when something is wrong with it without any fault. */
interface Trial {
  readonly prepared: Prepared;
  readonly variant: Variant | null;
}

function* trials(cases: Iterable<TcCase>, profiles: readonly DeviceProfile[]): Generator<Trial> {
  for (const tcCase of cases) {
    const preparation = prepareCase(tcCase);
    if (preparation.kind !== "prepared") continue;
    const { prepared } = preparation;
    for (const profile of profilesFor(tcCase, profiles)) {
      for (const mapping of waysFor(tcCase.inputSeed)) {
        const variant = mapCase(prepared, profile, mapping);
        const unclean = isFailure(variant) || isFailure(executeInterpreted(prepared, variant));
        yield { prepared, variant: unclean ? null : variant };
      }
    }
  }
}

/**
 * Injects every fault into the plans of one definition after the other until all are noticed. Plans
 * are executed without the fault first: what is not clean then is counted in `unclean` and left out.
 */
export function catchFaults(
  faults: readonly CompilerFault[],
  cases: Iterable<TcCase>,
  profiles: readonly DeviceProfile[],
): { readonly records: readonly FaultRecord[]; readonly unclean: number } {
  const records = faults.map((fault): FaultRecord => ({ fault, applied: 0, caught: null }));
  let unclean = 0;
  for (const { prepared, variant } of trials(cases, profiles)) {
    const open = records.filter((r) => r.caught === null);
    if (open.length === 0) break;
    if (variant === null) unclean += 1;
    else for (const record of open) tryFault(record, prepared, variant);
  }
  return { records, unclean };
}
