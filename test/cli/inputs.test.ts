/** The tensors that a plan takes, and what to write for those that are missing. */
import { describe, expect, test } from "vitest";
import type { Plan, PlanBuffer } from "../../src/cli/api.ts";
import { parseInput } from "../../src/cli/generators.ts";
import { bindInputs, openInputs } from "../../src/cli/inputs.ts";
import { elementTypes } from "../../src/support/scalar-type.ts";
import { execute, world } from "./fakes.ts";

describe("for an input that is missing", () => {
  const buffers = elementTypes.flatMap((type): readonly PlanBuffer[] => [
    { name: "x", role: "input", type, shape: [50] },
    { name: "x", role: "inout", type, shape: [] },
  ]);

  test.each(buffers)("of type $type and shape $shape what is proposed fits", async (buffer) => {
    const plan: Plan = { name: "f", buffers: [buffer], kernels: [] };
    const missing = bindInputs(plan, {}, []);
    const next = missing.ok ? "" : missing.failure.next;
    const proposed = /--in 'x=(.*)'/.exec(next)?.[1] ?? "";
    const spec = parseInput("x", proposed);
    if (!spec.ok) throw new Error(spec.failure.message);
    const opened = await openInputs(world().io, { x: spec.value }, {});
    if (!opened.ok) throw new Error(opened.failure.message);
    expect(bindInputs(plan, opened.value, [])).toMatchObject({ ok: true });
  });
});

test("where sizes do not fit, the shapes of files are told", async () => {
  const header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }".padEnd(117);
  const bytes = new Uint8Array(128 + 24);
  bytes.set(Buffer.from(`\x93NUMPY\x01\x00\x76\x00${header}\n`, "latin1"));
  const files = { "a.tc": "def scale\nerror: one", "a.npy": bytes };
  const { code, err } = await execute("run a.tc --in A=a.npy,s=1", files);
  expect([code, err]).toEqual([
    1,
    "a.tc:1:1: error: one\nnote: A is a.npy: (2, 3)\n1 error in a.tc\n",
  ]);
});
