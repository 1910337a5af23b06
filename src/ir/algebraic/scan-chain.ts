import { flatMap } from "../../support/flat-map.ts";
import {
  type Affine,
  add,
  addConstant,
  constant,
  isConstant,
  lessThan,
  scale,
  variable,
} from "../affine.ts";
import type { Dim } from "../domain.ts";
import { type Expression, read } from "../expression.ts";
import {
  type Access,
  affineIndex,
  findStatement,
  findTensor,
  type Program,
  type ProgramNode,
  type Statement,
  touches,
} from "../program.ts";
import { type Chain, chainOf, lengthOf, mayOverflow, stepsOf } from "./chain.ts";
import { chunkSizes } from "./chunk-sizes.ts";
import { copyState } from "./copy-state.ts";
import { replaceLoop } from "./leave-loop.ts";
import { freshLoopName } from "./loop-graph.ts";
import { narrowedDomain } from "./narrow-domain.ts";
import { ownLoop } from "./own-loop.ts";
import {
  addTensor,
  dimRole,
  freshStatementId,
  freshTensorName,
  orderedStatements,
  type Rewrite,
  refused,
  rewritten,
  temporary,
} from "./rewrite.ts";
import type { StepKind } from "./step-function.ts";
import {
  dropUnused,
  type Replacement,
  substituteExpression,
  substituteVariables,
} from "./substitute-statement.ts";

/** A recurrence, and how many of its steps are composed to one. */
export interface ChainTarget {
  readonly statement: string;
  /** A positive integer, less than the steps. */
  readonly chunk: number;
}

/** A recurrence that can be scanned. */
export interface ChainCandidate {
  readonly statement: string;
  /** For example `h/scan/t0`, named after the loop. */
  readonly path: string;
  readonly loop: string;
  /** How many steps it has. */
  readonly length: number;
  /** The sizes of chunks that are offered, ascending. */
  readonly chunks: readonly number[];
}

/** What all new statements have in common. */
interface Scan {
  readonly chain: Chain;
  readonly kind: StepKind;
  readonly steps: Dim;
  readonly size: number;
  /** How many chunks there are. */
  readonly count: number;
  /** Loops around the recurrence, and other dims of it. */
  readonly outer: readonly Dim[];
  readonly inner: readonly Dim[];
  /** Names of dims: of chunks, of steps in one that are composed or run, of the loop over chunks. */
  readonly chunk: string;
  readonly composed: string;
  readonly step: string;
  readonly turn: string;
}

function dimOf(scan: Scan, name: string, extent: number): Dim {
  const { loop, s } = scan.chain;
  const { indices = [loop] } = s.domain.dims.find((d) => d.name === loop) ?? {};
  return { name, lower: constant(0), upper: constant(extent), indices };
}

/** The element of a point, with a number before its other coordinates. */
function elementOf(scan: Scan, name: string, first: Affine): Access {
  const own = scan.inner.map((d) => addConstant(variable(d.name), -d.lower.constant));
  return { tensor: name, index: [first, ...own].map(affineIndex), guard: [], fill: 0 };
}

/** What stands for the loop in a step, given its number. */
function numberOf({ chain, steps }: Scan, at: Affine): Replacement {
  const number = addConstant(at, steps.lower.constant);
  return (name) => (name === chain.loop ? number : undefined);
}

/** The coefficients of a step, given its number. */
function ownCoefficients(scan: Scan, at: Affine): readonly Expression[] {
  const { coefficients } = scan.chain.step;
  return coefficients.map((e) => substituteExpression(e, numberOf(scan, at)));
}

/** A statement of the recurrence's points with other dims for its loop. */
function over(
  scan: Scan,
  { loops, dims, at }: { loops: readonly Dim[]; dims: readonly Dim[]; at: Affine },
): Statement {
  const { s, loop } = scan.chain;
  const domain = narrowedDomain(s.domain, loop);
  const all = [...scan.outer, ...loops, ...scan.inner, ...dims];
  const based = { ...s, domain: { ...domain, dims: all }, reduction: null };
  const moved = substituteVariables(based, numberOf(scan, at));
  return { ...moved, loops: [...s.loops.slice(0, -1), ...loops.map((l) => l.name)] };
}

/** What a statement made of another one writes, reads and computes instead. */
interface Change {
  readonly id: string;
  readonly write: Access;
  readonly reads?: readonly Access[];
  /** Over the reads that are given, behind those of the statement. */
  readonly body: (first: number) => readonly Expression[];
}

function changed(s: Statement, { id, write, reads = [], body }: Change): Statement {
  return dropUnused({
    ...s,
    id,
    write: { tensor: write.tensor, index: write.index },
    reads: [...s.reads, ...reads],
    body: body(s.reads.length),
  });
}

/** The coefficients that a read has, from a number of reads on. */
function coefficientsAt({ kind }: Scan, n: number): readonly Expression[] {
  return kind.identity.map((e, c) => read(n, e.type, c));
}

/** The number of a step, and the condition that the last chunk has it, of some chunks. */
function numbered(scan: Scan, s: Statement, count: number, number: Affine): Statement {
  const all = lengthOf(scan.steps);
  if (count * scan.size <= all) return s;
  const guards = [...s.domain.guards, lessThan(number, constant(all))];
  return { ...s, domain: { ...s.domain, guards } };
}

/** Statements with the nodes that run them. */
interface Part {
  readonly statements: readonly Statement[];
  readonly nodes: readonly ProgramNode[];
}

function run({ id }: Statement): ProgramNode {
  return { kind: "statement", statement: id };
}

function looped({ name, lower, upper }: Dim, body: readonly Statement[]): ProgramNode {
  return { kind: "loop", name, lower, upper, body: body.map(run) };
}

/** Each of the first chunks as one step: its coefficients. */
function compose(program: Program, scan: Scan, names: Names, chunks: number): Part {
  const { kind, chain } = scan;
  const chunk = dimOf(scan, scan.chunk, chunks);
  const step = dimOf(scan, scan.composed, scan.size);
  const own = variable(scan.chunk);
  const part = elementOf(scan, names.part, own);
  const number = add(variable(scan.composed), scale(own, scan.size));
  const plain = over(scan, { loops: [], dims: [chunk], at: scale(own, scan.size) });
  const { id } = chain.s;
  const first = changed(plain, {
    id: freshStatementId(program, `${id}.first`),
    write: part,
    body: () => kind.identity,
  });
  const inside = over(scan, { loops: [step], dims: [chunk], at: number });
  const composed = changed(numbered(scan, inside, chunks, number), {
    id: freshStatementId(program, `${id}.part`),
    write: part,
    reads: [part],
    body: (n) => kind.compose(coefficientsAt(scan, n), ownCoefficients(scan, number)),
  });
  const total = changed(plain, {
    id: freshStatementId(program, `${id}.total`),
    write: elementOf(scan, names.total, own),
    reads: [part],
    body: (n) => coefficientsAt(scan, n),
  });
  const statements = [first, composed, total];
  return { statements, nodes: [run(first), looped(step, [composed]), run(total)] };
}

interface Names {
  readonly part: string;
  readonly total: string;
  readonly carry: string;
  readonly state: string;
}

/** The values after whole chunks: a recurrence again, with as many steps as there are chunks. */
function carryInPlace(scan: Scan, names: Names): Part {
  const { kind, chain } = scan;
  const turn = dimOf(scan, scan.turn, scan.count);
  const each = over(scan, { loops: [turn], dims: [], at: constant(0) });
  const { id, write } = chain.s;
  const statement = changed(each, {
    id,
    write: { ...write, guard: [], fill: 0 },
    reads: [{ ...write, guard: [], fill: 0 }, elementOf(scan, names.total, variable(scan.turn))],
    body: (n) => [kind.apply(read(n, kind.type), coefficientsAt(scan, n + 1))],
  });
  return { statements: [statement], nodes: [looped(turn, [statement])] };
}

function carry(program: Program, scan: Scan, names: Names): Part {
  const { kind, chain } = scan;
  const turn = dimOf(scan, scan.turn, scan.count - 1);
  const { id, reads } = chain.s;
  const at = variable(scan.turn);
  const start = changed(over(scan, { loops: [], dims: [], at: constant(0) }), {
    id: freshStatementId(program, `${id}.from`),
    write: elementOf(scan, names.carry, constant(0)),
    body: () => [read(reads.indexOf(chain.own), kind.type)],
  });
  const each = changed(over(scan, { loops: [turn], dims: [], at: constant(0) }), {
    id: freshStatementId(program, `${id}.carry`),
    write: elementOf(scan, names.carry, addConstant(at, 1)),
    reads: [elementOf(scan, names.carry, at), elementOf(scan, names.total, at)],
    body: (n) => [kind.apply(read(n, kind.type), coefficientsAt(scan, n + 1))],
  });
  return { statements: [start, each], nodes: [run(start), looped(turn, [each])] };
}

/** All chunks side by side, each from the value that those before it lead to. */
function expand(program: Program, scan: Scan, names: Names): Part {
  const { kind, chain } = scan;
  const chunk = dimOf(scan, scan.chunk, scan.count);
  const step = dimOf(scan, scan.step, scan.size);
  const own = variable(scan.chunk);
  const state = elementOf(scan, names.state, own);
  const number = add(variable(scan.step), scale(own, scan.size));
  const { id } = chain.s;
  const start = changed(over(scan, { loops: [], dims: [chunk], at: scale(own, scan.size) }), {
    id: freshStatementId(program, `${id}.start`),
    write: state,
    reads: [elementOf(scan, names.carry, own)],
    body: (n) => [read(n, kind.type)],
  });
  const each = over(scan, { loops: [step], dims: [chunk], at: number });
  const inside = numbered(scan, each, scan.count, number);
  const next = changed(inside, {
    id: freshStatementId(program, `${id}.step`),
    write: state,
    reads: [state],
    body: (n) => [kind.apply(read(n, kind.type), ownCoefficients(scan, number))],
  });
  const result = changed(inside, {
    id,
    write: { ...inside.write, guard: [], fill: 0 },
    reads: [state],
    body: (n) => [read(n, kind.type)],
  });
  const statements = [start, next, result];
  return { statements, nodes: [run(start), looped(step, [next, result])] };
}

/** The program with a copy of a state of the caller's that other statements of the loop look at. */
function withOwnState(program: Program, { s, loop, inPlace }: Chain): Program {
  const { tensor } = s.write;
  const isOwn = findTensor(program, tensor)?.role === "temporary";
  const shared = program.statements.some(
    (x) => x.id !== s.id && x.loops.includes(loop) && touches(x, tensor),
  );
  return inPlace && shared && !isOwn ? copyState(program, s) : program;
}

/** A recurrence in a loop of its own, and how it is scanned; or why it is not. */
function scanOf(
  program: Program,
  { statement, chunk }: ChainTarget,
): { readonly program: Program; readonly scan: Scan } | string {
  const found = findStatement(program, statement);
  if (found === undefined) return "no such statement";
  const given = chainOf(found);
  if (typeof given === "string") return given;
  const overflow = mayOverflow(program, given);
  if (overflow !== undefined) return overflow;
  if (stepsOf(given) === undefined) return "its steps are not the same for all elements";
  const alone = ownLoop(withOwnState(program, given), statement);
  if (typeof alone === "string") return alone;
  const s = findStatement(alone.program, statement);
  const chain = s === undefined ? "no such statement" : chainOf(s);
  if (typeof chain === "string") return chain;
  const steps = stepsOf(chain);
  if (steps === undefined) return "its steps are not the same for all elements";
  const { dims } = chain.s.domain;
  const isLoop = (d: Dim): boolean => chain.s.loops.includes(d.name);
  const inner = dims.filter((d) => !isLoop(d));
  if (inner.some((d) => !isConstant(d.lower) || !isConstant(d.upper) || lengthOf(d) < 1)) {
    return "another dim has no constant range";
  }
  if (!Number.isInteger(chunk) || chunk < 1 || chunk >= lengthOf(steps)) {
    return "there are not several chunks";
  }
  const name = (part: string): string => freshLoopName(alone.program, `${statement}.${part}`);
  const scan: Scan = {
    chain,
    kind: chain.step.kind,
    steps,
    size: chunk,
    count: Math.ceil(lengthOf(steps) / chunk),
    outer: dims.filter((d) => isLoop(d) && d.name !== chain.loop),
    inner,
    chunk: name("chunk"),
    composed: name("composed"),
    step: name("step"),
    turn: name("turn"),
  };
  return { program: alone.program, scan };
}

/** The program with temporaries for a scan, with their names. */
function withTemporaries(
  program: Program,
  scan: Scan,
): { readonly program: Program; readonly names: Names } {
  const { kind, chain, count } = scan;
  const { s, inPlace } = chain;
  const coefficients = kind.identity.map((e) => e.type);
  const extents = scan.inner.map(lengthOf);
  let current = program;
  const make = (suffix: string, first: number, components: typeof coefficients): string => {
    const name = freshTensorName(current, `${s.write.tensor}_${suffix}`);
    const shape = [first, ...extents];
    current = addTensor(current, temporary(name, { components, shape, span: s.span }));
    return name;
  };
  const totals = inPlace ? count : count - 1;
  const part = make("part", totals, coefficients);
  const total = make("total", totals, coefficients);
  if (inPlace) return { program: current, names: { part, total, carry: "", state: "" } };
  const carries = make("carry", count, [kind.type]);
  const state = make("state", count, [kind.type]);
  return { program: current, names: { part, total, carry: carries, state } };
}

/**
 * Purpose: computes a recurrence of the first order, each value from the one before it, in chunks side by side:
 * the steps of a chunk are composed to one, the values after whole chunks follow from each other by those, and
 * every chunk starts from such a value.
 *
 * ```
 * for t in 0..T { S: h(t+1, b) = f(t, b) * h(t, b) + x(t, b) }             in chunks of 64
 *   -->
 * S.first: { b, k in 0..K-1 } h_part(k, b) = (1, 0)
 * for p in 0..64                                                            S.composed
 *   S.part: { b, k in 0..K-1 } h_part(k, b) = (f * h_part.0, f * h_part.1 + x)     of step 64*k + p
 * S.total: { b, k in 0..K-1 } h_total(k, b) = h_part(k, b)
 * S.from: { b } h_carry(0, b) = h(0, b)
 * for q in 0..K-1                                                          S.turn
 *   S.carry: { b } h_carry(q+1, b) = h_total(q, b).0 * h_carry(q, b) + h_total(q, b).1     a recurrence again
 * S.start: { b, k in 0..K } h_state(k, b) = h_carry(k, b)
 * for p in 0..64                                                            S.step
 *   S.step: { b, k in 0..K | 64*k + p < T } h_state(k, b) = f * h_state(k, b) + x
 *   S:      { b, k in 0..K | 64*k + p < T } h(64*k + p + 1, b) = h_state(k, b)
 * ```
 * A value that all steps write in place needs its last one only: then S is the recurrence over chunks.
 *
 * Requires: a map in a loop whose steps compose (step-function.ts), with nothing of the loop that waits for it and
 * that it waits for; of floats a factor that is never above 1, so that no product of factors overflows.
 *
 * Ensures: the same elements, in floats with the rounding of sums in another order: no partial result is more than
 * the sum of two of the values, so errors are at most those of as many terms as there are steps.
 */
export function scanChain(program: Program, target: ChainTarget): Rewrite {
  const found = scanOf(program, target);
  if (typeof found === "string") return refused(found);
  const { scan } = found;
  const { s, loop, inPlace } = scan.chain;
  const made = withTemporaries(found.program, scan);
  const { names } = made;
  const parts = inPlace
    ? [compose(made.program, scan, names, scan.count), carryInPlace(scan, names)]
    : [
        compose(made.program, scan, names, scan.count - 1),
        carry(made.program, scan, names),
        expand(made.program, scan, names),
      ];
  const statements = flatMap(parts, (p) => p.statements);
  const nodes = flatMap(parts, (p) => p.nodes);
  return rewritten({
    ...made.program,
    statements: flatMap(made.program.statements, (x) => (x.id === s.id ? statements : [x])),
    tree: replaceLoop(made.program.tree, loop, nodes),
  });
}

/** Loops over the steps of chunks, which scans made (here and in scan-prefix.ts): they are as short as was chosen. */
const stepsOfScans = /\.(?:step|composed)\d*$/;

/** Whether a statement is a step of a scan: what it updates belongs to one point alone. */
export function isStepOfScan({ loops }: Statement): boolean {
  return stepsOfScans.test(loops.at(-1) ?? "");
}

function candidateOf(program: Program, s: Statement): ChainCandidate | undefined {
  const found = s.loops.length === 0 ? "it is in no loop" : chainOf(s);
  const steps = typeof found === "string" ? undefined : stepsOf(found);
  if (typeof found === "string" || steps === undefined) return undefined;
  const { loop } = found;
  const chunks = chunkSizes(lengthOf(steps));
  const [chunk] = chunks;
  const isNarrow = findTensor(program, s.write.tensor)?.stored !== undefined;
  if (chunk === undefined || isNarrow || isStepOfScan(s)) return undefined;
  if (typeof scanOf(program, { statement: s.id, chunk }) === "string") return undefined;
  const path = `${s.id}/scan/${dimRole(s, loop)}`;
  return { statement: s.id, path, loop, length: lengthOf(steps), chunks };
}

/** The recurrences that {@link scanChain} takes, with the sizes of chunks that it offers. */
export function chainCandidates(program: Program): readonly ChainCandidate[] {
  return flatMap(orderedStatements(program), (s) => candidateOf(program, s) ?? []);
}
