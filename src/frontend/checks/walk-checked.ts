import { flatMap } from "../../support/flat-map.ts";
import type {
  CheckedAccess,
  CheckedExpression,
  CheckedIndex,
  CheckedNode,
  CheckedStatement,
} from "../checked.ts";

/** A tensor and where it is accessed. */
export interface Touch {
  readonly tensor: string;
  readonly index: readonly CheckedIndex[];
}

/** The statements of nodes, in the order of the text. */
export function eachChecked(nodes: readonly CheckedNode[]): readonly CheckedStatement[] {
  return flatMap(nodes, (node) => (node.kind === "statement" ? node : eachChecked(node.body)));
}

/** What a statement reads, and then what it writes. */
export function eachTouch(statement: CheckedStatement): readonly Touch[] {
  const written = { tensor: statement.target, index: statement.left };
  return [...readsIn(statement.value), ...flatMap(statement.left, readsInIndex), written];
}

function readsInIndex(index: CheckedIndex): readonly Touch[] {
  return index.kind === "opaque" ? readsIn(index.expression) : [];
}

function readsIn(e: CheckedExpression): readonly Touch[] {
  switch (e.kind) {
    case "literal":
    case "coordinate":
      return [];
    case "access":
      return [...flatMap(e.access.index, readsInIndex), e.access];
    case "unary":
    case "cast":
      return readsIn(e.operand);
    case "binary":
      return [...readsIn(e.left), ...readsIn(e.right)];
    case "select":
      return flatMap([e.condition, e.whenTrue, e.whenFalse], readsIn);
    case "call":
      return flatMap(e.arguments, readsIn);
  }
}

/** Nodes with each access and each target as `to` says. */
export function mapTouches(
  nodes: readonly CheckedNode[],
  to: (touch: Touch) => Touch,
): readonly CheckedNode[] {
  return nodes.map((node): CheckedNode => {
    if (node.kind === "loop") return { ...node, body: mapTouches(node.body, to) };
    const left = node.left.map((index) => mapIndex(index, to));
    const written = to({ tensor: node.target, index: left });
    const value = mapReads(node.value, to);
    return { ...node, target: written.tensor, left: written.index, value };
  });
}

function mapIndex(index: CheckedIndex, to: (touch: Touch) => Touch): CheckedIndex {
  if (index.kind === "affine") return index;
  return { kind: "opaque", expression: mapReads(index.expression, to) };
}

function mapReads(e: CheckedExpression, to: (touch: Touch) => Touch): CheckedExpression {
  const down = (part: CheckedExpression): CheckedExpression => mapReads(part, to);
  switch (e.kind) {
    case "literal":
    case "coordinate":
      return e;
    case "access": {
      const index = e.access.index.map((i) => mapIndex(i, to));
      const access: CheckedAccess = { ...e.access, ...to({ tensor: e.access.tensor, index }) };
      return { ...e, access };
    }
    case "unary":
    case "cast":
      return { ...e, operand: down(e.operand) };
    case "binary":
      return { ...e, left: down(e.left), right: down(e.right) };
    case "select":
      return {
        ...e,
        condition: down(e.condition),
        whenTrue: down(e.whenTrue),
        whenFalse: down(e.whenFalse),
      };
    case "call":
      return { ...e, arguments: e.arguments.map(down) };
  }
}
