/** Copies of statements, with a value in place of a variable and names of their own. */
import { variableOf } from "../build.ts";
import type { KernelExpression, KernelStatement } from "../kernel.ts";
import type { NameSource } from "../lower/block.ts";
import { mapKernelExpression, mapOwnExpressions } from "../rewrite-kernel.ts";
import { declaredIn } from "./kernel-names.ts";

type Body = readonly KernelStatement[];

/** Statements with a value in place of a variable, and other names for what they declare. */
export function copyStatements(
  body: Body,
  variable: string,
  value: KernelExpression,
  renamed: ReadonlyMap<string, string>,
): Body {
  const nameOf = (name: string): string => renamed.get(name) ?? name;
  const mapExpression = (e: KernelExpression): KernelExpression =>
    mapKernelExpression(e, (node) => {
      if (node.kind !== "variable") return undefined;
      if (node.name === variable) return value;
      return renamed.has(node.name) ? variableOf(nameOf(node.name), node.type) : undefined;
    });
  const copy = (s: KernelStatement): KernelStatement => {
    const own = mapOwnExpressions(s, mapExpression);
    switch (own.kind) {
      case "declare":
      case "assign":
      case "exchange":
      case "fragment":
      case "store-fragment":
        return { ...own, name: nameOf(own.name) };
      case "multiply": {
        const { name, left, right } = own;
        return { ...own, name: nameOf(name), left: nameOf(left), right: nameOf(right) };
      }
      case "loop":
        return { ...own, variable: nameOf(own.variable), body: own.body.map(copy) };
      case "if":
        return { ...own, then: own.then.map(copy), else: own.else.map(copy) };
      case "store":
      case "atomic":
      case "barrier":
        return own;
    }
  };
  return body.map(copy);
}

/** Fresh names for all that the statements declare. */
export function freshNames(body: Body, names: NameSource): ReadonlyMap<string, string> {
  return new Map(declaredIn(body).map((name) => [name, names.fresh(name)]));
}

/** For the one copy that keeps all names. */
export const keptNames: ReadonlyMap<string, string> = new Map();
