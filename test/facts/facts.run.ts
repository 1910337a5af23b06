/** All goldens of facts: compared, or with `FACTS_UPDATE` written anew. See scripts/facts. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { families, goldenPath, heading, linesOf, programs } from "./entries.ts";

const only = process.env["FACTS_FAMILIES"]?.split(",");

test.each(families.filter((family) => only?.includes(family) ?? true))("facts on %s", (family) => {
  const lines = programs.flatMap((program) => linesOf(program, family));
  const text = `${[heading, ...lines].join("\n")}\n`;
  const path = goldenPath(family);
  if (process.env["FACTS_UPDATE"] === undefined) {
    expect(text).toBe(readFileSync(path, "utf8"));
    return;
  }
  mkdirSync("test/golden/facts", { recursive: true });
  writeFileSync(path, text);
});
