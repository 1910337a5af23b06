/** Every builtin function in a definition, in all executions and under several mappings. */
import { afterAll, expect, test } from "vitest";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { defined } from "../../src/support/assert.ts";
import { baselineProfile } from "../../src/support/device-profile.ts";
import { seededRandom } from "../../src/support/random.ts";
import { scalarFunctions } from "../../src/support/scalar-functions.ts";
import { describeFailure, prepareCase } from "./differential.ts";
import type { TcCase } from "./generate-tc.ts";
import { runPrepared } from "./run-case.ts";
import { createTally } from "./tally.ts";
import { waysFor } from "./variants.ts";

const runtime = await openRuntime();
afterAll(() => runtime.dispose());

/** Arguments, of which the inputs are in [-2, 2), where the function is defined. */
const domains: Readonly<Record<string, string>> = {
  asin: "0.5 * x(i, j)",
  acos: "0.5 * x(i, j)",
  atanh: "0.49 * x(i, j)",
  acosh: "fabs(x(i, j)) + 1.0",
  pow: "fabs(x(i, j)), z(i)",
  select: "x(i, j), z(i), x(i, j) < z(i)",
};

const positive: ReadonlySet<string> = new Set([
  "sqrt",
  "rsqrt",
  "log",
  "log2",
  "log10",
  "log1p",
  "tgamma",
  "lgamma",
]);

function argumentsOf(name: string, arity: number): string {
  if (positive.has(name)) return "fabs(x(i, j)) + 0.01";
  return domains[name] ?? ["x(i, j)", "z(i)", "x(i, j) * z(i)"].slice(0, arity).join(", ");
}

/** A definition whose results are the functions, and the sum of the last along a row. */
function definitionOf(names: readonly string[]): string {
  const lines = names.map((name) => {
    const arity = defined(scalarFunctions[name], name).arity;
    return `  y_${name}(i, j) = ${name}(${argumentsOf(name, arity)})`;
  });
  const last = names.at(-1) ?? "";
  const results = [...names.map((name) => `y_${name}`), "total"];
  return `def functions(float(M, N) x, float(M) z) -> (${results.join(", ")}) {
${lines.join("\n")}
  total(i) +=! float(y_${last}(i, j))
}`;
}

const names = Object.keys(scalarFunctions);
const groups = Array.from({ length: Math.ceil(names.length / 6) }, (_, n) =>
  names.slice(6 * n, 6 * n + 6),
);

test.each(groups.map((group) => [group.join(" "), group] as const))("%s", async (_, group) => {
  const seed = group.length + names.indexOf(group[0] ?? "");
  const tcCase: TcCase = {
    name: "functions",
    source: definitionOf(group),
    sizes: { M: 3, N: seededRandom(seed).integer(7, 12) },
    population: "reals",
    inputSeed: seed,
  };
  const preparation = prepareCase(tcCase);
  if (preparation.kind !== "prepared") throw new Error(JSON.stringify(preparation));
  const tally = createTally();
  const executions = { profiles: [baselineProfile], runtime, tally, plans: 2 };
  const failures = await runPrepared(preparation.prepared, executions, waysFor(seed));
  expect(failures.map((f) => describeFailure(tcCase, f))).toEqual([]);
  expect(tally.compared).toBeGreaterThan(0);
  expect(tally.ambiguous * 20).toBeLessThan(tally.compared);
});
