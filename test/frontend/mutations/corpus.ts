import { readdirSync, readFileSync } from "node:fs";
import { explanationPages } from "../../../src/diagnostics/explain.ts";
import { accesses } from "../../meaning/accesses.ts";
import { elements } from "../../meaning/elements.ts";
import { loopsAndRanges } from "../../meaning/loops-and-ranges.ts";
import { sourceOf } from "../../meaning/snippet.ts";

const root = new URL("../../../", import.meta.url);

function filesIn(folder: string): readonly string[] {
  return readdirSync(new URL(folder, root))
    .filter((name) => name.endsWith(".tc"))
    .sort()
    .map((name) => readFileSync(new URL(`${folder}${name}`, root), "utf8"));
}

/** Programs, good and bad: examples, goldens of messages, pages of codes, programs with a meaning. */
export function mutationCorpus(): readonly string[] {
  const pages = Object.values(explanationPages).flatMap((page) =>
    page === undefined ? [] : [page.bad, page.good],
  );
  const programs = [
    ...filesIn("examples/"),
    ...filesIn("test/errors/"),
    ...pages.map((example) => (typeof example === "string" ? example : example.source)),
    ...[...loopsAndRanges, ...elements, ...accesses].map((snippet) => {
      const sizes = Object.entries(snippet.sizes ?? {}).map(([name, value]) => `${name}=${value}`);
      return `${sizes.length === 0 ? "" : `#! sizes ${sizes.join(" ")}\n`}${sourceOf(snippet)}`;
    }),
  ];
  // Those about calls that multiply take seconds each.
  return programs.filter((source) => source.split(/^def /m).length <= 8);
}
