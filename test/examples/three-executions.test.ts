import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lowerSource } from "../../src/compile.ts";
import { eachExpression } from "../../src/ir/expression.ts";
import { type Interpretation, interpret } from "../../src/ir/interpret/interpret.ts";
import { findTensor, type Program, statementExpressions } from "../../src/ir/program.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { defined } from "../../src/support/assert.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";
import { seededRandom } from "../../src/support/random.ts";
import { allocate } from "../../src/support/scalar-type.ts";
import { describeFailure, type Prepared } from "../differential/differential.ts";
import type { Population, TcCase } from "../differential/generate-tc.ts";
import type { Inputs } from "../differential/inputs.ts";
import { runPrepared } from "../differential/run-case.ts";
import { createTally, type Tally } from "../differential/tally.ts";
import { mappingsFor } from "../differential/variants.ts";
import { type Reference, references, type Sizes } from "./reference.ts";

const folder = new URL("../../examples/", import.meta.url);

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

/** Values in the ranges that the example is made for; whole ones also where it takes reals. */
function drawExample(program: Program, reference: Reference, sizes: Sizes, whole: boolean): Inputs {
  const random = seededRandom(7);
  return Object.fromEntries(
    Object.entries(reference.inputs(sizes)).map(([name, input]) => {
      const type = findTensor(program, name)?.components[0] ?? "float32";
      const data = allocate(type, input.length);
      const { from, to } = input;
      for (let n = 0; n < data.length; n++) {
        if (input.whole === true) data[n] = random.integer(from, to);
        else data[n] = whole ? random.integer(-1, 3) : from + (to - from) * random.next();
      }
      return [name, data];
    }),
  );
}

/** True without quotients of floats, which devices round as they like. */
function isRoundedAlike(program: Program): boolean {
  return program.statements
    .flatMap((s) => [...statementExpressions(s)])
    .flatMap((e) => [...eachExpression(e)])
    .every((e) => e.kind !== "binary" || e.operator !== "/");
}

/** True when every float on the way is a whole number that float32 holds. */
function isExact({ tensors, complete }: Interpretation): boolean {
  const values = [...tensors.values()].flatMap((t) => [...t.components].flatMap((c) => [...c]));
  return complete && values.every((v) => Number.isInteger(v) && Math.abs(v) < 2 ** 22);
}

function prepare(name: string, sizes: Sizes, population: Population): Prepared | null {
  const reference = defined(references[name], name);
  const source = readFileSync(new URL(`${name}.tc`, folder), "utf8");
  const lowered = lowerSource(source, { sizes });
  if (!lowered.ok) throw new Error(`${name} is refused`);
  const { program } = lowered;
  const integers = population === "integers";
  const inputs = drawExample(program, reference, sizes, integers);
  const temporaries = true;
  const exact = isRoundedAlike(program) && isExact(interpret(program, inputs, { temporaries }));
  if (integers && !exact) return null;
  const tcCase: TcCase = { name, source, sizes, population, inputSeed: 7 };
  return { tcCase, program, inputs, reference: interpret(program, inputs, { bounds: !integers }) };
}

async function run(prepared: Prepared, tally: Tally, seed: number): Promise<readonly string[]> {
  const executions = { profiles: [baselineProfile, runtime.profile], runtime, tally, plans: null };
  const failures = await runPrepared(prepared, executions, mappingsFor(seed));
  return failures.map((failure) => describeFailure(prepared.tcCase, failure));
}

test.each(Object.keys(references))(
  "%s means the same in all three executions under all schedules",
  async (name) => {
    const tally = createTally();
    for (const [n, sizes] of (references[name]?.sizes ?? []).entries()) {
      const prepared = defined(prepare(name, sizes, "reals") ?? undefined, name);
      expect(await run(prepared, tally, 3 * n + 1)).toEqual([]);
    }
    const worst = tally.worstFraction.toFixed(3);
    console.log(`${name}: ${tally.plans} plans, ${worst} of the error bound used`);
    expect(tally.compared).toBeGreaterThan(0);
  },
);

test("examples with whole results agree bitwise", async () => {
  const tally = createTally();
  const exact: string[] = [];
  for (const [name, { sizes }] of Object.entries(references)) {
    const prepared = prepare(name, sizes[1] ?? {}, "integers");
    if (prepared === null) continue;
    exact.push(name);
    expect(await run(prepared, tally, 5)).toEqual([]);
  }
  console.log(`bitwise: ${exact.join(", ")}`);
  expect(exact.length).toBeGreaterThanOrEqual(5);
});
