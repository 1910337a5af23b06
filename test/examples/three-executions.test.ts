import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { lowerSource } from "../../src/compile.ts";
import { eachExpression } from "../../src/ir/expression.ts";
import { expectOutputs } from "../../src/ir/interpret/expect-outputs.ts";
import { type Interpretation, interpret } from "../../src/ir/interpret/interpret.ts";
import {
  elementTypeOf,
  findTensor,
  type Program,
  statementExpressions,
} from "../../src/ir/program.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";
import { defined } from "../../src/support/assert.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";
import { describeFailure, type Prepared } from "../differential/differential.ts";
import type { Population, TcCase } from "../differential/generate-tc.ts";
import { runPrepared } from "../differential/run-case.ts";
import { createTally, type Tally } from "../differential/tally.ts";
import { waysFor } from "../differential/variants.ts";
import { drawn } from "../support/sweep.ts";
import { drawInputs } from "./draw-inputs.ts";
import { references } from "./references/all-references.ts";
import type { Sizes } from "./references/plain.ts";

const folder = new URL("../../examples/", import.meta.url);

let runtime: Runtime;

beforeAll(async () => {
  runtime = await openRuntime();
});

afterAll(() => runtime.dispose());

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
  const typeOf = (input: string) => elementTypeOf(defined(findTensor(program, input), input));
  const inputs = drawInputs(reference, sizes, typeOf, { whole: integers });
  const temporaries = true;
  const exact = isRoundedAlike(program) && isExact(interpret(program, inputs, { temporaries }));
  if (integers && !exact) return null;
  const inputSeed =
    Object.keys(references).indexOf(name) + Object.values(sizes).reduce((a, b) => a + b, 0);
  const tcCase: TcCase = { name, source, sizes, population, inputSeed };
  return {
    tcCase,
    program,
    inputs,
    expected: expectOutputs(program, inputs, { bounds: !integers }),
  };
}

/** Maps in as many of the eight ways as are asked for in CI, in three of them in a sweep. */
async function run(
  prepared: Prepared,
  tally: Tally,
  seed: number,
  few: number,
): Promise<readonly string[]> {
  const profiles = [baselineProfile, runtime.profile];
  const executions = { profiles, runtime, tally, plans: drawn(few, 3) };
  const failures = await runPrepared(prepared, executions, waysFor(seed));
  return failures.map((failure) => describeFailure(prepared.tcCase, failure));
}

test.each(Object.keys(references))(
  "%s means the same in all three executions under all schedules",
  async (name) => {
    const tally = createTally();
    // The device runs one while the next is compiled.
    const all = (references[name]?.sizes ?? []).map((sizes, n) => {
      const prepared = defined(prepare(name, sizes, "reals") ?? undefined, name);
      return run(prepared, tally, 3 * n + 1, n === 1 ? 2 : 1);
    });
    expect((await Promise.all(all)).flat()).toEqual([]);
    const worst = tally.worst.toFixed(3);
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
    expect(await run(prepared, tally, 5, 1)).toEqual([]);
  }
  console.log(`bitwise: ${exact.join(", ")}`);
  expect(exact.length).toBeGreaterThanOrEqual(5);
});
