import { defined } from "../../support/assert.ts";
import type { RoundedSteps } from "../algebraic/own-loop.ts";
import { isScatter, type Reduction, type Statement } from "../program.ts";
import { type BoundedContext, boundedCoordinate, boundedExpression } from "./bounded-expression.ts";
import { boundedAccumulator, boundedAll } from "./bounded-reduction.ts";
import { boundedSteps } from "./bounded-steps.ts";
import { compileWrite, type Place } from "./compile-access.ts";
import type { StatementContext } from "./compile-statement.ts";
import { compileLevels, planNest } from "./nest.ts";
import { createPending } from "./pending.ts";
import { mustBuffer } from "./reads-itself.ts";

/** Takes a row: the values of an element's components, then their errors. */
type Store = (offset: number, row: Float64Array) => void;

type Nest = (inner: () => void) => () => void;

interface Parts {
  readonly statement: Statement;
  readonly context: BoundedContext;
  readonly place: Place;
  readonly reducedNest: Nest;
  readonly steps: RoundedSteps | undefined;
}

function storeInto({ place }: Parts): Store {
  const { data, bounds } = place.storage;
  const width = data.length;
  return (offset, row) => {
    for (let c = 0; c < width; c++) {
      defined(data[c], "component")[offset] = row[c] as number;
      defined(bounds[c], "component")[offset] = row[width + c] as number;
    }
  };
}

/** Hands the row to `store` unless the element is outside. */
function put(place: Place, row: Float64Array, store: Store): () => void {
  return () => {
    const at = place.offset();
    if (at >= 0) store(at, row);
  };
}

/** Every point hands over its body: assignments, and the terms of scatters. */
function compileTerms(parts: Parts, store: Store): () => void {
  const { statement, context, place, reducedNest } = parts;
  const width = statement.body.length;
  const row = new Float64Array(2 * width);
  const [values, errors] = [row.subarray(0, width), row.subarray(width)];
  const evaluate = boundedAll(statement.body, context, values, errors);
  const round = parts.steps === undefined ? null : boundedSteps(parts.steps, context, row);
  const finish = put(place, row, store);
  return reducedNest(() => {
    evaluate();
    round?.();
    finish();
  });
}

function compileElement(parts: Parts, reduction: Reduction, store: Store): () => void {
  const { statement, context, place, reducedNest } = parts;
  const { monoid, init, projected } = reduction;
  const { left, right, leftError, rightError, error } = context;
  const accumulator = boundedAccumulator(monoid, context);
  const start = boundedAll(init ?? monoid.identity, context, left, leftError);
  const lift = boundedAll(statement.body, context, right, rightError);
  const reduce = reducedNest(() => {
    lift();
    accumulator.combine();
  });
  const width = projected ? 1 : left.length;
  const row = new Float64Array(2 * width);
  const project = boundedExpression(monoid.project, context);
  const finish = put(place, row, store);
  return () => {
    start();
    accumulator.begin(init !== null);
    reduce();
    accumulator.round();
    if (projected) {
      row[0] = project();
      row[1] = error[0] as number;
    } else {
      row.set(left);
      row.set(leftError, width);
    }
    finish();
  };
}

/** Combines all terms of a scatter into the elements that they name, then accounts for rounding. */
function scatterInto(parts: Parts, reduction: Reduction): (commit: (write: Store) => void) => void {
  const { context, place } = parts;
  const { left, right, leftError, rightError } = context;
  const { data, bounds } = place.storage;
  const width = left.length;
  const { terms, begin, combine, round } = boundedAccumulator(reduction.monoid, context);
  const load = (offset: number): void => {
    for (let c = 0; c < width; c++) {
      left[c] = defined(data[c], "component")[offset] as number;
      leftError[c] = defined(bounds[c], "component")[offset] as number;
    }
  };
  const save = (offset: number): void => {
    for (let c = 0; c < width; c++) {
      defined(data[c], "component")[offset] = left[c] as number;
      defined(bounds[c], "component")[offset] = leftError[c] as number;
    }
  };
  return (commit) => {
    const touched = new Map<number, { count: number; integers: boolean; magnitude: number[] }>();
    commit((offset, row) => {
      load(offset);
      const known = touched.get(offset);
      if (known === undefined) begin(true);
      else {
        terms.count = known.count;
        terms.integers = known.integers;
        terms.magnitude.set(known.magnitude);
      }
      right.set(row.subarray(0, width));
      rightError.set(row.subarray(width));
      combine();
      const { count, integers } = terms;
      touched.set(offset, { count, integers, magnitude: [...terms.magnitude] });
      save(offset);
    });
    for (const [offset, { count, integers, magnitude }] of touched) {
      load(offset);
      terms.count = count;
      terms.integers = integers;
      terms.magnitude.set(magnitude);
      round();
      save(offset);
    }
  };
}

function boundedContext(statement: Statement, context: StatementContext): BoundedContext {
  const width = statement.reduction?.monoid.state.length ?? statement.body.length;
  const registers = (): Float64Array => new Float64Array(width);
  return {
    frame: context.frame,
    storage: context.storage,
    statement,
    left: registers(),
    right: registers(),
    leftError: registers(),
    rightError: registers(),
    error: new Float64Array(1),
    rounding: null,
    rounds: true,
    astray: new Uint8Array(1),
  };
}

/** As `compileStatement`, with error bounds beside the values. */
export function compileBoundedStatement(statement: Statement, outer: StatementContext): () => void {
  const { frame, budget } = outer;
  const { reduction } = statement;
  const context = boundedContext(statement, outer);
  const scatter = isScatter(statement);
  const access = { ...context, coordinate: boundedCoordinate(context) };
  const place = compileWrite(access, scatter ? "dropped" : "fault");
  const nest = planNest(statement);
  const reducedNest: Nest = (inner) => compileLevels(nest.reduced, frame, budget, inner);
  const steps = outer.steps?.get(statement.id);
  const parts: Parts = { statement, context, place, reducedNest, steps };
  const around = (store: Store): (() => void) => {
    const reduces = reduction !== null && !scatter;
    const point = reduces ? compileElement(parts, reduction, store) : compileTerms(parts, store);
    return compileLevels(nest.parallel, frame, budget, point);
  };
  const run = (): (() => void) => {
    if (!scatter && !mustBuffer(statement)) return around(storeInto(parts));
    const projected = reduction?.projected === true && !scatter;
    const pending = createPending(2 * (projected ? 1 : context.left.length));
    const gather = around(pending.add);
    if (reduction !== null && scatter) {
      const scatterAll = scatterInto(parts, reduction);
      return () => {
        gather();
        scatterAll(pending.commit);
      };
    }
    const store = storeInto(parts);
    return () => {
      gather();
      pending.commit(store);
    };
  };
  const statementOnce = run();
  return () => {
    context.astray[0] = 0;
    statementOnce();
    // The element that was written is not known: it may be any.
    if (context.astray[0] !== 0) for (const bound of place.storage.bounds) bound.fill(Infinity);
  };
}
