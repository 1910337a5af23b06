import { didYouMean } from "../support/edit-distance.ts";
import type { CompileResult } from "./api.ts";
import type { Reporter } from "./reporter.ts";

type Compiled = Extract<CompileResult, { ok: true }>;

/** The most warnings of one kind: who has more has given a file for something else. */
const mostWarnings = 20;

/** The longest path that is shown whole, and compared with others. */
const longestPath = 100;

function shown(text: string): string {
  return text.length <= longestPath ? text : `${text.slice(0, longestPath)}...`;
}

/** Warns of what a file of options asked for and did not get. */
export function warnOfOptions(report: Reporter, compiled: Compiled): void {
  const { decisions, repairs, unusedChoices } = compiled;
  const paths = decisions.map(({ path }) => path);
  for (const { path, asked, used, because } of repairs.slice(0, mostWarnings)) {
    const offered = decisions.find((decision) => decision.path === path)?.values ?? [];
    report.warning(
      "options",
      `option ${shown(path)}: ${shown(String(asked))} is not legal here, used ${used}`,
      because ?? (offered.length === 0 ? "leave it out" : `choose one of ${offered.join(", ")}`),
    );
  }
  for (const path of unusedChoices.slice(0, mostWarnings)) {
    const meant = path.length <= longestPath ? didYouMean(path, paths) : undefined;
    report.warning(
      "options",
      `option ${shown(path)}: there is nothing to choose at this path here`,
      meant === undefined ? "--emit options shows all paths" : `did you mean ${meant}?`,
    );
  }
  const more = [repairs, unusedChoices].reduce(
    (sum, list) => sum + Math.max(0, list.length - mostWarnings),
    0,
  );
  if (more > 0) {
    report.warning(
      "options",
      `${more} more options are not as asked`,
      "--emit options shows all paths",
    );
  }
}

/** Tells people who want to know more, and programs, what was decided. */
export function tellDecisions(report: Reporter, verbose: boolean, compiled: Compiled): void {
  if (!verbose) return;
  const { decisions } = compiled;
  const width = Math.max(0, ...decisions.map(({ path }) => path.length));
  for (const { path, values, value } of decisions) {
    report.detail(`${path.padEnd(width)}  ${value}  of ${values.join(" | ")}`);
    report.record("decision", { path, value, values });
  }
}
