/**
 * Decisions: the questions that turning a program into a schedule asks, and Options: the answers.
 *
 * A Decision has a path made of roles (`kernel0.p1.workgroup`), never of sizes or source names, the
 * values that are legal here, and a default. Options hold only the answers that differ from the
 * default; an answer that is not legal here is repaired to the nearest legal one and reported. The
 * tree of decisions that were asked is the search space of a tuner.
 */

/** An answer. */
export type Choice = number | string | boolean;

export interface Decision {
  readonly path: string;
  /** Never empty; numbers ascending. */
  readonly values: readonly Choice[];
  readonly default: Choice;
}

/**
 * What is taken together: `none` keeps every statement on its own, in a kernel of its own; `all`
 * takes together whatever is legal; with `auto` a cost model decides.
 */
export type Fuse = "auto" | "none" | "all";

/** The values of {@link Fuse}. */
export const fuseValues: readonly Fuse[] = ["auto", "none", "all"];

/** Answers by path: plain data, kept and shared as JSON. */
export interface Options {
  readonly version: 1;
  /** Answers the decisions of fusion that `choices` does not; `auto` when left out. */
  readonly fuse?: Fuse;
  readonly choices: Readonly<Record<string, Choice>>;
}

/** A choice of the options that was not legal, and what stands for it. */
export interface Repair {
  readonly path: string;
  readonly asked: Choice;
  readonly used: Choice;
}

/** Answers decisions one after the other and remembers what was asked. */
export interface Decider {
  /**
   * The answer to a decision: one of `values`. One that `fuses` takes statements apart by its first
   * value and together by its last.
   */
  decide<T extends Choice>(path: string, values: readonly T[], fallback: T, fuses?: boolean): T;
  /**
   * Says that a combination of answers was not legal: what stands for it is the answer now. Reported if
   * someone gave the answer; that of a default becomes the default itself, as long as nobody gave any.
   */
  repair(path: string, asked: Choice, used: Choice): void;
  /** Forgets what was asked, and repaired, from the `from`-th question on. */
  rewind(from: number): void;
  /**
   * Rewinds, and asks again: each answer is the first value, the plainest. Reports the answers that
   * differ from those of the first time.
   */
  askPlainly<T>(from: number, ask: () => T): T;
  /** What was asked so far, with the answers. */
  readonly asked: readonly { readonly decision: Decision; readonly answer: Choice }[];
  readonly repairs: readonly Repair[];
}

/** No answer differs from its default. */
export const defaultOptions: Options = { version: 1, choices: {} };

function nearest<T extends Choice>(values: readonly T[], asked: Choice, fallback: T): T {
  if (typeof asked !== "number") return fallback;
  let best = fallback;
  let distance = Infinity;
  for (const value of values) {
    const d = typeof value === "number" ? Math.abs(Math.log2((value + 1) / (asked + 1))) : Infinity;
    if (d < distance) [best, distance] = [value, d];
  }
  return best;
}

/** What `fuse` answers to a decision of fusion; undefined if it does not say. */
function fusing<T extends Choice>(values: readonly T[], fuse: Fuse = "auto"): T | undefined {
  if (fuse === "auto") return undefined;
  return fuse === "none" ? values[0] : values.at(-1);
}

/** A decision that was asked, its answer, and whether someone gave one. */
interface Answered {
  readonly decision: Decision;
  readonly answer: Choice;
  readonly given: boolean;
}

/** An answer that nobody gave is the default. */
function answered(decision: Decision, answer: Choice, given: boolean): Answered {
  return { decision: given ? decision : { ...decision, default: answer }, answer, given };
}

/**
 * Answers from options, else by `choose` (the default's value when left out; a random draw in
 * tests).
 */
export function decider(options: Options, choose?: (decision: Decision) => Choice): Decider {
  const asked: Answered[] = [];
  const repairs: Repair[] = [];
  let isGivenAny = false;
  /** What was answered before, while everything is asked again plainly. */
  let before: ReadonlyMap<string, Answered> | null = null;
  const repair = (path: string, wanted: Choice, used: Choice): void => {
    const at = asked.findIndex(({ decision }) => decision.path === path);
    const entry = asked[at];
    if (entry?.given === true) repairs.push({ path, asked: wanted, used });
    if (entry === undefined) return;
    asked[at] = { ...answered(entry.decision, used, isGivenAny), given: entry.given };
  };
  /** What someone answers to a decision; undefined for the default. */
  const givenTo = (
    decision: Decision,
    values: readonly Choice[],
    fuses: boolean,
  ): Choice | undefined => {
    const fused = fuses ? fusing(values, options.fuse) : undefined;
    const chosen = options.choices[decision.path] ?? fused;
    if (chosen !== undefined || before === null) return chosen ?? choose?.(decision);
    const earlier = before.get(decision.path);
    return earlier?.given === true ? earlier.answer : undefined;
  };
  const decide: Decider["decide"] = (path, values, fallback, fuses = false) => {
    const decision: Decision = { path, values, default: fallback };
    const given = givenTo(decision, values, fuses);
    isGivenAny ||= given !== undefined;
    const drawn = given ?? fallback;
    const legal = values.find((v) => v === drawn) ?? nearest(values, drawn, fallback);
    const answer = before === null ? legal : (values[0] ?? fallback);
    if (given !== undefined && answer !== given) repairs.push({ path, asked: given, used: answer });
    asked.push(answered(decision, answer, given !== undefined));
    return answer;
  };
  const rewind = (from: number): void => {
    const forgotten = new Set(asked.splice(from).map(({ decision }) => decision.path));
    const kept = repairs.filter((r) => !forgotten.has(r.path));
    repairs.splice(0, repairs.length, ...kept);
  };
  const askPlainly = <T>(from: number, ask: () => T): T => {
    before = new Map(asked.slice(from).map((entry) => [entry.decision.path, entry]));
    rewind(from);
    const result = ask();
    before = null;
    return result;
  };
  return { decide, repair, rewind, askPlainly, asked, repairs };
}

/** The options that reproduce a decider's answers: those that differ from their defaults. */
export function optionsOf(decisions: Pick<Decider, "asked">): Options {
  const choices: Record<string, Choice> = {};
  for (const { decision, answer } of decisions.asked) {
    if (answer !== decision.default) choices[decision.path] = answer;
  }
  return { version: 1, choices };
}
