/**
 * An independent execution of programs, as a device might do it: a tree walk that rounds to float32
 * after every operation, errs within WGSL's accuracy and combines reductions in a random order and
 * shape. Slow; for small programs.
 */
import { evaluate, holds } from "../../src/ir/affine.ts";
import { evaluateQuotients } from "../../src/ir/domain.ts";
import type { Expression } from "../../src/ir/expression.ts";
import type { Monoid } from "../../src/ir/monoid.ts";
import {
  type Access,
  findStatement,
  findTensor,
  type Index,
  isScatter,
  type Program,
  type ProgramNode,
  parallelDims,
  type Statement,
} from "../../src/ir/program.ts";
import type { Random } from "../../src/support/random.ts";
import { scalarFunction } from "../../src/support/scalar-functions.ts";
import { elementCount, type ScalarType } from "../../src/support/scalar-type.ts";

type Values = Map<string, number>;
type State = readonly number[];
type Tensors = Map<string, number[][]>;

interface Scope {
  readonly program: Program;
  readonly statement: Statement;
  /** As they were before the statement. */
  readonly tensors: Tensors;
  readonly random: Random;
  readonly values: Values;
  readonly left?: State;
  readonly right?: State;
}

function convert(type: ScalarType, x: number): number {
  if (type === "float32") return Math.fround(x);
  if (type === "bool") return x !== 0 ? 1 : 0;
  return type === "int32" ? x | 0 : x >>> 0;
}

function at<T>(list: readonly T[] | undefined, index: number): T {
  const found = list?.[index];
  if (found === undefined) throw new Error(`nothing at ${index}`);
  return found;
}

/** Operators and functions whose result is that of float64, rounded. */
const exactNames: ReadonlySet<string> = new Set(
  `+ - * floorDiv floorMod min max < <= > >= == != and or abs sign ceil floor trunc round relu clamp
  logb fdim fmod remainder copysign fma isnan isinf select`.split(/\s+/),
);

/** Half of what devices are allowed, or less. */
function err(name: string, x: number, v: number, random: Random): number {
  const sign = random.next() * 2 - 1;
  if (exactNames.has(name)) return 0;
  const ulps = sign * 2 ** -23 * v;
  return ["exp", "exp2", "sigmoid", "silu"].includes(name) ? ulps * (1 + Math.abs(x)) : ulps;
}

function binaryValue(e: Extract<Expression, { kind: "binary" }>, a: number, b: number): number {
  const float = e.left.type === "float32";
  switch (e.operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return float ? a * b : Math.imul(a, b);
    case "/":
      return a / b;
    case "floorDiv":
      return b === 0 ? 0 : Math.floor(a / b);
    case "floorMod":
      if (float) return a - Math.fround(b * Math.floor(Math.fround(a / b)));
      return b === 0 ? 0 : a - b * Math.floor(a / b);
    case "min":
      return Math.min(a, b);
    case "max":
      return Math.max(a, b);
    case "<":
      return Number(a < b);
    case "<=":
      return Number(a <= b);
    case ">":
      return Number(a > b);
    case ">=":
      return Number(a >= b);
    case "==":
      return Number(a === b);
    case "!=":
      return Number(a !== b);
    case "and":
      return a && b;
    case "or":
      return a || b;
  }
}

function walk(e: Expression, s: Scope): number {
  switch (e.kind) {
    case "literal":
      return convert(e.type, e.value);
    case "coordinate":
      return evaluate(e.affine, (name) => s.values.get(name) ?? 0);
    case "read":
      return load(at(s.statement.reads, e.read), e.component, e.type, s);
    case "state":
      return at(s[e.side], e.component);
    case "unary": {
      const x = walk(e.operand, s);
      return e.operator === "not" ? 1 - x : convert(e.type, -x);
    }
    case "binary": {
      const v = binaryValue(e, walk(e.left, s), walk(e.right, s));
      return convert(e.type, v + err(e.operator, 0, v, s.random));
    }
    case "select":
      return walk(e.condition, s) !== 0 ? walk(e.whenTrue, s) : walk(e.whenFalse, s);
    case "call": {
      const [a = 0, b = 0, c = 0] = e.arguments.map((x) => walk(x, s));
      const f = scalarFunction(e.function);
      if (f === undefined) throw new Error(e.function);
      const v = f.evaluate(a, b, c);
      return convert(e.type, v + err(e.function, a, v, s.random));
    }
    case "cast": {
      const x = walk(e.operand, s);
      if (e.operand.type !== "float32" || e.type === "float32") return convert(e.type, x);
      const [lo, hi] = e.type === "int32" ? [-2147483648, 2147483647] : [0, 4294967295];
      return e.type === "bool" ? convert("bool", x) : Math.trunc(Math.min(hi, Math.max(lo, x)));
    }
  }
}

function place(tensor: string, index: readonly Index[], s: Scope): number {
  const shape = findTensor(s.program, tensor)?.shape ?? [];
  let offset = 0;
  for (const [d, part] of index.entries()) {
    const x =
      part.kind === "affine"
        ? evaluate(part.affine, (name) => s.values.get(name) ?? 0)
        : walk(part.expression, s);
    if (x < 0 || x >= at(shape, d)) return -1;
    offset = offset * at(shape, d) + x;
  }
  return offset;
}

function load(access: Access, component: number, type: ScalarType, s: Scope): number {
  if (!access.guard.every((g) => holds(g, (name) => s.values.get(name) ?? 0))) {
    return convert(type, access.fill);
  }
  const offset = place(access.tensor, access.index, s);
  if (offset < 0) return convert(type, access.fill);
  return at(at(s.tensors.get(access.tensor), component), offset);
}

/** Every assignment of the dims from number `depth` on, guards respected. */
function* points(statement: Statement, values: Values, depth: number): Generator<Values> {
  const { domain } = statement;
  const d = domain.dims[depth];
  if (d === undefined) {
    const all = new Map(values);
    evaluateQuotients(domain, all);
    if (domain.guards.every((g) => holds(g, (name) => all.get(name) ?? 0))) yield all;
    return;
  }
  const value = (name: string): number => values.get(name) ?? 0;
  for (let x = evaluate(d.lower, value); x < evaluate(d.upper, value); x++) {
    yield* points(statement, new Map(values).set(d.name, x), depth + 1);
  }
}

/** The parallel points; exact where no parallel dim or guard depends on a reduced dim. */
function parallelPoints(statement: Statement, values: Values): Generator<Values> {
  const kept = new Set(parallelDims(statement));
  const known = new Set(kept);
  for (const q of statement.domain.quotients) {
    if (q.numerator.terms.every((t) => known.has(t.variable))) known.add(q.name);
  }
  const domain = {
    dims: statement.domain.dims.filter((d) => kept.has(d.name)),
    guards: statement.domain.guards.filter((g) =>
      g.affine.terms.every((t) => known.has(t.variable)),
    ),
    quotients: statement.domain.quotients.filter((q) => known.has(q.name)),
  };
  return points({ ...statement, domain }, values, statement.loops.length);
}

function combineRandomly(monoid: Monoid, states: State[], s: Scope): State {
  const left = [...states];
  while (left.length > 1) {
    const [a] = left.splice(s.random.integer(0, left.length), 1);
    const j = s.random.integer(0, left.length);
    if (a === undefined) break;
    const inner = { ...s, left: at(left, j), right: a };
    left[j] = monoid.combine.map((e) => walk(e, inner));
  }
  return at(left, 0);
}

function run(statement: Statement, s: Scope): [number, State][] {
  const { reduction, write } = statement;
  const here = (values: Values): Scope => ({ ...s, values });
  const bodyAt = (p: Values): State => statement.body.map((e) => walk(e, here(p)));
  const placeAt = (p: Values): number => place(write.tensor, write.index, here(p));
  const terms = new Map<string, State[]>();
  const collect = (key: string, state: State): void => {
    terms.set(key, [...(terms.get(key) ?? []), state]);
  };
  if (reduction === null) {
    return [...points(statement, s.values, statement.loops.length)].map((p) => [
      placeAt(p),
      bodyAt(p),
    ]);
  }
  const scatter = isScatter(statement);
  const names = parallelDims(statement);
  const keyOf = (p: Values): string =>
    scatter ? String(placeAt(p)) : names.map((name) => p.get(name)).join();
  for (const p of points(statement, s.values, statement.loops.length)) collect(keyOf(p), bodyAt(p));
  if (scatter) {
    return [...terms].map(([key, states]) => {
      const offset = Number(key);
      if (offset < 0) return [offset, []];
      const there = at(
        [...s.tensors.entries()].find(([name]) => name === write.tensor),
        1,
      );
      const before = (there as number[][]).map((part) => at(part, offset));
      return [offset, combineRandomly(reduction.monoid, [before, ...states], s)];
    });
  }
  return [...parallelPoints(statement, s.values)].map((p) => {
    const start = (reduction.init ?? reduction.monoid.identity).map((e) => walk(e, here(p)));
    const all = combineRandomly(reduction.monoid, [start, ...(terms.get(keyOf(p)) ?? [])], s);
    const project = (): State => [walk(reduction.monoid.project, { ...s, left: all })];
    return [placeAt(p), reduction.projected ? project() : all];
  });
}

type TreeScope = Omit<Scope, "statement">;

function executeStatement(id: string, s: TreeScope): void {
  const statement = findStatement(s.program, id);
  if (statement === undefined) throw new Error(id);
  for (const [offset, state] of run(statement, { ...s, statement })) {
    for (const [c, part] of (s.tensors.get(statement.write.tensor) ?? []).entries()) {
      if (offset >= 0) part[offset] = at(state, c);
    }
  }
}

function execute(nodes: readonly ProgramNode[], s: TreeScope): void {
  for (const node of nodes) {
    if (node.kind === "statement") executeStatement(node.statement, s);
    else {
      const value = (name: string): number => s.values.get(name) ?? 0;
      for (let x = evaluate(node.lower, value); x < evaluate(node.upper, value); x++) {
        execute(node.body, { ...s, values: new Map(s.values).set(node.name, x) });
      }
    }
  }
}

/** Executes a program; the outputs and inouts, by name. */
export function evaluateFloat32(
  program: Program,
  inputs: Readonly<Record<string, ArrayLike<number>>>,
  random: Random,
): Record<string, number[]> {
  const tensors: Tensors = new Map();
  for (const { name, components, shape } of program.tensors) {
    const zeros = components.map(() => new Array<number>(elementCount(shape)).fill(0));
    const given = inputs[name];
    const type = at(components, 0);
    if (given !== undefined) zeros[0] = Array.from(given, (x) => convert(type, x));
    tensors.set(name, zeros);
  }
  execute(program.tree, { program, tensors, random, values: new Map() });
  const shown = program.tensors.filter((t) => t.role === "output" || t.role === "inout");
  return Object.fromEntries(shown.map((t) => [t.name, at(tensors.get(t.name), 0)]));
}
