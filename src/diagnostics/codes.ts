/**
 * Every diagnostic: its data, its text, its fix. TC1xxx syntax, TC2xxx names and types, TC3xxx
 * ranges and bounds, TC4xxx loops and in-place updates, TC5xxx limits of devices. Passes give the
 * data ({@link ProblemData}); no other folder has the words.
 */
import { limitTexts } from "./codes/limit-texts.ts";
import { loopTexts } from "./codes/loop-texts.ts";
import { nameTexts } from "./codes/name-texts.ts";
import type { Code, ProblemData, ProblemText } from "./codes/problem-data.ts";
import { rangeTexts } from "./codes/range-texts.ts";
import { syntaxTexts } from "./codes/syntax-texts.ts";

export type { Code, Fix, ProblemData, ProblemText } from "./codes/problem-data.ts";

/** The one table of messages. */
export const problemTexts: { readonly [C in Code]: ProblemText<ProblemData[C]> } = {
  ...syntaxTexts,
  ...nameTexts,
  ...rangeTexts,
  ...loopTexts,
  ...limitTexts,
};
