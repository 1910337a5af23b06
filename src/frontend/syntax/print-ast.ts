import { assertNever } from "../../support/assert.ts";
import { expressionDocument } from "../format/expression-document.ts";
import { moduleDocument } from "../format/module-document.ts";
import { lineWidth, renderDocument, renderFlat } from "../format/render-document.ts";
import { noText } from "../format/token-cursor.ts";
import type { Directive, Expression, InputSource, Module } from "./ast.ts";

/** The module as source text that parses to an equal tree (spans aside), in the style of `format`. */
export function printModule(module: Module): string {
  const directives = module.directives.map((d) => `${printDirective(d)}\n`).join("");
  const definitions = renderDocument(moduleDocument(module, noText), lineWidth);
  return directives + (directives !== "" && definitions !== "" ? "\n" : "") + definitions;
}

/** An expression on one line, with the fewest parentheses. */
export function printExpression(expression: Expression): string {
  return renderFlat(expressionDocument(expression, noText));
}

function printDirective(directive: Directive): string {
  switch (directive.kind) {
    case "sizes":
      return `#! sizes ${directive.sizes.map((s) => `${s.name.name}=${s.value}`).join(" ")}`;
    case "input":
      return `#! input ${directive.tensor.name}=${printInputSource(directive.source)}`;
    case "alternative":
      return `#! alternative of ${directive.of.name}${directive.approximate ? " approximate" : ""}`;
    default:
      return assertNever(directive);
  }
}

/** An input's source as it is written after `=`: `randn(1)`. */
export function printInputSource(source: InputSource): string {
  switch (source.kind) {
    case "file":
      return source.path;
    case "number":
      return String(source.value);
    case "generator":
      return source.arguments.length === 0
        ? source.name
        : `${source.name}(${source.arguments.join(",")})`;
    default:
      return assertNever(source);
  }
}
