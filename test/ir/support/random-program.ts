/** Random small programs that stay in bounds and read only what was written. */
import { noSpan } from "../../../src/diagnostics/span.ts";
import {
  type Affine,
  add,
  constant,
  lessThan,
  nonnegative,
  rename,
  variable,
} from "../../../src/ir/affine.ts";
import type { Dim } from "../../../src/ir/domain.ts";
import { type Expression, read } from "../../../src/ir/expression.ts";
import type { Monoid } from "../../../src/ir/monoid.ts";
import {
  affineIndex,
  type Index,
  isScatter,
  type Program,
  type ProgramNode,
  type Reduction,
  type Statement,
  type Tensor,
} from "../../../src/ir/program.ts";
import { type Random, seededRandom } from "../../../src/support/random.ts";
import { elementCount, type ScalarType } from "../../../src/support/scalar-type.ts";
import {
  allNames,
  type Draft,
  decorate,
  expression,
  finish,
  type Names,
  randomDim,
  randomMonoid,
  stateFor,
  writeMap,
} from "./random-statement.ts";

interface Context {
  readonly random: Random;
  readonly tensors: Tensor[];
  readonly statements: Statement[];
  loops: number;
}

/** Where the next statement goes. */
interface Place {
  /** Tensors that may be read here. */
  readonly readable: Tensor[];
  readonly loops: readonly Dim[];
}

const types: readonly ScalarType[] = ["float32", "float32", "int32", "bool"];

function made(name: string, type: ScalarType, shape: readonly number[], role: Tensor["role"]) {
  return { name, components: [type], shape, role, span: noSpan } satisfies Tensor;
}

function randomShape(random: Random): readonly number[] {
  const rank = random.pick([0, 1, 1, 2, 2]);
  return Array.from({ length: rank }, () => random.integer(rank === 1 ? 3 : 2, 6));
}

function draftAt(c: Context, at: Place): Draft {
  return {
    random: c.random,
    tensors: [...at.readable],
    loops: at.loops.map((l) => l.name),
    dims: [...at.loops],
    guards: [],
    quotients: [],
    reads: [],
  };
}

/** Float minima and maxima start from a finite value, lest infinities be subtracted later. */
function initFor(d: Draft, at: Names, monoid: Monoid): readonly Expression[] | null {
  const infinite = monoid.state.length === 1 && monoid.state[0] === "float32" && monoid.exact;
  if (!infinite && d.random.chance(0.5)) return null;
  return stateFor(d, at, monoid);
}

/** Adds reduced dims; their names. */
function addReduced(d: Draft): readonly string[] {
  const names = d.random.chance(0.3) ? ["k0", "k1"] : ["k0"];
  for (const name of names) d.dims.push(randomDim(d.random, name, d));
  return names;
}

/** A sum of multiples of some dims, which may leave the tensor. */
function mixedIndex(random: Random, dims: readonly string[]): Affine {
  const terms = dims.map((name) => variable(name, random.pick([1, 1, 2, 3, -1, -2])));
  return add(constant(random.integer(-1, 3)), ...terms);
}

function scatter(c: Context, at: Place, target: Tensor): Statement {
  const d = draftAt(c, at);
  // A tensor of rank 0 has no index that an instance could choose: that would be no scatter.
  const spread = target.shape.length > 0 && c.random.chance(0.5);
  if (spread) d.dims.push(randomDim(c.random, "p0", d));
  const dims = addReduced(d);
  decorate(d);
  const monoid = randomMonoid(c.random, target.components[0] ?? "float32", true);
  const body = stateFor(d, allNames(d), monoid);
  const isAffine = c.random.chance(0.5);
  const index = target.shape.map((_, n): Index => {
    const table = at.readable.find((t) => t.name === "I");
    const k = variable(dims[0] ?? "");
    if (isAffine) return affineIndex(mixedIndex(c.random, n === 0 ? dims : dims.slice(0, 1)));
    if (table === undefined || (n > 0 && c.random.chance(0.5))) return affineIndex(k);
    const extent = table.shape[0] ?? 1;
    d.reads.push({
      tensor: "I",
      index: [affineIndex(k)],
      guard: [nonnegative(k), lessThan(k, constant(extent))],
      fill: 0,
    });
    return { kind: "opaque", expression: read(d.reads.length - 1, "int32") };
  });
  const reduction: Reduction = { monoid, dims, init: null, projected: true };
  return finish(d, nextId(c), { tensor: target.name, index }, reduction, body);
}

function nextId(c: Context): string {
  return `S${c.statements.length}`;
}

/** A statement that writes each of its elements once, by a reduction or not. */
function define(
  c: Context,
  at: Place,
  target: Tensor,
  whole: boolean,
  plain: boolean = c.random.chance(0.45),
): Statement {
  const d = draftAt(c, at);
  const index = writeMap(d, target, whole);
  if (!whole) decorate(d);
  const outer = allNames(d);
  const write = { tensor: target.name, index: index.map(affineIndex) };
  const type = target.components[0] ?? "float32";
  if (plain) return finish(d, nextId(c), write, null, [expression(d, outer, type)]);
  const monoid = randomMonoid(c.random, type, false);
  const init = initFor(d, outer, monoid);
  const dims = addReduced(d);
  decorate(d);
  if (whole) d.guards.splice(0, d.guards.length, ...guardsOn(d, dims));
  const body = stateFor(d, allNames(d), monoid);
  const reduction: Reduction = { monoid, dims, init, projected: true };
  return finish(d, nextId(c), write, reduction, body);
}

/** The guards that surely restrict only what is reduced. */
function guardsOn(d: Draft, dims: readonly string[]) {
  return d.guards.filter((g) => g.affine.terms.some((t) => dims.includes(t.variable)));
}

/** The parallel points and the write of a statement, its dims under other names. */
function sameElements(c: Context, at: Place, s: Statement): { d: Draft; index: Affine[] } {
  const reduced = new Set(s.reduction?.dims ?? []);
  for (const q of s.domain.quotients) {
    if (q.numerator.terms.some((t) => reduced.has(t.variable))) reduced.add(q.name);
  }
  const suffix = c.random.chance(0.5) ? "" : "u";
  const name = (old: string): string => (s.loops.includes(old) ? old : `${old}${suffix}`);
  const move = (a: Affine): Affine => rename(a, name);
  const free = (a: Affine): boolean => a.terms.every((t) => !reduced.has(t.variable));
  const d: Draft = {
    ...draftAt(c, at),
    dims: s.domain.dims
      .filter((x) => !reduced.has(x.name))
      .map((x) => ({ name: name(x.name), lower: move(x.lower), upper: move(x.upper) })),
    guards: s.domain.guards
      .filter((g) => free(g.affine))
      .map((g) => ({ ...g, affine: move(g.affine) })),
    quotients: s.domain.quotients
      .filter((q) => free(q.numerator))
      .map((q) => ({ ...q, name: name(q.name), numerator: move(q.numerator) })),
  };
  const index = s.write.index.map((i) => move(i.kind === "affine" ? i.affine : constant(0)));
  return { d, index };
}

/** A statement that updates, or overwrites, the elements that the last one wrote. */
function follow(c: Context, at: Place, s: Statement, target: Tensor): Statement {
  const { random } = c;
  const { d, index } = sameElements(c, at, s);
  const others = d.tensors.filter((t) => t.name !== target.name);
  const apart: Draft = random.chance(0.9) ? { ...d, tensors: others } : d;
  const type = target.components[0] ?? "float32";
  const write = { tensor: target.name, index: index.map(affineIndex) };
  const outer = allNames(apart);
  const own = (): Expression => {
    apart.reads.push({ tensor: target.name, index: write.index, guard: [], fill: 0 });
    return read(apart.reads.length - 1, type);
  };
  const simple = s.reduction !== null && s.reduction.monoid.state.length === 1;
  const monoid = simple ? s.reduction.monoid : randomMonoid(random, type, true);
  const update = (e: Expression): Expression => {
    const [shape] = monoid.combine;
    if (shape?.kind !== "binary") return e;
    return random.chance(0.7)
      ? { ...shape, left: own(), right: e }
      : { ...shape, left: e, right: own() };
  };
  const id = nextId(c);
  if (random.chance(0.1)) return finish(apart, id, write, null, [expression(apart, outer, type)]);
  if (random.chance(0.45)) {
    return finish(apart, id, write, null, [update(expression(apart, outer, type))]);
  }
  const start = random.chance(0.7) ? own() : expression(apart, outer, type);
  let dims: readonly string[] = [];
  if (simple && random.chance(0.7)) {
    dims = s.reduction.dims.map((k) => `${k}v`);
    const name = (old: string): string => {
      const n = s.reduction?.dims.indexOf(old) ?? -1;
      if (n >= 0) return dims[n] ?? old;
      return apart.dims.some((x) => x.name === old) ? old : `${old}u`;
    };
    for (const x of s.domain.dims.filter((y) => s.reduction?.dims.includes(y.name))) {
      const [lower, upper] = [rename(x.lower, name), rename(x.upper, name)];
      apart.dims.push({ name: name(x.name), lower, upper });
    }
  } else dims = addReduced(apart);
  const body = stateFor(apart, allNames(apart), monoid);
  return finish(apart, id, write, { monoid, dims, init: [start], projected: true }, body);
}

function newTemporary(c: Context): Tensor {
  const { random } = c;
  const name = `tmp${c.tensors.length}`;
  return made(name, random.pick(types), randomShape(random), "temporary");
}

/** A statement that defines a temporary, and some that read little else. */
function produceAndConsume(c: Context, at: Place, push: (s: Statement) => void): void {
  const { random } = c;
  const target = newTemporary(c);
  push(define(c, at, target, true, true));
  c.tensors.push(target);
  const near: Place = { ...at, readable: [target, target, random.pick(at.readable)] };
  for (let n = random.integer(1, 3); n > 0; n--) {
    push(define(c, near, random.pick(at.readable.filter(isWritable)), random.chance(0.3)));
  }
}

function isWritable(t: Tensor): boolean {
  return t.role !== "input";
}

function addStatements(c: Context, at: Place): ProgramNode[] {
  const { random } = c;
  const nodes: ProgramNode[] = [];
  const push = (s: Statement): void => {
    c.statements.push(s);
    nodes.push({ kind: "statement", statement: s.id });
  };
  if (random.chance(0.2)) {
    produceAndConsume(c, at, push);
    return nodes;
  }
  let target = random.pick(at.readable.filter(isWritable));
  if (random.chance(0.35)) {
    target = newTemporary(c);
    push(define(c, at, target, true));
    c.tensors.push(target);
    at.readable.push(target);
  } else if (random.chance(0.2)) push(scatter(c, at, target));
  else push(define(c, at, target, random.chance(0.3)));
  for (;;) {
    const last = c.statements[c.statements.length - 1];
    if (last === undefined || isScatter(last) || random.chance(0.5)) return nodes;
    push(follow(c, at, last, target));
  }
}

function randomNodes(c: Context, at: Place): ProgramNode[] {
  const { random } = c;
  const nodes: ProgramNode[] = [];
  for (let n = random.integer(1, at.loops.length === 0 ? 4 : 3); n > 0; n--) {
    if (at.loops.length < 2 && random.chance(0.35)) {
      const name = `t${c.loops++}`;
      const { lower, upper } = randomDim(random, name, { dims: [...at.loops] });
      const loops = [...at.loops, { name, lower, upper }];
      const body = randomNodes(c, { readable: [...at.readable], loops });
      nodes.push({ kind: "loop", name, lower, upper, body });
    } else nodes.push(...addStatements(c, at));
  }
  return nodes;
}

/**
 * A program of a few statements: loops, temporaries, chains of updates, reductions by every monoid,
 * guards, padding, quotients, triangles, gathers and scatters. Affine accesses stay inside their
 * tensors under their guards; temporaries are written whole before they are read.
 */
export function randomProgram(seed: number): Program {
  const random = seededRandom(seed);
  const tensors: Tensor[] = [
    made("A", "float32", [6], "input"),
    made("B", "float32", [4, 5], "input"),
    made("I", "int32", [5], "input"),
    made("X", "float32", [5, 4], "inout"),
    made("Y", "int32", [6], "inout"),
  ];
  const c: Context = { random, tensors, statements: [], loops: 0 };
  const first = made("Z", random.pick(types), randomShape(random), "output");
  const at: Place = { readable: [...tensors], loops: [] };
  const s = define(c, at, first, true);
  c.statements.push(s);
  tensors.push(first);
  at.readable.push(first);
  const tree = [{ kind: "statement", statement: s.id } as const, ...randomNodes(c, at)];
  return { name: "random", sizes: [], tensors, statements: c.statements, tree };
}

/** Small integers for every tensor that the caller supplies; indices may leave their tensors. */
export function randomInputs(program: Program, seed: number): Record<string, Float64Array> {
  const random = seededRandom(seed ^ 0x5bd1e995);
  const inputs: Record<string, Float64Array> = {};
  for (const t of program.tensors) {
    if (t.role !== "input" && t.role !== "inout") continue;
    const values = { length: elementCount(t.shape) };
    inputs[t.name] = Float64Array.from(values, () => random.integer(-2, t.name === "I" ? 6 : 4));
  }
  return inputs;
}
