import { didYouMean } from "../support/edit-distance.ts";
import type { Context } from "./context.ts";
import { type ExitKind, failed, type Outcome, success } from "./failure.ts";

/** `tc-compile explain CODE`: the page of a code; without one, all codes with their titles. */
export async function explain({ line, report, tools }: Context): Promise<Outcome<ExitKind>> {
  const pages = await tools.explanations();
  const [word, second] = line.files;
  if (second !== undefined) {
    return failed(`explain takes one code, not ${line.files.length}`, "run it once for each code");
  }
  if (word === undefined) {
    for (const { code, title } of pages) {
      report.data(`${code}  ${title}\n`);
      report.record("explanation", { code, title });
    }
    return success("fine");
  }
  const wanted = codeOf(word);
  const page = pages.find(({ code }) => code === wanted);
  if (page === undefined) {
    const meant = didYouMean(
      wanted,
      pages.map(({ code }) => code),
    );
    return failed(
      `there is no code ${word}`,
      meant === undefined ? "tc-compile explain lists the codes" : `did you mean ${meant}?`,
    );
  }
  const { code, title, text } = page;
  report.data(`# ${code}: ${title}\n\n${text}`);
  report.record("explanation", { code, title, text });
  return success("fine");
}

/** `TC2003` for `tc2003`, `2003`, `error[TC2003]`. */
function codeOf(word: string): string {
  const digits = /^(?:(?:error|warning)\[)?(?:tc)?(\d+)\]?$/i.exec(word)?.[1];
  return digits === undefined ? word.toUpperCase() : `TC${digits}`;
}
