/** The float64 reference: what a program means, computed on the CPU within a budget. */
import { type HostTensors, interpret, type PlanBuffer, verify } from "../../../src/index.ts";
import type { RunJob, TensorValue, VerifyAnswer } from "../worker-protocol.ts";
import { hostInputs } from "./executor.ts";
import { makeInputs } from "./inputs.ts";

/** The outputs of a job, computed by the reference; fails where that takes more than `maxPoints` loop iterations. */
export function runReference(
  { plan: { buffers }, inputs, source, def, sizes }: RunJob,
  maxPoints: number,
): readonly TensorValue[] {
  const { tensors } = makeInputs(buffers, inputs);
  return outputsOf(buffers, interpret(source, hostInputs(tensors), { def, sizes, maxPoints }));
}

/** Compares outputs with the reference; all of them where the budget allows it. */
export function verifyOutputs(
  { plan: { buffers }, inputs, source, def, sizes }: RunJob,
  outputs: readonly TensorValue[],
  maxPoints: number,
): VerifyAnswer {
  const { tensors } = makeInputs(buffers, inputs);
  const request = { def, sizes, maxPoints, reference: true };
  const found = verify(source, hostInputs(tensors), hostInputs(outputs), request);
  const { reference = {}, ...verification } = found;
  return { verification, expected: outputsOf(buffers, reference) };
}

/** The results among the buffers of a definition, as far as they are known. */
function outputsOf(buffers: readonly PlanBuffer[], known: HostTensors): readonly TensorValue[] {
  const results = buffers.filter(({ role }) => role === "output" || role === "inout");
  return results.flatMap(({ name, type }) => {
    const found = Object.hasOwn(known, name) ? known[name] : undefined;
    return found === undefined ? [] : [{ name, type, ...found }];
  });
}
