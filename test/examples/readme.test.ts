import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Step } from "../../src/codegen/plan.ts";
import { compile } from "../../src/compile.ts";

const folder = new URL("../../examples/", import.meta.url);
const readme = readFileSync(new URL("README.md", folder), "utf8");

/** A row of a table: the name, what stands between, and the number of dispatches. */
const row = /^(\| \[(\w+)\]\(\w+\.tc\) *\|.*\| )(\d+ *)(\|)$/gm;

function dispatches(steps: readonly Step[]): number {
  let count = 0;
  for (const step of steps) {
    if (step.kind === "dispatch") count += 1;
    else if (step.kind === "repeat") count += step.extent * dispatches(step.body);
  }
  return count;
}

test("the tables name every example, with its file", () => {
  const named = [...readme.matchAll(row)].map(([, , name = ""]) => name);
  const files = readdirSync(folder).flatMap((file) =>
    file.endsWith(".tc") ? [file.slice(0, -3)] : [],
  );
  expect(named.toSorted()).toEqual(files);
  for (const name of named) expect(readme).toContain(`[${name}](${name}.tc)`);
});

test("the tables have the dispatches of the default options; `-u` brings them up to date", async () => {
  const rewritten = readme.replace(
    row,
    (_, before: string, name: string, cell: string, after: string) => {
      const compiled = compile(readFileSync(new URL(`${name}.tc`, folder), "utf8"));
      if (!compiled.ok) throw new Error(`${name} is refused`);
      return `${before}${String(dispatches(compiled.plan.steps)).padEnd(cell.length)}${after}`;
    },
  );
  await expect(rewritten).toMatchFileSnapshot("../../examples/README.md");
});
