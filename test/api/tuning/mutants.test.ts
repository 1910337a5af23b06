/**
 * Kernels with a mistake do not pass the gates. CI makes a few of each class; `scripts/mutants` makes many, and prints
 * what caught each.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openRuntime, type Runtime } from "../../../src/node.ts";
import { kernelClasses } from "../../differential/kernel-classes.ts";
import { given } from "../../support/given.ts";
import { type Mutant, mutantsOf } from "./support/mutants.ts";

const { TC_MUTANTS: asked } = process.env;
const count = asked === undefined ? 1 : Number(asked);
/** One for each class of landscapes, and what scatters and packs; the others differ from these by little. */
const everyTime =
  /^(matrix product|convolution with|softmax|sum of every|running|transposition|histogram|gathered)/;
const classes = kernelClasses.filter(({ name }) => asked !== undefined || everyTime.test(name));
const all: Mutant[] = [];

let runtime: Runtime;
beforeAll(async () => {
  runtime = await openRuntime();
});
afterAll(() => {
  const total = (fate: Mutant["fate"]): number => all.filter((m) => m.fate === fate).length;
  const gates = all.flatMap(({ fate, by }) => (fate === "caught" ? [by.split(":")[0] ?? ""] : []));
  const byGate = [...new Set(gates)].map(
    (gate) => `${gate} ${gates.filter((other) => other === gate).length}`,
  );
  console.log(
    `${total("caught")} mutants caught (${byGate.join(", ")}), ${total("survived")} survived; ${total("same")} were no mistakes, ${total("refused")} did not run`,
  );
  runtime.dispose();
});

test.each(classes.map((of, n) => [of.name, of, n] as const))(
  "mutants of %s",
  async (_, of, n) => {
    const found = await mutantsOf(runtime, of, given(), { count, seed: 100 + n });
    all.push(...found);
    const lines = found.flatMap(({ name, fate, by }) =>
      fate === "same" ? [] : [`${name}: ${fate} by ${by}`],
    );
    console.log(lines.join("\n"));
    expect(found.filter(({ fate }) => fate === "survived").map(({ name }) => name)).toEqual([]);
    expect(found.some(({ fate }) => fate === "caught")).toBe(true);
  },
  600_000,
);

test("barriers left out are caught, by the kernel interpreter where the device shows nothing", async () => {
  const rows = kernelClasses.filter(({ name }) => /^(?:softmax|two sums)/.test(name));
  const caught: Mutant[] = [];
  for (const of of rows) {
    const teams = given({ "kernels/$0/team": 16, "kernels/$0/combine": "tree" });
    const drawing = { count: 3, seed: 7, only: "a barrier left out" };
    caught.push(...(await mutantsOf(runtime, of, teams, drawing)));
  }
  all.push(...caught);
  console.log(caught.map(({ name, fate, by }) => `${name}: ${fate} by ${by}`).join("\n"));
  expect(caught.filter(({ fate }) => fate === "caught").length).toBeGreaterThan(2);
  expect(caught.filter(({ fate }) => fate === "survived")).toEqual([]);
}, 600_000);
