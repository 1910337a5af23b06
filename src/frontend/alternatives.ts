import type { AlternativeDirective, Definition, Module } from "./syntax/ast.ts";

/** A directive `#! alternative of NAME` with the definition that it stands before. */
export interface MarkedAlternative {
  readonly directive: AlternativeDirective;
  /** The next one of the text; undefined where none follows. */
  readonly definition: Definition | undefined;
}

/** The alternatives of a file, right or wrong, in the order of the text. */
export function markedAlternatives({
  definitions,
  directives,
}: Module): readonly MarkedAlternative[] {
  return directives.flatMap((directive) => {
    if (directive.kind !== "alternative") return [];
    const definition = definitions.find((d) => d.span.start >= directive.span.end);
    return [{ directive, definition }];
  });
}
