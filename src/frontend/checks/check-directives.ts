import { diagnose, type Report } from "../../diagnostics/diagnostic.ts";
import { didYouMean } from "../../support/edit-distance.ts";
import { flatMap } from "../../support/flat-map.ts";
import { sizeSymbols } from "../sizes.ts";
import type { Identifier, Module } from "../syntax/ast.ts";

/** Warns of sizes and inputs that directives name and that no definition of the file has. */
export function checkDirectives(module: Module, report: Report): void {
  const { definitions, directives } = module;
  const parameters = flatMap(definitions, (d) => d.parameters.map((p) => p.name.name));
  const results = flatMap(definitions, (d) => d.results.map((r) => r.name.name));
  const sizes = new Set(flatMap(definitions, (d) => sizeSymbols(d, module)).map((s) => s.name));
  const check = (name: Identifier, what: string, known: ReadonlySet<string>): void => {
    if (known.has(name.name)) return;
    const suggestion = didYouMean(name.name, known);
    const data = { name: name.name, what, known: [...known] };
    const full = suggestion === undefined ? data : { ...data, suggestion };
    report(diagnose("TC2031", full, name.span));
  };
  for (const directive of directives) {
    if (directive.kind === "sizes") {
      for (const { name } of directive.sizes) check(name, "a size", sizes);
    } else if (directive.kind === "input")
      check(directive.tensor, "an input", new Set([...parameters, ...results]));
  }
}
