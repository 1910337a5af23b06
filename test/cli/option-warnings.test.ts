/** Options that nothing asks for are told in bounded output. */
import { expect, test } from "vitest";
import { warnOfOptions } from "../../src/cli/option-warnings.ts";

test("of many unknown paths the first are told, and how many more there are", () => {
  const warnings: string[] = [];
  const report = { warning: (_: string, message: string) => warnings.push(message) };
  const unusedChoices = Array.from({ length: 300_000 }, (_, n) => `${"x".repeat(1000)}${n}`);
  const compiled = { decisions: [], repairs: [], unusedChoices };
  warnOfOptions(report as never, compiled as never);
  expect(warnings).toHaveLength(21);
  expect(warnings.at(-1)).toBe("299980 more options are not as asked");
  expect(warnings.join("").length).toBeLessThan(5000);
});
