import type { CompileRequest, HostTensors, OutputVerification, Verification } from "./api.ts";
import type { Context } from "./context.ts";
import { type ExitKind, failed, type Outcome, success } from "./failure.ts";
import { plural } from "./reporter.ts";

/**
 * Compares outputs with the reference, and says how much was compared.
 *
 * Elements that rounding may decide either way (as the position of the greatest of near ties) cannot
 * be compared; some of them are a matter of course. An output that has nothing else was not
 * verified: that is a failure of kind `wrong`, so that nobody takes it for a success. One that the
 * budget did not suffice for is a failure of kind `usage`.
 */
export function verifyOutputs(
  { line, report, tools }: Context,
  source: string,
  request: CompileRequest,
  inputs: HostTensors,
  outputs: HostTensors,
): Outcome<ExitKind> {
  const found = tools.verify(source, inputs, outputs, request, line.verifyBudgetMs);
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
  const undecided = found.outputs.find((one) => one.compared === 0 && one.ambiguous > 0);
  if (undecided !== undefined) return undecidable(undecided);
  const skipped = found.outputs.find((one) => one.compared === 0 && one.total > 0);
  if (skipped !== undefined) {
    const seconds = line.verifyBudgetMs / 1000;
    return failed(
      `the reference takes longer than ${seconds} s: nothing of ${skipped.name} was compared`,
      "give more time with --verify-budget, or smaller sizes",
    );
  }
  report.note(`verified ${extent(found)}${worstText(found)}`);
  return success("fine");
}

function undecidable({ name, ambiguous }: OutputVerification): ReturnType<typeof failed> {
  const all = ambiguous === 1 ? "its only element" : `all ${ambiguous} elements`;
  return failed(
    `${name} was not verified: rounding may decide ${all} either way`,
    "give inputs whose values are farther apart, such as integers(1) or arange",
    "wrong",
  );
}

function worstText({ compared, worst }: Verification): string {
  return compared === 0 ? "" : `: at most ${(100 * worst).toFixed(1)} % of the error allowed`;
}

function extent({ compared, ambiguous, total }: Verification): string {
  const ties = ambiguous === 0 ? "" : `; rounding may decide ${ambiguous} either way`;
  if (compared === total) return `all ${plural(total, "element")}`;
  const part = `${compared} of ${plural(total, "element")}`;
  const whole = compared + ambiguous === total;
  return whole ? part + ties : `a sample of ${part} (the budget was spent)${ties}`;
}
