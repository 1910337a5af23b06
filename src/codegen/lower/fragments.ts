/**
 * Leaves whose loops are a fragment: what a subgroup does with its matrix unit.
 *
 * A fragment of the accumulator is one variable of the kernel, which the literal indices of unrolled
 * loops choose. Fragments of factors are loaded once in a block, where several products share them.
 * What cannot be stored as it is goes through workgroup memory, from where the lanes take it.
 */
import { type Affine, add, substitute, subtract, variable } from "../../ir/affine.ts";
import { type FragmentAccess, fragmentProduct } from "../../ir/fragment-product.ts";
import { type Program, parallelDims, type Statement } from "../../ir/program.ts";
import { fragmentUseOf, type Leaf, type Schedule } from "../../ir/schedule.ts";
import { defined, invariant } from "../../support/assert.ts";
import {
  addIndex,
  compare,
  divideIndex,
  indexLiteral,
  indexType,
  kernelType,
  moduloIndex,
  scaleIndex,
  variableOf,
} from "../build.ts";
import type { FragmentMemory, FragmentType, KernelExpression } from "../kernel.ts";
import type { Block } from "./block.ts";
import { elementOf, ofLoops } from "./element.ts";
import { storeFinished } from "./phase.ts";
import { boxArray, type FragmentState, type KernelContext, type Scope, useArray } from "./scope.ts";
import { rangeOf } from "./variables.ts";

/** What the kernel of some statements does in fragments; null for nothing. */
export function fragmentsOf(
  program: Program,
  schedule: Schedule,
  statements: readonly Statement[],
  subgroups: number,
): FragmentState | null {
  for (const s of statements) {
    const use = fragmentUseOf(schedule, s.id);
    if (use === undefined) continue;
    const result = fragmentProduct(program, s, use);
    invariant(result.kind === "product", `${s.id} is in fragments and no product`);
    const { product } = result;
    return { use, product, subgroups, results: new Map(), factors: new Map() };
  }
  return null;
}

function typeOf({ use }: FragmentState, side: FragmentType["side"]): FragmentType {
  const { component, result, rows, columns, depth } = use.unit;
  switch (side) {
    case "left":
      return { side, scalar: component, rows, columns: depth };
    case "right":
      return { side, scalar: component, rows: depth, columns };
    case "result":
      return { side, scalar: result, rows, columns };
  }
}

/** Where the fragment of an access begins that the scope's dims name. */
function memoryOf(scope: Scope, access: FragmentAccess, writes: boolean): FragmentMemory {
  const { tensor, index, pitch, byRows } = access;
  const element = elementOf(scope, {
    tensor,
    component: 0,
    index,
    outside: "never",
    writes,
    opaque: () => {
      throw new Error(`${tensor} is indexed at run time`);
    },
  });
  return { array: element.array, index: element.index, pitch, byRows };
}

/** Which of the accumulator's fragments the dims name, as text. */
function resultKey(scope: Scope): string {
  const { context, statement, dims } = scope;
  const layout = defined(context.accumulators.get(statement.id), `accumulator of ${statement.id}`);
  const at = parallelDims(statement).map((dim, d) => {
    const base = ofLoops(scope, defined(layout.base[d], `base of ${dim}`));
    const { lo, hi } = rangeOf(
      subtract(defined(dims.get(dim), `dim ${dim}`), base),
      context.variables,
    );
    invariant(lo === hi, `a fragment of ${statement.id} that is chosen at run time`);
    return lo;
  });
  return at.join(" ");
}

function resultName(scope: Scope, { results }: FragmentState): string {
  return defined(results.get(resultKey(scope)), `fragment of ${scope.statement.id}`);
}

function lowerInit(scope: Scope, state: FragmentState): void {
  const { block, statement } = scope;
  const { init } = state.product;
  const name = block.names.fresh(`acc.${statement.id}.${state.results.size}`);
  const from =
    init.kind === "fill" ? init : { kind: "load" as const, ...memoryOf(scope, init.access, false) };
  block.emit({ kind: "fragment", name, type: typeOf(state, "result"), from });
  state.results.set(resultKey(scope), name);
}

/** A factor, loaded where no other product of the block has. */
function factor(scope: Scope, state: FragmentState, side: "left" | "right"): string {
  const { block } = scope;
  const memory = memoryOf(scope, state.product[side], false);
  const here = state.factors.get(block) ?? new Map<string, string>();
  state.factors.set(block, here);
  const key = JSON.stringify([side, memory]);
  const known = here.get(key);
  if (known !== undefined) return known;
  const name = block.names.fresh(side);
  const type = typeOf(state, side);
  block.emit({ kind: "fragment", name, type, from: { kind: "load", ...memory } });
  here.set(key, name);
  return name;
}

function lowerProduct(scope: Scope, state: FragmentState): void {
  const [left, right] = [factor(scope, state, "left"), factor(scope, state, "right")];
  scope.block.emit({ kind: "multiply", name: resultName(scope, state), left, right });
}

function builtin(name: "lane" | "subgroup"): KernelExpression {
  return { kind: "builtin", builtin: name, type: indexType };
}

/** A dim, moved by an expression that is less than `extent`. */
function moved(scope: Scope, dim: string, by: KernelExpression, extent: number): [string, Affine] {
  const name = scope.block.names.fresh(`${dim}.element`);
  scope.context.variables.set(name, { range: { lo: 0, hi: extent - 1 }, expression: by });
  return [dim, add(defined(scope.dims.get(dim), `dim ${dim}`), variable(name))];
}

/** Stores each element by a lane, as if it had summed it up alone. */
function storeElements(
  scope: Scope,
  state: FragmentState,
  tile: string,
  begin: KernelExpression,
): void {
  const { use } = state;
  const { rows, columns, result } = use.unit;
  const turns = Math.ceil((rows * columns) / use.lanes);
  const loop = scope.block.inner("loop");
  const turn = loop.names.fresh(`${scope.statement.id}.turn`);
  const number = addIndex(scaleIndex(variableOf(turn, indexType), use.lanes), builtin("lane"));
  const store = (block: Block): void => {
    const inner = { ...scope, block };
    const dims = new Map([
      ...scope.dims,
      moved(inner, use.row, divideIndex(number, columns), rows),
      moved(inner, use.column, moduloIndex(number, columns), columns),
    ]);
    const index = addIndex(begin, number);
    const value: KernelExpression = { kind: "load", array: tile, index, type: kernelType(result) };
    storeFinished({ ...inner, dims }, [value]);
  };
  if (turns * use.lanes === rows * columns) store(loop);
  else {
    const inner = loop.inner("condition");
    store(inner);
    const condition = compare("<", number, indexLiteral(rows * columns));
    loop.emit({ kind: "if", condition, then: inner.statements, else: [] });
  }
  scope.block.emit({ kind: "loop", variable: turn, extent: turns, body: loop.statements });
}

function lowerFinish(scope: Scope, state: FragmentState): void {
  const { block, context, statement } = scope;
  const name = resultName(scope, state);
  const { target } = state.product;
  if (target !== null) {
    block.emit({ kind: "store-fragment", name, ...memoryOf(scope, target, true) });
    return;
  }
  const { rows, columns, result } = state.use.unit;
  const size = rows * columns;
  const elements = size * state.subgroups;
  const id = `tile.${statement.id}`;
  const tile = useArray(context, id, () => boxArray(id, result, "workgroup", elements, 1));
  const index = scaleIndex(builtin("subgroup"), size);
  block.emit({ kind: "store-fragment", name, array: tile, index, pitch: columns, byRows: true });
  block.emit({ kind: "barrier", memory: "workgroup" });
  storeElements(scope, state, tile, index);
  // Before the next fragment comes to the same place.
  block.emit({ kind: "barrier", memory: "workgroup" });
}

/** Emits what a leaf does with the fragments that its loops name. */
export function lowerFragments(
  context: KernelContext,
  state: FragmentState,
  leaf: Leaf,
  loops: ReadonlyMap<string, Affine>,
  block: Block,
): void {
  const statement = defined(
    context.program.statements.find((s) => s.id === leaf.statement),
    `statement ${leaf.statement}`,
  );
  const dims = new Map(
    Object.entries(leaf.binding).map(([d, a]) => [d, substitute(a, (l) => loops.get(l))]),
  );
  const scope: Scope = {
    context,
    statement,
    block,
    loops,
    dims,
    exact: true,
    lane: null,
    state: null,
  };
  switch (leaf.phase) {
    case "init":
      lowerInit(scope, state);
      return;
    case "update":
      lowerProduct(scope, state);
      return;
    case "finish":
      lowerFinish(scope, state);
      return;
    case "whole":
      invariant(false, `${leaf.statement} is in fragments and no reduction`);
  }
}
