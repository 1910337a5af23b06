import { didYouMean } from "../support/edit-distance.ts";
import type { CompileResult } from "./api.ts";
import type { Reporter } from "./reporter.ts";

type Compiled = Extract<CompileResult, { ok: true }>;

/** Unknown paths that are told one by one. */
const mostWarnings = 20;
const longestPath = 80;

function shortened(path: string): string {
  return path.length > longestPath ? `${path.slice(0, longestPath)}...` : path;
}

/** Warns of what a file of options asked for and did not get. */
export function warnOfOptions(report: Reporter, compiled: Compiled): void {
  const { decisions, repairs, unusedChoices } = compiled;
  const paths = decisions.map(({ path }) => path);
  for (const { path, asked, used } of repairs) {
    const offered = decisions.find((decision) => decision.path === path)?.values ?? [];
    report.warning(
      "options",
      `option ${path}: ${asked} is not legal here, used ${used}`,
      offered.length === 0 ? "leave it out" : `choose one of ${offered.join(", ")}`,
    );
  }
  for (const path of unusedChoices.slice(0, mostWarnings)) {
    const meant = didYouMean(path, paths);
    report.warning(
      "options",
      `option ${shortened(path)}: no decision has this path here`,
      meant === undefined ? "--emit options shows all paths" : `did you mean ${meant}?`,
    );
  }
  const more = unusedChoices.length - mostWarnings;
  if (more <= 0) return;
  const what = `${more} more options have paths that no decision has here`;
  report.warning("options", what, "--emit options shows all paths");
}

/** Tells people who want to know more, and programs, what was decided. */
export function tellDecisions(report: Reporter, verbose: boolean, compiled: Compiled): void {
  if (!verbose) return;
  const { decisions, options } = compiled;
  const width = Math.max(0, ...decisions.map(({ path }) => path.length));
  for (const { path, values, default: fallback } of decisions) {
    const chosen = Object.hasOwn(options.choices, path) ? options.choices[path] : fallback;
    const marks = chosen === fallback ? "" : `, not ${fallback}`;
    report.detail(`${path.padEnd(width)}  ${chosen}${marks}  of ${values.join(" | ")}`);
    report.record("decision", { path, chosen, default: fallback, values });
  }
}
