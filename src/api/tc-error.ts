import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { renderDiagnostics } from "../diagnostics/render.ts";

/** A source text with mistakes, where a result was asked for. The message shows all of them. */
export class TcError extends Error {
  override readonly name: string = "TcError";
  readonly diagnostics: readonly Diagnostic[];

  /** @param file the name to show for the source. */
  constructor(diagnostics: readonly Diagnostic[], source: string, file?: string) {
    const named = file === undefined ? {} : { file };
    super(renderDiagnostics(diagnostics, { source, ...named }).trimEnd());
    this.diagnostics = diagnostics;
  }
}
