import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { renderDiagnostics } from "../diagnostics/render.ts";

/**
 * A source text with mistakes, or one that does not fit its inputs, where a result was asked for.
 * The message shows all errors.
 */
export class TcError extends Error {
  override readonly name: string = "TcError";
  /** Warnings, too. */
  readonly diagnostics: readonly Diagnostic[];

  /** @param file the name to show for the source. */
  constructor(diagnostics: readonly Diagnostic[], source: string, file?: string) {
    const named = file === undefined ? {} : { file };
    const errors = diagnostics.filter((d) => d.severity === "error").map(forCallers);
    super(renderDiagnostics(errors, { source, ...named }).trimEnd());
    this.diagnostics = diagnostics;
  }
}

/** What helps with missing sizes is another thing in a program than on the command line. */
function forCallers(diagnostic: Diagnostic): Diagnostic {
  if (diagnostic.code !== "TC2012") return diagnostic;
  const hint = "give inputs with their shapes, `{ data, shape }`, or `sizes: { ... }`";
  return { ...diagnostic, hint };
}
