import { flatMap } from "../../support/flat-map.ts";
import type { Assign, Expression, Statement } from "./ast.ts";

/** The direct operands of an expression. */
function expressionOperands(e: Expression): readonly Expression[] {
  switch (e.kind) {
    case "apply":
      return e.arguments;
    case "cast":
    case "unary":
      return [e.operand];
    case "pad":
      return e.value === undefined ? [e.access] : [e.access, e.value];
    case "binary":
      return [e.left, e.right];
    case "conditional":
      return [e.condition, e.then, e.otherwise];
    default:
      return [];
  }
}

/** All nodes of an expression, each before its operands. */
export function eachExpressionNode(e: Expression): readonly Expression[] {
  const nodes: Expression[] = [];
  addNodes(e, nodes);
  return nodes;
}

function addNodes(e: Expression, nodes: Expression[]): void {
  nodes.push(e);
  for (const part of expressionOperands(e)) addNodes(part, nodes);
}

/** All statements, those inside of loops and branches after the one that holds them. */
export function eachAstStatement(body: readonly Statement[]): readonly Statement[] {
  return flatMap(body, (statement): readonly Statement[] => {
    if (statement.kind === "for") return [statement, ...eachAstStatement(statement.body)];
    if (statement.kind !== "if") return [statement];
    const { branches, otherwise } = statement;
    const inside = flatMap(branches, (branch) => eachAstStatement(branch.body));
    return [statement, ...inside, ...eachAstStatement(otherwise)];
  });
}

/** The assignments of a body, in the order of the text. */
export function eachAssign(body: readonly Statement[]): readonly Assign[] {
  return eachAstStatement(body).filter((statement) => statement.kind === "assign");
}

/** The expressions that a statement itself holds, not those of statements inside of it. */
export function statementExpressions(s: Statement): readonly Expression[] {
  switch (s.kind) {
    case "assign":
      return [...s.target.indices, s.value, ...flatMap(s.clauses, clauseExpressions)];
    case "for":
      return s.lower === undefined ? [s.upper] : [s.lower, s.upper];
    case "if":
      return s.branches.map((b) => b.condition);
    case "call":
      return [...flatMap(s.targets, (target) => target.indices), ...s.arguments];
  }
}

function clauseExpressions(clause: Assign["clauses"][number]): readonly Expression[] {
  switch (clause.kind) {
    case "range":
      return [clause.lower, clause.upper];
    case "let":
      return [clause.value];
    case "exists":
      return [clause.access];
  }
}
