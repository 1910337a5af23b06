/**
 * An evaluator of definitions, written from the language document: it walks the syntax tree in
 * float64 and plain loops.
 *
 * Independent of what it tests: names, types, ranges, shapes, bounds and the meaning of every
 * statement. It shares the parser with the compiler and nothing else: no lowering, no program, no
 * `interpret`, no affine arithmetic, no scalar functions. Ranges are found by trying values of an
 * index until an access leaves its tensor, and shapes by visiting every element that is written.
 * Definitions that the compiler refuses have no meaning here either: the evaluator checks only that
 * no analysed access leaves its tensor.
 */
import type { Assign, Expression } from "../../src/frontend/syntax/ast.ts";
import { parse } from "../../src/frontend/syntax/parse.ts";
import { bind, eachTarget, runCall } from "./evaluate-source/calls.ts";
import { type Node, openWorld, sizesOf } from "./evaluate-source/definition.ts";
import {
  as,
  type Cell,
  type Compiled,
  cellsOf,
  combined,
  compile,
  isAffine,
  placeOf,
  type Scope,
  type Tensor,
} from "./evaluate-source/expressions.ts";
import {
  frozen,
  hullOf,
  type Interval,
  inferRanges,
  type RangedIndex,
} from "./evaluate-source/ranges.ts";
import {
  combiner,
  converted,
  type Element,
  halfOf,
  identity,
  reductionName,
  valueType,
  wrapped,
} from "./evaluate-source/scalars.ts";

/** What to evaluate and on what. */
export interface SourceRequest {
  readonly definition?: string;
  /** Sizes and compile-time parameters; they win over `#! sizes`. */
  readonly sizes?: Readonly<Record<string, number>>;
  /** Values of the tensors that the caller supplies, row-major; scalars are arrays of one. */
  readonly inputs: Readonly<Record<string, ArrayLike<number>>>;
}

/** The contents of a tensor after the definition. */
export interface EvaluatedTensor {
  readonly type: Element;
  readonly shape: readonly number[];
  readonly data: Float64Array;
}

/** What a definition computes. */
export interface Evaluation {
  /** The results, and with them all that was computed on the way. */
  readonly tensors: ReadonlyMap<string, EvaluatedTensor>;
  /** Analysed accesses that left their tensor, which a checked definition does not have. */
  readonly faults: readonly string[];
}

type AssignNode = Extract<Node, { readonly kind: "assign" }>;
type CallNode = Extract<Node, { readonly kind: "call" }>;
type LoopNode = Extract<Node, { readonly kind: "loop" }>;

/** A loop's ends, as they are with the sizes that tensors had where the loop begins. */
interface LoopRange {
  readonly lower: () => number;
  readonly upper: () => number;
}

/** What leads to a statement: loops, and conditions with what they must be. */
type Step =
  | { readonly kind: "loop"; readonly loop: LoopNode }
  | { readonly kind: "condition"; readonly holds: () => boolean; readonly wanted: boolean };

interface Inference {
  readonly nodes: readonly Node[];
  readonly statements: Map<AssignNode, { scope: Scope; indices: readonly RangedIndex[] }>;
  readonly loops: Map<LoopNode, LoopRange>;
}

/** Evaluates a definition on inputs. Throws when it has no meaning. */
export function evaluateSource(source: string, request: SourceRequest): Evaluation {
  const { module } = parse(source);
  const { definition: wanted } = request;
  // The last one of a file, unless one is asked for: it may call those before.
  const definition =
    wanted === undefined
      ? module.definitions.at(-1)
      : module.definitions.find((d) => d.name.name === wanted);
  if (definition === undefined) throw new Error("no definition");
  const sizes = sizesOf(module, request.sizes ?? {});
  const { world, nodes } = openWorld(definition, module.definitions, sizes, new Map(), []);
  const inference: Inference = { nodes, statements: new Map(), loops: new Map() };
  infer(nodes, [], new Map(), false, inference);
  for (const tensor of world.tensors.values()) fill(tensor, request.inputs);
  run(nodes, inference);
  const tensors = new Map(
    [...world.tensors.values()].map(({ name, type = "float32", shape = [], data }) => {
      return [name, { type, shape, data }];
    }),
  );
  return { tensors, faults: world.faults };
}

function fill(tensor: Tensor, inputs: SourceRequest["inputs"]): void {
  const { name, role, shape = [], type = "float32" } = tensor;
  const length = shape.reduce((a, b) => a * b, 1);
  tensor.data = new Float64Array(length);
  if (role === "output" || role === "temporary") return;
  const given = Object.hasOwn(inputs, name) ? inputs[name] : undefined;
  if (given?.length !== length) throw new Error(`${name} needs ${length} elements`);
  const put = (x: number): number => {
    if (type === "float32") return Math.fround(x);
    return type === "float16" ? halfOf(x) : wrapped(x, type);
  };
  tensor.data.set(Array.from(given, put));
}

function infer(
  nodes: readonly Node[],
  path: readonly Step[],
  hulls: ReadonlyMap<Cell, Interval>,
  patient: boolean,
  inference: Inference,
): void {
  for (const node of nodes) {
    if (node.kind === "loop") inferLoop(node, path, hulls, patient, inference);
    else if (node.kind === "assign") inferAssign(node, path, hulls, patient, inference);
    else if (node.kind === "call") inferCall(node, path, hulls, patient, inference);
    else {
      let before = path;
      for (const { holds, body } of node.branches) {
        infer(body, [...before, condition(holds, true)], hulls, patient, inference);
        before = [...before, condition(holds, false)];
      }
      infer(node.otherwise, before, hulls, patient, inference);
    }
  }
}

function inferAssign(
  node: AssignNode,
  path: readonly Step[],
  hulls: ReadonlyMap<Cell, Interval>,
  patient: boolean,
  inference: Inference,
): void {
  if (!everRuns(path, inference)) {
    leaveOut(node, inference);
    return;
  }
  const found = inferRanges(node.statement, node.scope, hulls, patient);
  if (found === undefined) return;
  inference.statements.set(node, found);
  grow(node, path, inference);
}

function condition(holds: () => boolean, wanted: boolean): Step {
  return { kind: "condition", holds, wanted };
}

function inferLoop(
  loop: LoopNode,
  path: readonly Step[],
  hulls: ReadonlyMap<Cell, Interval>,
  patient: boolean,
  inference: Inference,
): void {
  const end = (e: Expression): (() => number) =>
    as(compile(frozen(e, loop.scope), loop.scope), "int32");
  const range = {
    lower: loop.lower === undefined ? () => 0 : end(loop.lower),
    upper: end(loop.upper),
  };
  inference.loops.set(loop, range);
  const ends = loop.lower === undefined ? [loop.upper] : [loop.lower, loop.upper];
  const used = new Set(ends.flatMap((e) => [...cellsOf(e, loop.scope)]));
  const outer = [...hulls].filter(([cell]) => used.has(cell));
  const inside = new Map(hulls).set(loop.cell, hullOf(range.lower, range.upper, outer));
  const steps: readonly Step[] = [...path, { kind: "loop", loop }];
  // A read of what the body writes later has the ranges of those writes: again until they settle.
  for (const waits of path.some((s) => s.kind === "loop") ? [] : [true, false]) {
    for (let before = "", after = "-"; after !== before; ) {
      before = after;
      infer(loop.body, steps, inside, waits, inference);
      after = snapshot(inference);
    }
  }
  infer(loop.body, steps, inside, patient, inference);
}

/** A call: its body with the shapes of what is passed, then the targets. */
function inferCall(
  call: CallNode,
  path: readonly Step[],
  hulls: ReadonlyMap<Cell, Interval>,
  patient: boolean,
  inference: Inference,
): void {
  if (!everRuns(path, inference)) {
    leaveOutCall(call, inference);
    return;
  }
  if (!bind(call)) return;
  infer(call.body, path, hulls, patient, inference);
  eachTarget(call, (target, leading, shape) => {
    if (target.fixed) return;
    const extents = [...(target.shape ?? [...leading, ...shape].map(() => 0))];
    const indices = leading.map((e) => as(e, "int32"));
    // Without elements nothing is written.
    if (!shape.includes(0))
      eachRun(path, inference, () => {
        for (const [d, index] of indices.entries()) {
          extents[d] = Math.max(extents[d] ?? 0, index() + 1);
        }
      });
    for (const [d, extent] of shape.entries()) {
      const at = leading.length + d;
      extents[at] = Math.max(extents[at] ?? 0, extent);
    }
    target.shape = extents;
  });
}

/** The tensors of nodes, those of calls too. */
function* tensorsIn(nodes: readonly Node[]): Generator<Tensor> {
  for (const node of nodes) {
    if (node.kind === "assign") {
      const tensor = node.scope.world.tensors.get(node.statement.target.name.name);
      if (tensor !== undefined) yield tensor;
    } else if (node.kind === "call") {
      yield* node.own;
      yield* tensorsIn(node.body);
      yield* node.scope.world.tensors.values();
    } else if (node.kind === "loop") yield* tensorsIn(node.body);
    else {
      for (const branch of node.branches) yield* tensorsIn(branch.body);
      yield* tensorsIn(node.otherwise);
    }
  }
}

/** All that another round could change. */
function snapshot({ nodes, statements }: Inference): string {
  const shapes = [...tensorsIn(nodes)].map((t) => t.shape ?? null);
  const hulls = [...statements.values()].map(({ indices }) => indices.map((i) => i.hull));
  return JSON.stringify([shapes, hulls]);
}

/** Calls `body` for every time that a statement runs. */
function eachRun(path: readonly Step[], { loops }: Inference, body: () => void): void {
  const follow = (at: number): void => {
    const step = path[at];
    if (step === undefined) body();
    else if (step.kind === "condition") {
      if (step.holds() === step.wanted) follow(at + 1);
    } else {
      const range = loops.get(step.loop);
      const upper = range?.upper() ?? 0;
      for (let v = range?.lower() ?? 0; v < upper; v++) {
        step.loop.cell.value = v;
        follow(at + 1);
      }
    }
  };
  follow(0);
}

function everRuns(path: readonly Step[], inference: Inference): boolean {
  let runs = false;
  eachRun(path, inference, () => {
    runs = true;
  });
  return runs;
}

/** A statement that never runs has no ranges; its tensor has no more elements than before. */
function leaveOut(node: AssignNode, { statements }: Inference): void {
  const { statement, scope } = node;
  statements.delete(node);
  const tensor = scope.world.tensors.get(statement.target.name.name);
  if (tensor !== undefined) tensor.shape ??= statement.target.indices.map(() => 0);
}

function leaveOutCall(call: CallNode, inference: Inference): void {
  for (const tensor of call.own) tensor.shape ??= Array.from({ length: tensor.rank }, () => 0);
  for (const node of call.body) {
    if (node.kind === "assign") leaveOut(node, inference);
  }
  eachTarget(call, (target, leading, shape) => {
    target.shape ??= [...leading, ...shape].map(() => 0);
  });
}

/** Calls `body` for every combination of index values. */
function eachPoint(indices: readonly RangedIndex[], body: () => void, at = 0): void {
  const index = indices[at];
  if (index === undefined) {
    body();
    return;
  }
  const upper = index.upper();
  for (let v = index.lower(); v < upper; v++) {
    index.cell.value = v;
    eachPoint(indices, body, at + 1);
  }
}

/** The left indices, and those that their ranges depend on. */
function leftIndices(indices: readonly RangedIndex[]): readonly RangedIndex[] {
  const needed = new Set(indices.filter((i) => i.left).map((i) => i.cell));
  for (const index of [...indices].reverse()) {
    if (needed.has(index.cell)) for (const cell of index.uses) needed.add(cell);
  }
  return indices.filter((i) => needed.has(i.cell));
}

/** Makes the target's shape reach every element that the statement writes. */
function grow(node: AssignNode, path: readonly Step[], inference: Inference): void {
  const { statement } = node;
  const tensor = node.scope.world.tensors.get(statement.target.name.name);
  const inferred = inference.statements.get(node);
  if (tensor === undefined || tensor.fixed || inferred === undefined) return;
  const { scope, indices } = inferred;
  const extents = [...(tensor.shape ?? statement.target.indices.map(() => 0))];
  const left = statement.target.indices.flatMap((e, d) =>
    isAffine(e, scope) ? [{ d, run: as(compile(e, scope), "int32") }] : [],
  );
  const own = statement.operator === "=" ? indices : leftIndices(indices);
  eachRun(path, inference, () => {
    eachPoint(own, () => {
      for (const { d, run: index } of left) extents[d] = Math.max(extents[d] ?? 0, index() + 1);
    });
  });
  tensor.shape = extents;
}

function run(nodes: readonly Node[], inference: Inference): void {
  for (const node of nodes) {
    if (node.kind === "assign") assign(node, inference);
    else if (node.kind === "loop") runLoop(node, inference);
    else if (node.kind === "call") runCall(node, (body) => run(body, inference));
    else {
      const taken = node.branches.find((b) => b.holds());
      run(taken === undefined ? node.otherwise : taken.body, inference);
    }
  }
}

function runLoop(loop: LoopNode, inference: Inference): void {
  const range = inference.loops.get(loop);
  const [lower, upper] = [range?.lower() ?? 0, range?.upper() ?? 0];
  for (let n = 0; n < upper - lower; n++) {
    loop.cell.value = loop.reversed ? upper - 1 - n : lower + n;
    run(loop.body, inference);
  }
}

/** Executes one statement: everything is read before anything is written. */
function assign(node: AssignNode, { statements }: Inference): void {
  const { statement } = node;
  const { world } = node.scope;
  const tensor = world.tensors.get(statement.target.name.name);
  const inferred = statements.get(node);
  if (tensor === undefined || inferred === undefined) {
    throw new Error(`no ranges for a statement that writes ${statement.target.name.name}`);
  }
  const { scope, indices } = inferred;
  const name = reductionName(statement.operator);
  const type = tensor.type ?? "float32";
  const valued = valueType(type);
  const locate = placeOf(tensor, statement.target.indices, scope);
  const checked = statement.target.indices.every((e) => isAffine(e, scope));
  const place = (): number | undefined => {
    const at = locate();
    const wrong = at === undefined && checked;
    if (wrong) world.faults.push(`a write of ${tensor.name} is outside of ${tensor.shape}`);
    return at;
  };
  const after = tensor.data.slice();
  const put = (value: (before: number) => number): void => {
    const at = place();
    if (at !== undefined) after[at] = value(after[at] ?? 0);
  };
  if (statement.operator.endsWith("!")) {
    const start = name.startsWith("arg") ? converted(-1, "int32", type) : identity(name, type);
    eachPoint(leftIndices(indices), () => put(() => start));
  }
  const value = compile(statement.value, scope);
  if (name.startsWith("arg")) {
    putWinners(name, value, indices, place, (at, index) => {
      after[at] = converted(index, "int32", type);
    });
  } else if (name === "" || name === "/") {
    const stored = as(name === "" ? value : combined("/", own(statement, scope), value), type);
    eachPoint(indices, () => put(stored));
  } else {
    const term = name === "-" ? combined("-", compileZero(value), value) : value;
    const [next, combine] = [as(term, type), combiner(name, valued)];
    eachPoint(indices, () => put((before) => combine(before, next())));
  }
  // Only what is stored in the end is rounded, or wraps.
  tensor.data = after.map((x) => converted(x, valued, type));
}

function own({ target }: Assign, scope: Scope): Compiled {
  return compile({ kind: "apply", ...target, arguments: target.indices }, scope);
}

/** What to subtract from, to negate a value of the type. */
function compileZero(value: Compiled): Compiled {
  return { type: value.type ?? "float32", adapts: 0, run: () => 0 };
}

/** The first index that has the least or greatest value, per element. */
function putWinners(
  name: string,
  value: Compiled,
  indices: readonly RangedIndex[],
  place: () => number | undefined,
  put: (at: number, index: number) => void,
): void {
  const best = new Map<number, number>();
  const over = indices.find((i) => !i.left);
  eachPoint(indices, () => {
    const at = place();
    if (at === undefined || over === undefined) return;
    const candidate = value.run();
    const before = best.get(at);
    const wins =
      before === undefined || (name === "argmin" ? candidate < before : candidate > before);
    if (!wins) return;
    best.set(at, candidate);
    put(at, over.cell.value);
  });
}
