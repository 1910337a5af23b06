/**
 * Leaves whose loops are a fragment: what a subgroup does with its matrix unit.
 *
 * A fragment of the accumulator is one variable of the kernel, which the literal indices of unrolled
 * loops choose. Fragments of factors are loaded once in a block, where several products share them.
 * What cannot be stored as it is, or is used by what follows, goes through workgroup memory, from where
 * the lanes take it: each finishes its elements, and runs for them what stands behind the finish.
 */
import { type Affine, coefficientOf, subtract, variable } from "../../ir/affine.ts";
import { type FragmentAccess, fragmentProduct } from "../../ir/fragment-product.ts";
import { type Program, parallelDims, reductionOf, type Statement } from "../../ir/program.ts";
import {
  type Band,
  eachLeaf,
  type FragmentUse,
  fragmentUseOf,
  type Leaf,
  type LeafContext,
  type Schedule,
  teamSize,
} from "../../ir/schedule.ts";
import { defined, invariant } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
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
import { type Origin, originOfAll } from "../origin.ts";
import { expressionKey } from "../walk-kernel.ts";
import { type Block, bind } from "./block.ts";
import { elementOf } from "./element.ts";
import { lowerExpression } from "./expression.ts";
import { leafScope, lowerLeaf } from "./leaf.ts";
import { fragmentOrigin, stateOrigin } from "./origins.ts";
import { storeFinished } from "./phase.ts";
import {
  boxArray,
  type FragmentState,
  isInRegisters,
  type KernelContext,
  ofLoops,
  type Scope,
  useArray,
} from "./scope.ts";
import { rangeOf } from "./variables.ts";

/** What the kernel of some statements does in fragments; null for nothing. */
export function fragmentsOf(
  program: Program,
  schedule: Schedule,
  kernel: Band,
  statements: readonly Statement[],
): FragmentState | null {
  for (const s of statements) {
    const use = fragmentUseOf(schedule, s.id);
    if (use === undefined) continue;
    const result = fragmentProduct(program, s, use);
    invariant(result.kind === "product", `${s.id} is in fragments and no product`);
    const { product } = result;
    const leaves = eachLeaf(kernel);
    const finish = leaves.find((c) => c.leaf.statement === s.id && c.leaf.phase === "finish");
    return {
      use,
      product,
      subgroups: teamSize(kernel),
      loops: loopsOf(defined(finish, `finish of ${s.id}`), use),
      epilogue: flatMap(leaves, ({ leaf }) => (leaf.statement === s.id ? [] : [leaf])),
      results: new Map(),
      factors: new Map(),
    };
  }
  return null;
}

/** The loops of a fragment of results. */
function loopsOf(
  { leaf, loops }: LeafContext,
  { row, column }: FragmentUse,
): FragmentState["loops"] {
  const along = (dim: string): string => {
    const bound = defined(leaf.binding.get(dim), `binding of ${dim}`);
    const own = loops.find((l) => l.on === "fragment" && coefficientOf(bound, l.id) !== 0);
    return defined(own, `fragment loop of ${dim}`).id;
  };
  return { row: along(row), column: along(column) };
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
function memoryOf(
  scope: Scope,
  access: FragmentAccess,
  writes: boolean,
): { readonly memory: FragmentMemory; readonly origin: Origin } {
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
  const origin = fragmentOrigin(scope.statement, tensor, index);
  return { memory: { array: element.array, index: element.index(), pitch, byRows }, origin };
}

/** Which of the accumulator's fragments the dims name, as text. */
function resultKey(scope: Scope): string {
  const { context, statement, dims } = scope;
  const layout = defined(context.accumulators.get(statement.id), "accumulator of", statement.id);
  const at = parallelDims(statement).map((dim, d) => {
    const base = ofLoops(scope, defined(layout.base[d], "base of", dim));
    const { lo, hi } = rangeOf(
      subtract(defined(dims.get(dim), "dim", dim), base),
      context.variables,
    );
    invariant(lo === hi, `a fragment of ${statement.id} that is chosen at run time`);
    return lo;
  });
  return at.join(" ");
}

function resultName(scope: Scope, { results }: FragmentState): string {
  return defined(results.get(resultKey(scope)), "fragment of", scope.statement.id);
}

function lowerInit(scope: Scope, state: FragmentState): void {
  const { block, statement } = scope;
  const { init } = state.product;
  const type = typeOf(state, "result");
  const name = block.names.fresh(`acc.${statement.id}.${state.results.size}`);
  if (init.kind === "load") {
    const { memory, origin } = memoryOf(scope, init.access, false);
    block.emit({ kind: "fragment", name, type, from: { kind: "load", ...memory }, origin });
  } else {
    const from = { kind: "fill", value: init.kind === "fill" ? init.value : 0 } as const;
    block.emit({ kind: "fragment", name, type, from, origin: stateOrigin(statement) });
  }
  state.results.set(resultKey(scope), name);
}

/** A factor, loaded where no other product of the block has. */
function factor(scope: Scope, state: FragmentState, side: "left" | "right"): string {
  const { block } = scope;
  const { memory, origin } = memoryOf(scope, state.product[side], false);
  const here = state.factors.get(block) ?? new Map<string, string>();
  state.factors.set(block, here);
  const key = `${side} ${memory.array} ${expressionKey(memory.index)}`;
  const known = here.get(key);
  if (known !== undefined) return known;
  const name = block.names.fresh(side);
  const type = typeOf(state, side);
  block.emit({ kind: "fragment", name, type, from: { kind: "load", ...memory }, origin });
  here.set(key, name);
  return name;
}

function lowerProduct(scope: Scope, state: FragmentState): void {
  const [left, right] = [factor(scope, state, "left"), factor(scope, state, "right")];
  const name = resultName(scope, state);
  const origin = stateOrigin(scope.statement);
  scope.block.emit({ kind: "multiply", name, left, right, origin });
}

function builtin(name: "lane" | "subgroup"): KernelExpression {
  return { kind: "builtin", builtin: name, type: indexType };
}

/** A variable of index arithmetic with values below `extent`. */
function elementVariable(
  { block, context }: Scope,
  loop: string,
  expression: KernelExpression,
  extent: number,
): [string, Affine] {
  const name = block.names.fresh(`${loop}.element`);
  context.variables.set(name, { range: { lo: 0, hi: extent - 1 }, expression });
  return [loop, variable(name)];
}

/** Of the loop over the elements of a fragment: both of its loops. */
function elementOrigin(
  { context, statement }: Scope,
  { row, column }: FragmentState["loops"],
): Origin {
  const all = [row, column].map((loop) => ({ origin: context.loops.get(loop) ?? [] }));
  return originOfAll(all).origin ?? stateOrigin(statement);
}

/** Finishes each element by a lane, as if it had summed it up alone, and runs what follows. */
function storeElements(
  scope: Scope,
  state: FragmentState,
  finish: Leaf,
  tile: string,
  begin: KernelExpression,
): void {
  const { use, loops: along, epilogue } = state;
  const { rows, columns, result } = use.unit;
  const origin = stateOrigin(scope.statement);
  const turns = Math.ceil((rows * columns) / use.lanes);
  const loop = scope.block.inner("loop");
  const turn = loop.names.fresh(`${scope.statement.id}.turn`);
  const number = addIndex(scaleIndex(variableOf(turn, indexType), use.lanes), builtin("lane"));
  const store = (block: Block): void => {
    const inner = { ...scope, block };
    const loops = new Map([
      ...scope.loops,
      elementVariable(inner, along.row, divideIndex(number, columns), rows),
      elementVariable(inner, along.column, moduloIndex(number, columns), columns),
    ]);
    const index = addIndex(begin, number);
    const type = kernelType(result);
    const value: KernelExpression = { kind: "load", array: tile, index, type, origin };
    const own = leafScope(scope.context, finish, loops, null, block);
    storeFinished(own, [withStart(own, state, value)]);
    for (const leaf of epilogue) lowerLeaf(scope.context, leaf, loops, null, block);
  };
  if (turns * use.lanes === rows * columns) store(loop);
  else {
    const inner = loop.inner("condition");
    store(inner);
    const condition = compare("<", number, indexLiteral(rows * columns));
    loop.emit({ kind: "if", condition, then: inner.statements, else: [] });
  }
  const over = elementOrigin(scope, along);
  const { statements: body } = loop;
  scope.block.emit({ kind: "loop", variable: turn, extent: turns, body, origin: over });
}

/** A sum, added to what it starts from if that was not there before. */
function withStart(
  scope: Scope,
  { product }: FragmentState,
  sum: KernelExpression,
): KernelExpression {
  const { init, monoid } = reductionOf(scope.statement);
  const [start] = init ?? [];
  const [combine] = monoid.combine;
  if (product.init.kind !== "late" || start === undefined || combine === undefined) return sum;
  const left = [bind(scope.block, "start", lowerExpression(scope, start))];
  const right = [bind(scope.block, "sum", sum)];
  return lowerExpression({ ...scope, state: { left, right } }, combine);
}

/** Whether lanes store into what fragments are loaded from. */
function overwritesStart({ context }: Scope, { product }: FragmentState): boolean {
  const { init } = product;
  return init.kind === "load" && context.written.has(init.access.tensor);
}

function lowerFinish(scope: Scope, state: FragmentState, finish: Leaf): void {
  const { block, context, statement } = scope;
  const name = resultName(scope, state);
  const { target } = state.product;
  const isPlaced = isInRegisters(context.layouts.get(statement.write.tensor));
  if (target !== null && state.epilogue.length === 0 && !isPlaced) {
    const { memory, origin } = memoryOf(scope, target, true);
    block.emit({ kind: "store-fragment", name, ...memory, origin });
    return;
  }
  const { rows, columns, result } = state.use.unit;
  const size = rows * columns;
  const elements = size * state.subgroups;
  const id = `tile.${statement.id}`;
  const tile = useArray(context, id, () => boxArray(id, result, "workgroup", elements, 1));
  const index = scaleIndex(builtin("subgroup"), size);
  const place = { array: tile, index, pitch: columns, byRows: true };
  block.emit({ kind: "store-fragment", name, ...place, origin: stateOrigin(statement) });
  const memory = overwritesStart(scope, state) ? "both" : "workgroup";
  block.emit({ kind: "barrier", memory });
  storeElements(scope, state, finish, tile, index);
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
  const scope = leafScope(context, leaf, loops, null, block);
  switch (leaf.phase) {
    case "init":
      lowerInit(scope, state);
      return;
    case "update":
      lowerProduct(scope, state);
      return;
    case "finish":
      lowerFinish(scope, state, leaf);
      return;
    case "whole":
    // The finish has run it.
  }
}
