import type {
  CheckedAccess,
  CheckedDefinition,
  CheckedExpression,
  CheckedIndex,
  CheckedNode,
  CheckedStatement,
} from "../../src/frontend/checked.ts";
import { printAffine, printConstraint } from "../../src/ir/affine.ts";
import { printDomain } from "../../src/ir/domain.ts";
import { assertNever } from "../../src/support/assert.ts";

/** A checked definition for people: shapes, loops, and every statement with its domain. */
export function printChecked(definition: CheckedDefinition): string {
  const sizes = definition.sizes.map((s) => `${s.name}=${s.value}`).join(" ");
  const tensors = definition.tensors.map(
    (t) => `  ${t.role} ${t.type}[${t.shape.join(", ")}] ${t.name}\n`,
  );
  const body = definition.body.map((node) => printNode(node, "  ")).join("");
  return `${definition.name} ${sizes}\n${tensors.join("")}${body}`;
}

function printNode(node: CheckedNode, indent: string): string {
  if (node.kind === "statement") return printStatement(node, indent);
  const range = `${printAffine(node.lower)}..${printAffine(node.upper)}`;
  const direction = node.reversed ? "reversed " : "";
  const body = node.body.map((inner) => printNode(inner, `${indent}  `)).join("");
  return `${indent}loop ${node.name} in ${direction}${range}\n${body}`;
}

function printStatement(s: CheckedStatement, indent: string): string {
  const reduced = s.dims.filter((d) => d.reduced).map((d) => d.name);
  const over = reduced.length === 0 ? "" : ` over ${reduced.join(", ")}`;
  const operator = s.operator === "=" ? "=" : `${s.operator}=${s.reset ? "!" : ""}`;
  const head = `${s.target}${printIndices(s.left)} ${operator}${over}`;
  return `${indent}${head} ${printValue(s.value)}\n${indent}  for ${printDomain(s)}\n`;
}

function printIndices(indices: readonly CheckedIndex[]): string {
  const parts = indices.map((i) =>
    i.kind === "affine" ? printAffine(i.affine) : `?${printValue(i.expression)}`,
  );
  return `(${parts.join(", ")})`;
}

function printAccess(a: CheckedAccess): string {
  const guard = a.guard.map(printConstraint).join(" && ");
  const text = a.tensor + printIndices(a.index);
  return guard === "" ? text : `[${guard} ? ${text} : ${a.fill}]`;
}

/** One expression, fully parenthesized. */
function printValue(e: CheckedExpression): string {
  switch (e.kind) {
    case "literal":
      return e.type === "bool" ? String(e.value !== 0) : String(e.value);
    case "access":
      return printAccess(e.access);
    case "coordinate":
      return `<${printAffine(e.affine)}>`;
    case "unary":
      return `${e.operator === "not" ? "!" : "-"}${printValue(e.operand)}`;
    case "binary":
      return `(${printValue(e.left)} ${e.operator} ${printValue(e.right)})`;
    case "select": {
      const parts = [e.condition, e.whenTrue, e.whenFalse].map(printValue);
      return `(${parts[0]} ? ${parts[1]} : ${parts[2]})`;
    }
    case "call":
      return `${e.function}(${e.arguments.map(printValue).join(", ")})`;
    case "cast":
      return `${e.type}(${printValue(e.operand)})`;
    default:
      return assertNever(e);
  }
}
