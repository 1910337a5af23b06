import { defined, invariant } from "../../support/assert.ts";
import type { RoundedSteps } from "../algebraic/own-loop.ts";
import type { Expression } from "../expression.ts";
import type { Monoid } from "../monoid.ts";
import { isScatter, type Reduction, type Statement } from "../program.ts";
import { type Binary, binaryFunction } from "../scalar-operators.ts";
import { compileWrite, type Place } from "./compile-access.ts";
import { compileExpression, type ExpressionContext } from "./compile-expression.ts";
import type { Evaluate, Frame } from "./frame.ts";
import { type Budget, compileLevels, planNest } from "./nest.ts";
import { createPending } from "./pending.ts";
import type { RandomRounding } from "./random-rounding.ts";
import { mustBuffer } from "./reads-itself.ts";
import { roundedBinary } from "./rounded-expression.ts";
import type { Storage } from "./storage.ts";

/** What a statement is compiled against. */
export interface StatementContext {
  readonly frame: Frame;
  readonly storage: Storage;
  readonly budget: Budget;
  /** What float operations do to their results; null to keep all of float64. */
  readonly rounding: RandomRounding | null;
  /** With bounds: recurrences whose steps a device may take in another order. */
  readonly steps?: ReadonlyMap<string, RoundedSteps>;
}

/** Stores the values in the components of an element. */
type Store = (offset: number, values: Float64Array) => void;

function storeInto(place: Place): Store {
  const { data } = place.storage;
  const [only, ...more] = data;
  if (only !== undefined && more.length === 0) {
    return (offset, values) => {
      only[offset] = values[0] as number;
    };
  }
  return (offset, values) => {
    for (const [c, part] of data.entries()) part[offset] = values[c] as number;
  };
}

/** Writes all values of `parts` to the registers, which no part may read. */
function compileAll(
  parts: readonly Expression[],
  context: ExpressionContext,
  into: Float64Array,
): () => void {
  const all = parts.map((e) => compileExpression(e, context));
  const [only, ...more] = all;
  if (only !== undefined && more.length === 0) {
    return () => {
      into[0] = only();
    };
  }
  return () => {
    for (let c = 0; c < all.length; c++) into[c] = (all[c] as Evaluate)();
  };
}

/** The combination of a monoid of one state by one operator, as a function of two numbers. */
function operatorOf(monoid: Monoid, { rounding }: ExpressionContext): Binary | null {
  const [e, ...more] = monoid.combine;
  if (e?.kind !== "binary" || more.length > 0) return null;
  const { left, right } = e;
  const direct = left.kind === "state" && left.side === "left";
  if (!direct || right.kind !== "state" || right.side !== "right") return null;
  return roundedBinary(e.type, rounding, binaryFunction(e.operator, left.type));
}

/** Combines the right registers into the left ones. */
function compileCombine(monoid: Monoid, context: ExpressionContext): () => void {
  const { left, right } = context;
  const operator = operatorOf(monoid, context);
  if (operator !== null) {
    return () => {
      left[0] = operator(left[0] as number, right[0] as number);
    };
  }
  const next = new Float64Array(left.length);
  const combine = compileAll(monoid.combine, context, next);
  return () => {
    combine();
    left.set(next);
  };
}

/** Combines `body` into the left registers. */
function compileAccumulate(
  monoid: Monoid,
  body: readonly Expression[],
  context: ExpressionContext,
): () => void {
  const { left, right } = context;
  const operator = operatorOf(monoid, context);
  if (operator !== null) {
    const term = compileExpression(defined(body[0], "body"), context);
    return () => {
      left[0] = operator(left[0] as number, term());
    };
  }
  const lift = compileAll(body, context, right);
  const combine = compileCombine(monoid, context);
  return () => {
    lift();
    combine();
  };
}

/** One element of a reduction: the result is in the returned registers afterwards. */
function compileElement(
  reduction: Reduction,
  statement: Statement,
  context: ExpressionContext,
  nest: (inner: () => void) => () => void,
): { readonly run: () => void; readonly result: Float64Array } {
  const { monoid, init, projected } = reduction;
  const start = compileAll(init ?? monoid.identity, context, context.left);
  const reduce = nest(compileAccumulate(monoid, statement.body, context));
  if (!projected) {
    const run = (): void => {
      start();
      reduce();
    };
    return { run, result: context.left };
  }
  const project = compileExpression(monoid.project, context);
  const result = new Float64Array(1);
  const run = (): void => {
    start();
    reduce();
    result[0] = project();
  };
  return { run, result };
}

/** Combines values into an element that is there. */
function combineInto(reduction: Reduction, place: Place, context: ExpressionContext): Store {
  const { left, right } = context;
  const { data, tensor } = place.storage;
  invariant(data.length === left.length, `a scatter into ${tensor.name} combines states`);
  const combine = compileCombine(reduction.monoid, context);
  const store = storeInto(place);
  return (offset, values) => {
    for (const [c, part] of data.entries()) left[c] = part[offset] as number;
    if (values !== right) right.set(values);
    combine();
    store(offset, left);
  };
}

/** What one point of the outer nest does: computes values and hands them to `store`. */
function compilePoint(
  statement: Statement,
  context: ExpressionContext,
  place: Place,
  store: Store,
  reducedNest: (inner: () => void) => () => void,
): () => void {
  const { reduction } = statement;
  const { offset } = place;
  const put = (values: Float64Array): void => {
    const at = offset();
    if (at >= 0) store(at, values);
  };
  if (reduction === null || isScatter(statement)) {
    const evaluate = compileAll(statement.body, context, context.right);
    return reducedNest(() => {
      evaluate();
      put(context.right);
    });
  }
  const { run, result } = compileElement(reduction, statement, context, reducedNest);
  return () => {
    run();
    put(result);
  };
}

/** Compiles a statement to a closure that runs all its instances under the current loop indices. */
export function compileStatement(statement: Statement, context: StatementContext): () => void {
  const { frame, storage, budget, rounding } = context;
  const { reduction } = statement;
  const states = reduction?.monoid.state.length ?? statement.body.length;
  const expressions: ExpressionContext = {
    frame,
    storage,
    statement,
    left: new Float64Array(states),
    right: new Float64Array(states),
    rounding,
  };
  const scatter = isScatter(statement);
  const coordinate = (e: Expression): Evaluate => compileExpression(e, expressions);
  const place = compileWrite({ ...expressions, coordinate }, scatter ? "dropped" : "fault");
  const direct =
    reduction !== null && scatter ? combineInto(reduction, place, expressions) : storeInto(place);
  const nest = planNest(statement);
  const reducedNest = (inner: () => void): (() => void) =>
    compileLevels(nest.reduced, frame, budget, inner);
  const around = (store: Store): (() => void) =>
    compileLevels(
      nest.parallel,
      frame,
      budget,
      compilePoint(statement, expressions, place, store, reducedNest),
    );
  if (!mustBuffer(statement)) return around(direct);
  const projected = reduction?.projected === true && !scatter;
  const pending = createPending(projected ? 1 : states);
  const run = around(pending.add);
  return () => {
    run();
    pending.commit(direct);
  };
}
