import { expect, it } from "vitest";
import { checkSource, compileChecked } from "../../playground/src/compile/compile-source.ts";
import { runReference, verifyOutputs } from "../../playground/src/run/reference.ts";
import type { RunJob } from "../../playground/src/worker-protocol.ts";
import { matmul } from "./support/page.ts";

const sizes = { M: 4, K: 3, N: 5 };

function jobOf(): RunJob {
  const job = { source: matmul, def: null, sizes, shapes: {}, options: "", profile: "baseline" };
  const { compiled } = compileChecked(job, checkSource(job), null).answer;
  if (compiled === null) throw new Error("it does not compile");
  return { source: matmul, def: "mm", sizes, plan: compiled.plan, inputs: {} };
}

it("the reference computes as much as it may, and says how much that is", () => {
  const job = jobOf();
  expect(runReference(job, 1000)).toMatchObject([{ name: "C", type: "float32", shape: [4, 5] }]);
  expect(() => runReference(job, 50)).toThrow("more than 50 loop iterations");
});

it("what results are compared with is the reference, where all of it is known", () => {
  const job = jobOf();
  const outputs = runReference(job, 1000);
  const whole = verifyOutputs(job, outputs, 10_000);
  expect(whole.verification).toMatchObject({ decision: "right", compared: 20 });
  expect(whole.expected).toEqual(outputs);
  const part = verifyOutputs(job, outputs, 40);
  expect(part.verification.compared).toBeLessThan(20);
  expect(part.expected).toEqual([]);
});
