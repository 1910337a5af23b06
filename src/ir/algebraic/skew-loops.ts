import { flatMap } from "../../support/flat-map.ts";
import {
  type Affine,
  add,
  constant,
  isConstant,
  lessOrEqual,
  lessThan,
  subtract,
  variable,
} from "../affine.ts";
import { type Dependence, dependences } from "../dependences/dependences.ts";
import { boundingBox } from "../domain.ts";
import {
  type Access,
  affineIndex,
  eachStatementId,
  isScatter,
  type Program,
  type ProgramNode,
  type Statement,
  statementOf,
  tensorOf,
  touches,
} from "../program.ts";
import { replaceLoop } from "./leave-loop.ts";
import { freshLoopName, type LoopPlace, programLoops } from "./loop-graph.ts";
import { type Rewrite, refused, rewritten } from "./rewrite.ts";
import { substituteVariables } from "./substitute-statement.ts";

/** Two nested loops, by the name of the outer one. */
export interface SkewTarget {
  readonly loop: string;
}

/** Two nested loops whose iterations run in wavefronts. */
export interface SkewCandidate extends SkewTarget {
  /** For example `cost#2/skew/t0`, named after the first statement inside and the outer loop. */
  readonly path: string;
  readonly statement: string;
  /** The most iterations that a wavefront has, and how many wavefronts there are. */
  readonly width: number;
  readonly fronts: number;
}

type Loop = LoopPlace["loop"];

/** A loop with nothing but another one inside, in which there are statements alone. */
interface Nest {
  readonly outer: Loop;
  readonly inner: Loop;
  /** How many loops are around it. */
  readonly depth: number;
  readonly statements: readonly Statement[];
}

function nestOf(program: Program, { loop, outer }: LoopPlace): Nest | string {
  const [inner, more] = loop.body;
  if (inner?.kind !== "loop" || more !== undefined) return "there is more in it than a loop";
  if (inner.body.some((n) => n.kind !== "statement")) return "there are loops in the inner loop";
  const bounds = [loop.lower, loop.upper, inner.lower, inner.upper];
  if (!bounds.every(isConstant)) return "the bounds of a loop are no constants";
  const statements = eachStatementId(inner.body).map((id) => statementOf(program, id));
  if (statements.some(isScatter)) return "a statement writes elements that are not known";
  return { outer: loop, inner, depth: outer.length, statements };
}

/** Whether a dependence leads to a later wavefront, or stays in an iteration, or is not between those. */
function advances({ from, to, level, distance }: Dependence, { depth, statements }: Nest): boolean {
  const ids = statements.map((s) => s.id);
  if (!ids.includes(from.statement) || !ids.includes(to.statement)) return true;
  if (level === "independent" || level < depth) return true;
  const [first, second] = [distance[depth], distance[depth + 1]];
  return first !== undefined && second !== undefined && first.lo + second.lo >= 1;
}

/** A statement of the nest, with the sum of both indices in the place of the inner one. */
function skewed(s: Statement, { outer, inner }: Nest, front: string): Statement {
  const sum = variable(front);
  const by = (name: string) =>
    name === inner.name ? subtract(sum, variable(outer.name)) : undefined;
  const { dims } = s.domain;
  const [first, second] = [outer, inner].map((l) => dims.find((d) => d.name === l.name));
  if (first === undefined || second === undefined) return s;
  const around = dims.filter((d) => s.loops.includes(d.name) && d !== first && d !== second);
  const others = dims.filter((d) => !s.loops.includes(d.name));
  const number = variable(inner.name);
  const guards = [
    lessOrEqual(second.lower, number),
    lessThan(number, second.upper),
    ...s.domain.guards,
  ];
  const moved = substituteVariables({ ...s, domain: { ...s.domain, dims: others, guards } }, by);
  const { lower, upper } = frontsOf({ outer, inner });
  const { indices: a = [outer.name] } = first;
  const { indices: b = [inner.name] } = second;
  const loop = { name: front, lower, upper, indices: [...a, ...b] };
  return {
    ...moved,
    loops: [...s.loops.slice(0, -2), front],
    domain: { ...moved.domain, dims: [...around, loop, first, ...moved.domain.dims] },
  };
}

/** The values of the sum of both indices. */
function frontsOf({ outer, inner }: Pick<Nest, "outer" | "inner">) {
  const lower = add(outer.lower, inner.lower);
  return { lower, upper: add(outer.upper, inner.upper, constant(-1)) };
}

/** Where a tensor has the indices of both loops; undefined where it does not have each in a coordinate of its own. */
function coordinatesOf({ outer, inner, statements }: Nest, tensor: string) {
  const [places, ...others] = statements.flatMap(({ write }) => {
    if (write.tensor !== tensor) return [];
    const at = [outer, inner].map(({ name }) =>
      write.index.findIndex((i) => i.kind === "affine" && isOnly(i.affine, name)),
    );
    return [at];
  });
  const [x = -1, y = -1] = places ?? [];
  const isSame = others.every((at) => at[0] === x && at[1] === y);
  return isSame && x >= 0 && y >= 0 ? { x, y } : undefined;
}

/** Whether an affine expression is a variable, but for a constant. */
function isOnly({ terms: [term, more] }: Affine, name: string): boolean {
  return more === undefined && term?.variable === name && term.coefficient === 1;
}

/** Which coordinates have the indices of both loops, and which of these stays: that of the shorter loop. */
interface Coordinates {
  readonly x: number;
  readonly y: number;
  readonly kept: number;
}

/** An access with the sum of both coordinates in the place of the first of them, and the one that stays in the other's. */
function diagonal<A extends Pick<Access, "index">>(
  access: A,
  { x, y, kept }: Coordinates,
): A | undefined {
  const [i, j, own] = [access.index[x], access.index[y], access.index[kept]];
  if (i?.kind !== "affine" || j?.kind !== "affine" || own === undefined) return undefined;
  const sum = affineIndex(add(i.affine, j.affine));
  return {
    ...access,
    index: access.index.map((c, d) =>
      d === Math.min(x, y) ? sum : d === Math.max(x, y) ? own : c,
    ),
  };
}

/** The program with a row of a temporary for each wavefront; as it is where that cannot be. */
function inDiagonals(program: Program, nest: Nest, tensor: string): Program {
  const places = coordinatesOf(nest, tensor);
  const found = tensorOf(program, tensor);
  if (places === undefined || found.role !== "temporary") return program;
  const { x, y } = places;
  const [rows = 1, columns = 1] = [found.shape[x], found.shape[y]];
  const at = { x, y, kept: rows > columns ? y : x };
  let isAffine = true;
  const moved = <A extends Pick<Access, "index"> & { readonly tensor: string }>(access: A): A => {
    const own = access.tensor === tensor ? diagonal(access, at) : access;
    isAffine &&= own !== undefined;
    return own ?? access;
  };
  const statements = program.statements.map((s) =>
    touches(s, tensor) ? { ...s, write: moved(s.write), reads: s.reads.map(moved) } : s,
  );
  const shape = found.shape.map((extent, d) => {
    if (d === Math.min(x, y)) return rows + columns - 1;
    return d === Math.max(x, y) ? Math.min(rows, columns) : extent;
  });
  const tensors = program.tensors.map((t) => (t === found ? { ...t, shape } : t));
  return isAffine ? { ...program, tensors, statements } : program;
}

/**
 * Purpose: runs two nested loops that both carry something in wavefronts: iterations with the same sum of both
 * indices do not wait for each other, and are one step with the outer index as a parallel dim.
 *
 * ```
 * for i in 0..M { for j in 0..N { c(i, j) = f(c(i-1, j), c(i, j-1), c(i-1, j-1)) } }
 *   -->  for w in 0..M+N-1 { { i in 0..M | 0 <= w - i < N } c(i, w - i) = f(c(i-1, w-i), c(i, w-i-1), c(i-1, w-i-1)) }
 * ```
 * Requires: two loops with constant bounds and nothing between them, statements alone in the inner one; every
 * dependence between two of their iterations leads to a greater sum of indices (Lamport, The Parallel Execution
 * of DO Loops, 1974: the hyperplane (1, 1)).
 *
 * Ensures: the same instances in an order that keeps every dependence. Temporaries with both indices have a row for each
 * wavefront, `c(i + j, i)`, or `c(i + j, j)` where there are fewer of those, so that neighbours in it are neighbours in
 * memory, which is no more than twice as large.
 */
export function skewLoops(program: Program, { loop }: SkewTarget): Rewrite {
  const place = programLoops(program).find((p) => p.loop.name === loop);
  const nest = place === undefined ? "there is no such loop" : nestOf(program, place);
  if (typeof nest === "string") return refused(nest);
  const against = dependences(program).find((d) => !advances(d, nest));
  if (against !== undefined) {
    const { from, to, tensor } = against;
    return refused(
      `${to.statement} may wait for ${from.statement}, through ${tensor}, on its own wavefront or one behind`,
    );
  }
  const front = freshLoopName(program, `${nest.outer.name}.front`);
  const inside = new Set(nest.statements);
  const statements = program.statements.map((s) => (inside.has(s) ? skewed(s, nest, front) : s));
  const node: ProgramNode = { kind: "loop", name: front, ...frontsOf(nest), body: nest.inner.body };
  const result: Program = { ...program, statements, tree: replaceLoop(program.tree, loop, [node]) };
  const written = new Set(nest.statements.map((s) => s.write.tensor));
  return rewritten(
    [...written].reduce<Program>((p, tensor) => inDiagonals(p, nest, tensor), result),
  );
}

/** Whether each of two nested loops carries something. */
function bothCarry(program: Program, { loop, outer }: LoopPlace): boolean {
  const ids = new Set(eachStatementId(loop.body));
  const carried = dependences(program).filter(
    (d) => ids.has(d.from.statement) && ids.has(d.to.statement),
  );
  const levels = [outer.length, outer.length + 1];
  return levels.every((level) => carried.some((d) => d.level === level));
}

/** Why nested loops that both carry something do not run in wavefronts; null for those that may, and for other loops. */
export function whyNoFronts(program: Program, place: LoopPlace): string | null {
  const isNest = place.loop.body.some((n) => n.kind === "loop");
  if (!isNest || !bothCarry(program, place)) return null;
  const result = skewLoops(program, { loop: place.loop.name });
  return result.kind === "refused" ? result.reason : null;
}

/** The loops that {@link skewLoops} takes, where each of the two carries something. */
export function skewCandidates(program: Program): readonly SkewCandidate[] {
  return flatMap(programLoops(program), (place): readonly SkewCandidate[] => {
    const nest = nestOf(program, place);
    const [first] = typeof nest === "string" ? [] : nest.statements;
    if (typeof nest === "string" || first === undefined || !bothCarry(program, place)) return [];
    const { loop } = place;
    if (skewLoops(program, { loop: loop.name }).kind === "refused") return [];
    const box = boundingBox(first.domain);
    const [rows = 1, columns = 1] = [nest.outer, nest.inner].map(({ name }) => {
      const { lo, hi } = box.get(name) ?? { lo: 0, hi: 0 };
      return hi - lo + 1;
    });
    const path = `${first.id}/skew/t${nest.depth}`;
    const width = Math.min(rows, columns);
    return [{ loop: loop.name, path, statement: first.id, width, fronts: rows + columns - 1 }];
  });
}
