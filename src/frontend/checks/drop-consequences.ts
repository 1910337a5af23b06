import { type Diagnostic, hasErrors } from "../../diagnostics/diagnostic.ts";

/** Warnings that an error elsewhere may be the cause of: uses and writes that could not be seen. */
const doubtful: ReadonlySet<string> = new Set(["TC2019", "TC3010"]);

/**
 * Without what only follows from other mistakes, so that one mistake gives one message: results
 * that are not fully written because a statement never runs, parameters that are unused because
 * their name is misspelt, the question which of two definitions of one name is meant, and a bad
 * size at the other places that use it.
 */
export function dropConsequences(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const codes = new Set<string>(diagnostics.map((d) => d.code));
  // Sizes that are not given yet hide nothing.
  const errors = hasErrors(diagnostics.filter((d) => d.code !== "TC2012"));
  const badSizes = new Map<string, Diagnostic>();
  for (const d of diagnostics) {
    if (d.code === "TC2013" && !badSizes.has(d.message)) badSizes.set(d.message, d);
  }
  return diagnostics.filter((d) => {
    const { code, message } = d;
    if (code === "TC2013") return badSizes.get(message) === d;
    if (doubtful.has(code) && errors) return false;
    if (code === "TC3010" && codes.has("TC3011")) return false;
    return !(code === "TC2015" && codes.has("TC2002"));
  });
}
