/**
 * Purpose: the first statement, element and operation of a program that makes a NaN or an infinity.
 *
 * The program runs as `interpret` runs it, in program order, but each operation is rounded to its
 * type: what overflows float32, and what becomes 0 there and then a divisor, is found too. A device
 * that adds in another order may overflow elsewhere.
 */
import type { Span } from "../../diagnostics/span.ts";
import { elementCount, rowMajorStrides } from "../../support/scalar-type.ts";
import { type Expression, operands, printExpression } from "../expression.ts";
import { printRead } from "../print-program.ts";
import { isScatter, type Program, type Statement } from "../program.ts";
import { compileWrite, type Place } from "./compile-access.ts";
import type { ExpressionContext } from "./compile-expression.ts";
import type { StatementContext } from "./compile-statement.ts";
import { createFrame, type Evaluate, slotOf } from "./frame.ts";
import { compileNodes } from "./interpret.ts";
import { type Budget, compileLevels, planNest } from "./nest.ts";
import { createPending } from "./pending.ts";
import { compileProbed, type Probe } from "./probed-expression.ts";
import { mustBuffer } from "./reads-itself.ts";
import { createStorage, type NumericArray } from "./storage.ts";

/** An operand, as the program has it, with its value. */
export interface NamedValue {
  readonly text: string;
  readonly value: number;
}

/** Where a NaN or an infinity was made. */
export interface NonfiniteOrigin {
  /** What the statement writes, and the element that it was about to write. */
  readonly tensor: string;
  readonly index: readonly number[];
  /** The loops and indices of the statement, with their values. */
  readonly at: Readonly<Record<string, number>>;
  /** The operation, as the program has it, and what it made. */
  readonly operation: string;
  readonly value: number;
  readonly operands: readonly NamedValue[];
  /** The statement in the source. */
  readonly span: Span;
}

/** What was found; null where nothing was made. */
export interface NonfiniteSearch {
  readonly infinity: NonfiniteOrigin | null;
  readonly nan: NonfiniteOrigin | null;
  /** False when the budget ended before the program did. */
  readonly complete: boolean;
  /** What is wrong with the inputs; nothing was computed unless it is empty. */
  readonly faults: readonly string[];
}

/** Runs a program on inputs, at most about so many loop iterations. */
export function findNonfinite(
  program: Program,
  inputs: Readonly<Record<string, NumericArray>>,
  maxPoints: number,
): NonfiniteSearch {
  const { storage, faults } = createStorage(program, inputs, false);
  const found: Found = { infinity: null, nan: null };
  if (faults.length > 0) return { ...found, complete: false, faults };
  const budget: Budget = { left: maxPoints };
  const compile = (statement: Statement, context: StatementContext): (() => void) =>
    compileProbedStatement(statement, context, found);
  const frame = createFrame(program);
  compileNodes(program, program.tree, { frame, storage, budget, rounding: null, compile })();
  return { ...found, complete: budget.left >= 0, faults: [] };
}

/** The first of each kind so far. */
interface Found {
  infinity: NonfiniteOrigin | null;
  nan: NonfiniteOrigin | null;
}

function compileProbedStatement(
  statement: Statement,
  { frame, storage, budget }: StatementContext,
  found: Found,
): () => void {
  const states = statement.reduction?.monoid.state.length ?? statement.body.length;
  const context: ExpressionContext = {
    frame,
    storage,
    statement,
    left: new Float64Array(states),
    right: new Float64Array(states),
    rounding: null,
  };
  const scatter = isScatter(statement);
  const ignore: Probe = () => undefined;
  const coordinate = (e: Expression): Evaluate => compileProbed(e, context, ignore);
  const place = compileWrite({ ...context, coordinate }, scatter ? "dropped" : "fault");
  const probe = recorder(context, place, found);
  const stored = storeInto(place);
  const nest = planNest(statement);
  const run = (store: Store): (() => void) => {
    const reduced = (inner: () => void): (() => void) =>
      compileLevels(nest.reduced, frame, budget, inner);
    const point = compilePoint(context, place, { store, probe, reduced });
    return compileLevels(nest.parallel, frame, budget, point);
  };
  const direct = scatter ? combineInto(context, place, stored, probe) : stored;
  if (!mustBuffer(statement)) return run(direct);
  const projected = statement.reduction?.projected === true && !scatter;
  const pending = createPending(projected ? 1 : states);
  const all = run(pending.add);
  return () => {
    all();
    pending.commit(direct);
  };
}

type Store = (offset: number, values: Float64Array) => void;

/** Keeps the first of each kind, with the element that is about to be written. */
function recorder(context: ExpressionContext, place: Place, found: Found): Probe {
  const { frame, statement } = context;
  const { tensor } = place.storage;
  const strides = rowMajorStrides(tensor.shape);
  return (operation, value, of) => {
    const kind = Number.isNaN(value) ? "nan" : "infinity";
    if (found[kind] !== null) return;
    const offset = place.offset();
    const inside = offset >= 0 && offset < elementCount(tensor.shape);
    const dims = statement.domain.dims.map(({ name }) => name);
    const text = textOf(statement);
    found[kind] = {
      tensor: tensor.name,
      index: inside
        ? tensor.shape.map((extent, d) => Math.floor(offset / (strides[d] ?? 1)) % extent)
        : [],
      at: Object.fromEntries(dims.map((name) => [name, frame.values[slotOf(frame, name)] ?? 0])),
      operation: text(operation),
      value,
      operands: operands(operation).flatMap((e, n): readonly NamedValue[] =>
        e.kind === "literal" ? [] : [{ text: text(e), value: of[n] ?? 0 }],
      ),
      span: statement.span,
    };
  };
}

/** Expressions as the source has them, about; of a reduction, what it has combined so far. */
function textOf(statement: Statement): (e: Expression) => string {
  const { body, reduction } = statement;
  const print = (e: Expression): string => printExpression(e, (n) => printRead(statement, n));
  const term = (c: string): string => {
    const e = body[Number(c)];
    return e === undefined ? "the next term" : print(e);
  };
  return (e) =>
    print(e)
      .replaceAll(/\bleft\.\d+/g, `(${reduction?.monoid.name ?? "value"} so far)`)
      .replaceAll(/\bright\.(\d+)/g, (_, c: string) => term(c))
      .replace(/^\((.*)\)$/, (all, inner: string) => (isOneGroup(inner) ? inner : all));
}

/** Whether the parentheses around a text are a pair. */
function isOneGroup(inner: string): boolean {
  let depth = 0;
  for (const c of inner) {
    depth += c === "(" ? 1 : c === ")" ? -1 : 0;
    if (depth < 0) return false;
  }
  return true;
}

function storeInto({ storage }: Place): Store {
  return (offset, values) => {
    for (const [c, part] of storage.data.entries()) part[offset] = values[c] ?? 0;
  };
}

/** Combines values into an element that is there. */
function combineInto(context: ExpressionContext, place: Place, store: Store, probe: Probe): Store {
  const { left, right, statement } = context;
  const combine = compileAll(statement.reduction?.monoid.combine ?? [], context, left, probe);
  return (offset, values) => {
    for (const [c, part] of place.storage.data.entries()) left[c] = part[offset] ?? 0;
    if (values !== right) right.set(values);
    combine();
    store(offset, left);
  };
}

/** Computes all parts, then writes them to `into`, which the parts may read. */
function compileAll(
  parts: readonly Expression[],
  context: ExpressionContext,
  into: Float64Array,
  probe: Probe,
): () => void {
  const all = parts.map((e) => compileProbed(e, context, probe));
  const next = new Float64Array(into.length);
  return () => {
    for (const [c, evaluate] of all.entries()) next[c] = evaluate();
    into.set(next);
  };
}

/** What one point of the outer nest does: computes values and hands them to `store`. */
function compilePoint(
  context: ExpressionContext,
  { offset }: Place,
  how: {
    readonly store: Store;
    readonly probe: Probe;
    readonly reduced: (inner: () => void) => () => void;
  },
): () => void {
  const { left, right, statement } = context;
  const { store, probe, reduced } = how;
  const { reduction, body } = statement;
  const put = (values: Float64Array): void => {
    const at = offset();
    if (at >= 0) store(at, values);
  };
  const lift = compileAll(body, context, right, probe);
  if (reduction === null || isScatter(statement)) {
    return reduced(() => {
      lift();
      put(right);
    });
  }
  const { monoid, init, projected } = reduction;
  const start = compileAll(init ?? monoid.identity, context, left, probe);
  const combine = compileAll(monoid.combine, context, left, probe);
  const accumulate = reduced(() => {
    lift();
    combine();
  });
  const result = projected ? new Float64Array(1) : left;
  const finish = projected
    ? compileAll([monoid.project], context, result, probe)
    : (): void => undefined;
  return () => {
    start();
    accumulate();
    finish();
    put(result);
  };
}
