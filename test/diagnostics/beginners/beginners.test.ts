import { expect, test } from "vitest";
import { check } from "../../../src/api/check.ts";
import { renderDiagnostics } from "../../../src/diagnostics/render.ts";
import { beginnerMistakes } from "./mistakes.ts";

test("what beginners are told, read as they would; `-u` writes it anew", async () => {
  const texts = beginnerMistakes.map(({ habit, source }) => {
    const { diagnostics } = check(source);
    return `## ${habit}\n\n${renderDiagnostics(diagnostics, { source })}`;
  });
  await expect(texts.join("\n")).toMatchFileSnapshot("./messages.txt");
});
