import { noSpan } from "../../../src/diagnostics/span.ts";
import type { Expression } from "../../../src/frontend/syntax/ast.ts";

/** The direct parts of an expression, and the expression with other parts. */
interface Parts {
  readonly parts: readonly Expression[];
  readonly rebuild: (parts: readonly Expression[]) => Expression;
}

function partsOf(e: Expression): Parts {
  switch (e.kind) {
    case "apply":
      return { parts: e.arguments, rebuild: (parts) => ({ ...e, arguments: parts }) };
    case "cast":
    case "unary":
      return { parts: [e.operand], rebuild: ([operand = e.operand]) => ({ ...e, operand }) };
    case "pad":
      return {
        parts: e.value === undefined ? [e.access] : [e.access, e.value],
        rebuild: ([access = e.access, value]) => {
          return value === undefined ? { ...e, access } : { ...e, access, value };
        },
      };
    case "binary":
      return {
        parts: [e.left, e.right],
        rebuild: ([left = e.left, right = e.right]) => ({ ...e, left, right }),
      };
    case "conditional":
      return {
        parts: [e.condition, e.then, e.otherwise],
        rebuild: ([condition = e.condition, then = e.then, otherwise = e.otherwise]) => {
          return { ...e, condition, then, otherwise };
        },
      };
    default:
      return { parts: [], rebuild: () => e };
  }
}

/** Constants that an expression may shrink to. */
const constants: readonly Expression[] = [
  { kind: "integer", value: 0, span: noSpan },
  { kind: "integer", value: 1, span: noSpan },
  { kind: "float", value: 1, span: noSpan },
  { kind: "boolean", value: true, span: noSpan },
];

function isLeaf(e: Expression): boolean {
  return ["integer", "float", "boolean", "name", "infinity"].includes(e.kind);
}

/** All expressions that are one step smaller: an operand or a constant in the place of some node. */
export function* smallerExpressions(e: Expression): Generator<Expression> {
  const { parts, rebuild } = partsOf(e);
  if (!isLeaf(e)) yield* constants;
  yield* parts;
  if (e.kind === "integer" && e.value > 1) yield { ...e, value: Math.floor(e.value / 2) };
  for (const [n, part] of parts.entries()) {
    for (const smaller of smallerExpressions(part)) {
      yield rebuild(parts.map((p, i) => (i === n ? smaller : p)));
    }
  }
}
