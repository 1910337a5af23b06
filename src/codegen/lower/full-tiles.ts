/**
 * Purpose: writes the body of a kernel twice: for workgroups whose tiles are full, without what their
 * numbers imply, and for the others.
 *
 * ```
 * if workgroup-x <= 14
 *   tile = min(workgroup-x, 14)
 *   C[32 * tile + local-index] = ...
 * else
 *   if 32 * workgroup-x + local-index <= 508
 *     C[32 * workgroup-x + local-index] = ...
 * ```
 * Ensures: the condition is the same for all invocations of a workgroup, so that barriers and
 * exchanges may stand in both branches.
 */
import type { Loop } from "../../ir/schedule.ts";
import { defined } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import { allOf, clampIndex, compare, indexLiteral, indexType } from "../build.ts";
import type { KernelArray, KernelExpression, KernelStatement } from "../kernel.ts";
import { mapKernelExpression, mapKernelStatements, mapOwnExpressions } from "../rewrite-kernel.ts";
import { eachKernelExpression, eachKernelStatement, statementExpressions } from "../walk-kernel.ts";
import { type Block, bind } from "./block.ts";
import type { KernelContext } from "./scope.ts";
import type { IndexVariable } from "./variables.ts";

type Body = readonly KernelStatement[];

/** A grid loop with its full tiles. */
type MarkedLoop = Loop & { readonly full: NonNullable<Loop["full"]> };

function isMarked(loop: Loop): loop is MarkedLoop {
  return loop.full !== undefined && loop.full.hi - loop.full.lo < loop.extent;
}

/** Whether an iteration is one of the full ones; undefined if all are. */
function conditionOf(
  { full, extent }: MarkedLoop,
  { expression }: IndexVariable,
): KernelExpression | undefined {
  const above = full.lo > 0 ? compare(">=", expression, indexLiteral(full.lo)) : undefined;
  const below = full.hi < extent ? compare("<", expression, indexLiteral(full.hi)) : undefined;
  return allOf([above, below].filter((c) => c !== undefined));
}

/** A number that is in the range anyway, in a form whose range anybody can see. */
function within({ full }: MarkedLoop, { expression }: IndexVariable): KernelExpression {
  const last = full.hi - 1;
  if (full.lo === last) return indexLiteral(last);
  const below = clampIndex(expression, last);
  if (full.lo === 0) return below;
  const right = indexLiteral(full.lo);
  return { kind: "binary", operator: "max", left: below, right, type: indexType };
}

/** The arrays that statements access, and whether each of their indices is literal. */
function accessedIn(body: Body): ReadonlyMap<string, boolean> {
  const found = new Map<string, boolean>();
  const note = (array: string, index: KernelExpression): void => {
    found.set(array, (found.get(array) ?? true) && index.kind === "literal");
  };
  for (const s of eachKernelStatement(body)) {
    if (s.kind === "store" || s.kind === "atomic") note(s.array, s.index);
    for (const e of flatMap(statementExpressions(s), (x) => eachKernelExpression(x))) {
      if (e.kind === "load") note(e.array, e.index);
    }
  }
  return found;
}

/** Statements with other names of arrays. */
function withArrays(body: Body, renamed: ReadonlyMap<string, string>): Body {
  const nameOf = (array: string): string => renamed.get(array) ?? array;
  const rename = (e: KernelExpression): KernelExpression =>
    mapKernelExpression(e, (node) =>
      node.kind === "load" ? { ...node, array: nameOf(node.array) } : undefined,
    );
  return mapKernelStatements(body, (s) => {
    const own = mapOwnExpressions(s, rename);
    return [
      own.kind === "store" || own.kind === "atomic" ? { ...own, array: nameOf(own.array) } : own,
    ];
  });
}

/**
 * The second of two branches with private arrays of its own, where indices are literal: they become
 * variables, each declared in its branch. Others are shared, as their room is scarce.
 */
function withOwnArrays(first: Body, second: Body, arrays: Map<string, KernelArray>): Body {
  const [before, after] = [accessedIn(first), accessedIn(second)];
  const renamed = new Map<string, string>();
  for (const [id, isLiteral] of after) {
    const array = defined(arrays.get(id), "array", id);
    if (array.space !== "private" || !isLiteral || before.get(id) !== true) continue;
    const name = `${id}.edge`;
    renamed.set(id, name);
    arrays.set(name, { ...array, id: name });
  }
  return renamed.size === 0 ? second : withArrays(second, renamed);
}

/**
 * Fills a block by `lower`, which is called once, or where loops are marked with full tiles, once for
 * each of the two branches.
 */
export function lowerFullTiles(
  context: KernelContext,
  grid: readonly Loop[],
  block: Block,
  lower: (context: KernelContext, block: Block) => void,
): void {
  const marked = grid.filter(isMarked);
  const tests = marked.map((l) => conditionOf(l, variableOf(context, l)));
  const condition = allOf(tests.filter((c) => c !== undefined));
  if (condition === undefined) {
    lower(context, block);
    return;
  }
  const [full, edge] = [block.inner("branch"), block.inner("branch")];
  const variables = new Map(context.variables);
  for (const loop of marked) {
    const expression = bind(full, "tile", within(loop, variableOf(context, loop)));
    const range = { lo: loop.full.lo, hi: loop.full.hi - 1 };
    variables.set(loop.id, { range, expression });
  }
  lower({ ...context, variables, versions: new Map() }, full);
  lower({ ...context, variables: new Map(context.variables), versions: new Map() }, edge);
  const otherwise = withOwnArrays(full.statements, edge.statements, context.arrays);
  block.emit({ kind: "if", condition, then: full.statements, else: otherwise });
}

function variableOf({ variables }: KernelContext, { id }: Loop): IndexVariable {
  return defined(variables.get(id), "index variable", id);
}
