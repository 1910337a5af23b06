/** The flags of tuning and of what compares times. */
import type { Effort } from "./api.ts";
import { failed, type Outcome, success } from "./failure.ts";
import { choice, readDuration, readPart, readWhole } from "./flag-values.ts";
import { effortNames, type FlagName } from "./flags.ts";

export interface TuningFlags {
  /** Null for that of the budget, else `quick`. */
  readonly effort: Effort | null;
  /** Milliseconds; null for those of the effort. */
  readonly budgetMs: number | null;
  readonly seed: number;
  /** Alternatives that are marked approximate take part. */
  readonly approximate: boolean;
  /** The file of records; null for the user's own. */
  readonly db: string | null;
  /** Where to write the report: a path that ends in `.html` or `.json`. */
  readonly reportTo: string | null;
  readonly optionsOut: string | null;
  /** Write the answer into the file of locked options. */
  readonly lock: boolean;
  /** Of `build`: take the options of that file. */
  readonly locked: boolean;
  /** Of `run`: tune first. */
  readonly tune: boolean;
  /** Times to compare with, and to write. */
  readonly compare: string | null;
  readonly save: string | null;
  /** The part of a time that it may grow by. */
  readonly failOver: number;
}

/** Reads them; `last` is the last value that was given for a flag. */
export function readTuningFlags(
  last: (name: FlagName) => string | null,
  has: (name: FlagName) => boolean,
): Outcome<TuningFlags> {
  const named = last("effort");
  const effort = named === null ? success(null) : choice("effort", named, effortNames);
  if (!effort.ok) return effort;
  const given = last("budget");
  const budget = given === null ? success(null) : readDuration("budget", given);
  if (!budget.ok) return budget;
  const seed = readWhole("seed", last("seed") ?? "1");
  if (!seed.ok) return seed;
  const failOver = readPart("fail-over", last("fail-over") ?? "5%");
  if (!failOver.ok) return failOver;
  const reportTo = last("report");
  if (reportTo !== null && !/\.(?:html|json)$/.test(reportTo)) {
    return failed(
      `--report ${reportTo}: reports are pages or JSON`,
      `write --report ${reportTo.replace(/\.\w+$/, "")}.html`,
    );
  }
  return success({
    effort: effort.value,
    budgetMs: budget.value,
    seed: seed.value,
    approximate: has("approximate"),
    db: last("db"),
    reportTo,
    optionsOut: last("options-out"),
    lock: has("lock"),
    locked: has("locked"),
    tune: has("tune"),
    compare: last("compare"),
    save: last("save"),
    failOver: failOver.value,
  });
}
