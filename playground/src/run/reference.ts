/** The float64 reference: what a program means, computed on the CPU within a budget. */
import { interpret, type PlanBuffer, verify } from "../../../src/index.ts";
import { CallFailure } from "../call-failure.ts";
import type { RunJob, TensorValue, VerifyAnswer } from "../worker-protocol.ts";
import { hostInputs } from "./executor.ts";
import { makeInputs } from "./inputs.ts";

/** The outputs of a job, computed by the reference. */
export function runReference(job: RunJob): readonly TensorValue[] {
  const { tensors } = makeInputs(job.plan.buffers, job.inputs);
  const { source, def, sizes } = job;
  const outputs = interpret(source, hostInputs(tensors), { def, sizes });
  return resultsOf(job.plan.buffers).map(({ name, type }) => {
    const found = Object.hasOwn(outputs, name) ? outputs[name] : undefined;
    if (found === undefined) throw new CallFailure(`the reference gave no ${name}`, "");
    return { name, type, shape: found.shape, data: found.data };
  });
}

/** Compares outputs with the reference; all of them where the budget allows it. */
export function verifyOutputs(
  job: RunJob,
  outputs: readonly TensorValue[],
  maxPoints: number,
): VerifyAnswer {
  const { tensors } = makeInputs(job.plan.buffers, job.inputs);
  const { source, def, sizes } = job;
  const request = { def, sizes, maxPoints };
  const verification = verify(source, hostInputs(tensors), hostInputs(outputs), request);
  const whole = verification.compared + verification.ambiguous >= verification.total;
  return { verification, expected: whole ? runReference(job) : null };
}

/** The results of a definition among its buffers. */
export function resultsOf(buffers: readonly PlanBuffer[]): readonly PlanBuffer[] {
  return buffers.filter(({ role }) => role === "output" || role === "inout");
}
