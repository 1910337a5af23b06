/**
 * What the algebraic rewrites have in common: their result, and edits of a program's lists.
 *
 * ```
 * rewrite := rewritten program | refused reason
 * ```
 * An algebraic rewrite maps a program to one that `interpret` cannot tell from it, up to the order
 * in which a float reduction adds. A request that would not is refused: an ordinary value.
 */
import { flatMap } from "../../support/flat-map.ts";
import { remember } from "../../support/remember.ts";
import {
  eachStatementId,
  type Program,
  type ProgramNode,
  parallelDims,
  reducedDims,
  type Statement,
  spansOf,
  statementOf,
  type Tensor,
  uniteSpans,
} from "../program.ts";

/** The program afterwards, or why the rewrite would change what the program computes. */
export type Rewrite =
  | { readonly kind: "rewritten"; readonly program: Program }
  | { readonly kind: "refused"; readonly reason: string };

/** The result of a rewrite that applied. */
export function rewritten(program: Program): Rewrite {
  return { kind: "rewritten", program };
}

/** The result of a rewrite that does not apply. */
export function refused(reason: string): Rewrite {
  return { kind: "refused", reason };
}

/** `base`, or `base` with the first number that makes it different from all that are taken. */
export function freshName(taken: Iterable<string>, base: string): string {
  const names = new Set(taken);
  if (!names.has(base)) return base;
  for (let n = 2; ; n++) if (!names.has(`${base}${n}`)) return `${base}${n}`;
}

/** A statement id that the program does not use. */
export function freshStatementId(program: Program, base: string): string {
  return freshName(
    program.statements.map((s) => s.id),
    base,
  );
}

/** A tensor name that the program does not use. */
export function freshTensorName(program: Program, base: string): string {
  return freshName(
    program.tensors.map((t) => t.name),
    base,
  );
}

/** The dims and quotients of a statement. */
export function variableNames(statement: Statement): readonly string[] {
  return [...statement.domain.dims, ...statement.domain.quotients].map((v) => v.name);
}

function replaceNode(
  nodes: readonly ProgramNode[],
  id: string,
  by: readonly ProgramNode[],
): readonly ProgramNode[] {
  return flatMap(nodes, (node): readonly ProgramNode[] => {
    if (node.kind === "statement") return node.statement === id ? by : [node];
    const body = replaceNode(node.body, id, by);
    return body.length === 0 ? [] : [{ ...node, body }];
  });
}

/** Puts statements, none or more, in the place of one; a loop that becomes empty goes. */
export function replaceStatement(program: Program, id: string, by: readonly Statement[]): Program {
  const nodes = by.map((s): ProgramNode => ({ kind: "statement", statement: s.id }));
  return replaceNodes(program, id, by, nodes);
}

/** The same with nodes that run those statements. */
export function replaceNodes(
  program: Program,
  id: string,
  by: readonly Statement[],
  nodes: readonly ProgramNode[],
): Program {
  return {
    ...program,
    statements: flatMap(program.statements, (s) => (s.id === id ? by : [s])),
    tree: replaceNode(program.tree, id, nodes),
  };
}

/** What a statement says of the source when another was taken into it. */
export function takenWith(s: Statement, other: Statement): Pick<Statement, "taken"> {
  return { taken: uniteSpans(s.taken ?? [], spansOf(other)) };
}

/** The program with one more tensor, at the end of its list. */
export function addTensor(program: Program, tensor: Tensor): Program {
  return { ...program, tensors: [...program.tensors, tensor] };
}

/**
 * A temporary for values of the given types; its span is that of the statement it serves. One like a
 * row with padding is such a row.
 */
export function temporary(
  name: string,
  like: Pick<Tensor, "components" | "shape" | "span" | "original">,
): Tensor {
  const { components, shape, span, original } = like;
  const made = { name, components, shape, role: "temporary", span } as const;
  return original === undefined ? made : { ...made, original };
}

/** All statements in program order. */
export function orderedStatements(program: Program): readonly Statement[] {
  return eachStatementId(program.tree).map((id) => statementOf(program, id));
}

/** The list of nodes that holds a statement directly, and its position there. */
export interface Position {
  readonly nodes: readonly ProgramNode[];
  readonly index: number;
}

const positionsIn: (tree: Program["tree"]) => ReadonlyMap<string, Position> = remember((tree) => {
  const found = new Map<string, Position>();
  const visit = (nodes: readonly ProgramNode[]): void => {
    for (const [index, node] of nodes.entries()) {
      if (node.kind === "statement") found.set(node.statement, { nodes, index });
      else visit(node.body);
    }
  };
  visit(tree);
  return found;
});

/** Where a statement is; undefined when the tree lacks it. */
export function positionOf({ tree }: Program, id: string): Position | undefined {
  return positionsIn(tree).get(id);
}

/**
 * The role of a dim, for paths: `t0` the outermost program loop, `p0` the first parallel dim that
 * is no loop, `r0` the first reduced one.
 */
export function dimRole(statement: Statement, dim: string): string {
  const loop = statement.loops.indexOf(dim);
  if (loop >= 0) return `t${loop}`;
  const reduced = reducedDims(statement).indexOf(dim);
  if (reduced >= 0) return `r${reduced}`;
  return `p${parallelDims(statement).indexOf(dim) - statement.loops.length}`;
}
