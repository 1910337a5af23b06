/**
 * One meaning, three executions: a definition is interpreted as a program, its plans are executed by
 * the kernel interpreter, which must find no fault, and by a device; all must agree.
 */

import { interpretPlan } from "../../src/codegen/interpret-kernel/interpret-plan.ts";
import { verifyKernel } from "../../src/codegen/verify-kernel/verify-kernel.ts";
import { lowerSource } from "../../src/compile.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { padTensors } from "../../src/ir/apply-layouts.ts";
import { expectOutputs } from "../../src/ir/interpret/expect-outputs.ts";
import { type Expected, judge, type Verdict } from "../../src/ir/interpret/judge.ts";
import { verifySchedule } from "../../src/ir/legality/verify-schedule.ts";
import type { Program } from "../../src/ir/program.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import type { DeviceProfile } from "../../src/support/device-profile.ts";
import type { Mapping } from "../../src/support/mapping-file.ts";
import type { TensorData } from "../../src/support/scalar-type.ts";
import type { TcCase } from "./generate-tc.ts";
import { drawInputs, type Inputs } from "./inputs.ts";
import { makeVariant, nameWay, type Variant, type Way } from "./variants.ts";

/** Where something went wrong. */
export type Stage = "front end" | "mapping" | "schedule" | "kernel" | "interpreter" | "device";

export interface Failure {
  readonly stage: Stage;
  /** The way of mapping and the profile; absent in the front end. */
  readonly mapping?: Way;
  readonly variant?: Variant;
  readonly profile?: DeviceProfile;
  /** The answers that the mapping got. */
  readonly options?: Mapping;
  readonly detail: string;
}

/** A definition that the front end took, with what it means for its inputs. */
export interface Prepared {
  readonly tcCase: TcCase;
  readonly program: Program;
  readonly inputs: Inputs;
  readonly expected: readonly Expected[];
}

/** What an output should be. */
export function valuesOf({ expected }: Prepared, output: string): Float64Array {
  const found = expected.find(({ name }) => name === output);
  if (found === undefined) throw new Error(`no output ${output}`);
  return found.values;
}

export type Preparation =
  | { readonly kind: "prepared"; readonly prepared: Prepared }
  | { readonly kind: "refused"; readonly diagnostics: readonly Diagnostic[] }
  | { readonly kind: "failed"; readonly failure: Failure };

/** What an execution was worth: how close it was. */
export interface Agreement {
  readonly worst: number;
  readonly ambiguous: number;
  readonly compared: number;
}

/** The front end and the reference. */
export function prepareCase(tcCase: TcCase): Preparation {
  try {
    const lowered = lowerSource(tcCase.source, { sizes: tcCase.sizes });
    if (!lowered.ok) return { kind: "refused", diagnostics: lowered.diagnostics };
    // Every other definition is for memory with padding, which all tensors have that a run makes.
    const program = tcCase.inputSeed % 2 === 0 ? lowered.program : padTensors(lowered.program);
    const inputs = drawInputs(program, tcCase.population, tcCase.inputSeed);
    const expected = expectOutputs(program, inputs, { bounds: tcCase.population === "reals" });
    return { kind: "prepared", prepared: { tcCase, program, inputs, expected } };
  } catch (error) {
    return { kind: "failed", failure: { stage: "front end", detail: messageOf(error) } };
  }
}

/** The message of what was thrown, with the place in our code. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const places = (error.stack ?? "").split("\n").filter((line) => line.includes("/src/"));
  return [error.message, ...places.slice(0, 4)].join("\n");
}

function placeOf(variant: Variant): Pick<Failure, "mapping" | "variant" | "profile" | "options"> {
  const { mapping, profile, options } = variant;
  return { mapping, profile, options, variant };
}

/** Maps a program; what the schedule verifier or the kernel verifier says against it is a failure. */
export function mapCase(
  { program }: Prepared,
  profile: DeviceProfile,
  mapping: Way,
): Variant | Failure {
  try {
    const variant = makeVariant(program, profile, mapping);
    const place = placeOf(variant);
    const { mapped, plan } = variant;
    const [illegal] = verifySchedule(mapped.program, mapped.schedule);
    if (illegal !== undefined) {
      return { stage: "schedule", ...place, detail: `${illegal.kind}: ${illegal.message}` };
    }
    const bad = plan.kernels.flatMap(({ kernel }) => verifyKernel(kernel, profile));
    if (bad.length > 0) return { stage: "kernel", ...place, detail: bad.join("\n") };
    return variant;
  } catch (error) {
    return { stage: "mapping", mapping, profile, detail: messageOf(error) };
  }
}

/** What is wrong with outputs, in words; null when nothing is. */
export function describeMismatch({ decision, wrong, faults }: Verdict): string | null {
  if (decision !== "wrong") return null;
  const elements = wrong.map(
    (m) => `${m.tensor}[${m.element}]: ${m.found} instead of ${m.expected} (allowed ${m.allowed})`,
  );
  return [...faults, ...elements].slice(0, 4).join("\n");
}

function agreementOf(
  stage: Stage,
  prepared: Prepared,
  variant: Variant,
  outputs: Readonly<Record<string, TensorData>>,
  faults: readonly string[],
): Agreement | Failure {
  const verdict = judge(prepared.expected, outputs);
  const wrong = describeMismatch(verdict);
  const details = wrong === null ? faults : [...faults, wrong];
  if (details.length === 0) return verdict;
  return { stage, ...placeOf(variant), detail: details.slice(0, 4).join("\n") };
}

/** Executes a plan by the kernel interpreter: no race, no access out of bounds, no unset value. */
export function executeInterpreted(prepared: Prepared, variant: Variant): Agreement | Failure {
  try {
    const { outputs, faults } = interpretPlan(variant.plan, prepared.inputs);
    const messages = faults.map((f) => `${f.kind} in ${f.kernel} at ${f.path}: ${f.message}`);
    return agreementOf("interpreter", prepared, variant, outputs, messages);
  } catch (error) {
    return { stage: "interpreter", ...placeOf(variant), detail: messageOf(error) };
  }
}

/** Executes a plan on a device. */
export async function executeOnDevice(
  prepared: Prepared,
  variant: Variant,
  runtime: Runtime,
): Promise<Agreement | Failure> {
  try {
    using loaded = await runtime.load(variant.plan);
    const tensors = await loaded.run(prepared.inputs);
    const outputs: Record<string, TensorData> = {};
    for (const [name, tensor] of Object.entries(tensors)) {
      outputs[name] = await tensor.read();
      tensor.dispose();
    }
    return agreementOf("device", prepared, variant, outputs, []);
  } catch (error) {
    return { stage: "device", ...placeOf(variant), detail: messageOf(error) };
  }
}

/** True for what went wrong. */
export function isFailure(result: object): result is Failure {
  return "stage" in result;
}

/** For messages: where a failure happened. */
export function describeFailure(tcCase: TcCase, failure: Failure): string {
  const way = failure.mapping === undefined ? "" : `, ${nameWay(failure.mapping)}`;
  const profile = failure.profile === undefined ? "" : ` on ${failure.profile.name}`;
  return `${tcCase.name}: ${failure.stage}${way}${profile}\n${failure.detail}`;
}
