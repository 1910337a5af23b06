import type { CompileRequest, HostTensors, OutputVerification, Verification } from "./api.ts";
import type { CommandLine } from "./command-line.ts";
import type { Context } from "./context.ts";
import { type ExitKind, failed, type Outcome, success } from "./failure.ts";
import { plural } from "./reporter.ts";

/** What is wrong with asking for a verification on this command line; null if nothing is. */
export function refuseVerification(line: CommandLine): ReturnType<typeof failed> | null {
  if (line.verify && line.adapter === "reference") {
    return failed(
      "--verify would compare the reference with itself: --adapter reference runs it, too",
      "leave out --verify, or --adapter reference",
    );
  }
  const tolerance = (["rtol", "atol"] as const).find((flag) => line[flag] !== null);
  if (tolerance === undefined || line.verify) return null;
  return failed(
    `--${tolerance} is for --verify`,
    `write --verify --${tolerance} ${line[tolerance]}`,
  );
}

/**
 * Compares outputs with the reference, and says how much was compared, how large the error may be,
 * beside what values, and how large it is.
 *
 * An output with elements that rounding may decide either way is not decided, unless they are few; nor
 * is one of which nothing was compared. That is a failure of kind `undecided`, so that nobody takes it
 * for a success.
 */
export function verifyOutputs(
  { line, report, tools }: Context,
  source: string,
  request: CompileRequest,
  inputs: HostTensors,
  outputs: HostTensors,
): Outcome<ExitKind> {
  const { verifyBudgetMs: budgetMs, rtol, atol } = line;
  const found = tools.verify(source, inputs, outputs, request, { budgetMs, rtol, atol });
  report.record("verification", { ...found });
  const [first] = found.wrong;
  if (first !== undefined) {
    const place = `${first.tensor}[${first.index.join(", ")}]`;
    return failed(
      `wrong result: ${place} is ${first.found}, the reference ${first.expected} ` +
        `(allowed difference ${first.allowed.toExponential(2)}); compared ${extent(found)}`,
      "report it as a bug, with the source and the output of tc-compile info",
      "wrong",
    );
  }
  const doubt = found.outputs.find(({ decision }) => decision === "undecided");
  if (doubt !== undefined) return undecided(doubt, budgetMs, found);
  const [only, ...more] = found.outputs;
  const head = `verified ${extent(found)}`;
  if (only === undefined || more.length === 0) {
    report.note(only === undefined ? head : `${head}: ${figures(only)}`);
    return success("fine");
  }
  report.note(head);
  for (const output of found.outputs) report.note(`  ${output.name}: ${figures(output)}`);
  return success("fine");
}

function undecided(
  { name, total, ambiguous }: OutputVerification,
  budgetMs: number,
  found: Verification,
): ReturnType<typeof failed> {
  if (ambiguous === 0) {
    return failed(
      `not decided: the reference takes longer than ${budgetMs / 1000} s: nothing of ${name} was compared`,
      "give more time with --verify-budget, or smaller sizes",
      "undecided",
    );
  }
  const all = total === 1 ? "the only element" : `all ${total} elements`;
  const which = ambiguous === total ? all : `${ambiguous} of ${total} elements`;
  return failed(
    `not decided: rounding may decide ${which} of ${name} either way; compared ${share(found)}`,
    "give inputs whose values are farther apart, such as integers(1), or what is close enough " +
      "with --rtol and --atol",
    "undecided",
  );
}

/** `within 3e-6 of values around 0.8; measured 2e-7`, and what else is to be known. */
function figures(output: OutputVerification): string {
  const { compared, allowed, measured, scale, sampled, notFinite, notFiniteAlike } = output;
  if (output.total === 0) return "no elements";
  const parts =
    allowed === 0
      ? [`equal, values around ${short(scale)}`]
      : [
          `within ${short(allowed)} of values around ${short(scale)}`,
          `measured ${short(measured)}`,
        ];
  if (sampled > 0) {
    parts.push(`${sampled === compared ? "all" : sampled} judged by random rounding`);
  }
  if (notFinite > 0) {
    const alike = notFinite === notFiniteAlike ? "" : `${notFiniteAlike} of them `;
    parts.push(`not finite: ${notFinite}, ${alike}the same in both`);
  }
  return parts.join("; ");
}

/** Two digits: `0.83`, `3e-6`. */
function short(x: number): string {
  const size = Math.abs(x);
  if (size === 0 || (size >= 1e-3 && size < 1e6)) return String(Number(x.toPrecision(2)));
  return x.toExponential(1).replace(".0e", "e");
}

/** `all 204 elements`, or `12 of 2048 elements (0.59 %)`, with the reason. */
function extent({ compared, ambiguous, total }: Verification): string {
  if (compared === total) return `all ${plural(total, "element")}`;
  const part = share({ compared, total });
  const ties = ambiguous === 0 ? "" : `; rounding may decide ${ambiguous} either way`;
  const whole = compared + ambiguous === total;
  return whole ? part + ties : `a sample of ${part}, for which the budget sufficed${ties}`;
}

function share({ compared, total }: Pick<Verification, "compared" | "total">): string {
  return `${compared} of ${plural(total, "element")} (${short((100 * compared) / total)} %)`;
}
