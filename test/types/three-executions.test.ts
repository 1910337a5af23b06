import { afterAll, beforeAll, expect, test } from "vitest";
import { lowerSource } from "../../src/compile.ts";
import { expectOutputs } from "../../src/ir/interpret/expect-outputs.ts";
import { elementTypeOf, type Program } from "../../src/ir/program.ts";
import { verifyProgram } from "../../src/ir/verify-program/verify-program.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";
import { type Random, seededRandom } from "../../src/support/random.ts";
import {
  allocate,
  type ElementType,
  elementCount,
  integerRange,
  isFloat,
  isNarrowInteger,
  toElement,
} from "../../src/support/scalar-type.ts";
import { describeFailure, type Prepared } from "../differential/differential.ts";
import type { Inputs } from "../differential/inputs.ts";
import { halfProfile, runPrepared } from "../differential/run-case.ts";
import { createTally, type Tally } from "../differential/tally.ts";
import { waysFor } from "../differential/variants.ts";
import { drawn } from "../support/sweep.ts";
import { anyType, floats, type TypedProgram } from "./programs.ts";

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

function drawElement(random: Random, type: ElementType, whole: boolean): number {
  if (isFloat(type)) {
    return toElement(type)(whole ? random.integer(-3, 5) : 4 * random.next() - 2);
  }
  if (!isNarrowInteger(type)) return random.integer(-2, 8);
  const [least, greatest] = integerRange(type);
  if (random.chance(0.2)) return random.pick([least, greatest]);
  return random.integer(least, greatest + 1);
}

function drawInputs(program: Program, whole: boolean, seed: number): Inputs {
  const random = seededRandom(seed);
  const supplied = program.tensors.filter((t) => t.role === "input" || t.role === "inout");
  return Object.fromEntries(
    supplied.map((t) => {
      const data = allocate(elementTypeOf(t), elementCount(t.shape));
      for (let n = 0; n < data.length; n++) data[n] = drawElement(random, elementTypeOf(t), whole);
      return [t.name, data];
    }),
  );
}

function prepare(
  { name, source }: TypedProgram,
  type: ElementType,
  sizes: Readonly<Record<string, number>>,
  whole: boolean,
): Prepared {
  const text = source.replace(/\bT\b/g, type);
  const lowered = lowerSource(text, { sizes });
  if (!lowered.ok) throw new Error(`${name} is refused: ${JSON.stringify(lowered.diagnostics)}`);
  const { program } = lowered;
  expect(verifyProgram(program)).toEqual([]);
  const inputSeed = elementCount(Object.values(sizes)) + name.length;
  const inputs = drawInputs(program, whole, inputSeed);
  const population = whole ? "integers" : "reals";
  const tcCase = {
    name: `${name} of ${type}`,
    source: text,
    sizes,
    population,
    inputSeed,
  } as const;
  return { tcCase, program, inputs, expected: expectOutputs(program, inputs, { bounds: !whole }) };
}

/** All that goes wrong: on the device as it is, and by the interpreter alone with native float16. */
async function run(prepared: Prepared, tally: Tally): Promise<readonly string[]> {
  const mappings = waysFor(prepared.tcCase.inputSeed);
  const profiles = [baselineProfile, runtime.profile];
  const plans = drawn(1, 2);
  const real = { profiles, runtime, tally, plans };
  const failures = [...(await runPrepared(prepared, real, mappings))];
  if (prepared.tcCase.source.includes("float16")) {
    const native = { profiles: [halfProfile], runtime: null, tally, plans };
    failures.push(...(await runPrepared(prepared, native, mappings)));
  }
  return failures.map((failure) => describeFailure(prepared.tcCase, failure));
}

/** Types of one size and kind take every second program each. */
const cases = [...anyType, ...floats].flatMap((program, n) => {
  const integers: readonly ElementType[] = n % 2 === 0 ? ["int8", "uint16"] : ["uint8", "int16"];
  const types = floats.includes(program) ? [] : integers;
  return [...types, "float16" as const].map((type) => [program.name, type, program] as const);
});

test.each(cases)("%s of %s agrees in three executions", async (name, type, program) => {
  const tally = createTally();
  const populations = type !== "float16" ? [true] : name === "softmax" ? [false] : [true, false];
  for (const sizes of program.sizes) {
    for (const whole of populations) {
      expect(await run(prepare(program, type, sizes, whole), tally)).toEqual([]);
    }
  }
  expect(tally.compared).toBeGreaterThan(0);
  expect(tally.ambiguous).toBeLessThan(tally.compared / 4);
});
