/** One statement by itself: its domain, names, ranks and types. */
import { flatMap } from "../../support/flat-map.ts";
import type { ScalarType } from "../../support/scalar-type.ts";
import type { Affine } from "../affine.ts";
import { affineEquals, printAffine, variablesOf } from "../affine.ts";
import type { ProgramLoop } from "../dependences/program-order.ts";
import { type Expression, literal, readNumbers } from "../expression.ts";
import type { Monoid } from "../monoid.ts";
import {
  affineIndex,
  findTensor,
  type Index,
  indexVariables,
  isScatter,
  type Program,
  parallelDims,
  type Reduction,
  type Statement,
} from "../program.ts";
import { type ExpressionScope, verifyExpression, verifyExpressions } from "./verify-expression.ts";

function unknownVariables(what: string, a: Affine, known: ReadonlySet<string>): readonly string[] {
  return variablesOf(a)
    .filter((name) => !known.has(name))
    .map((name) => `${what}: ${printAffine(a)} uses ${name}`);
}

function verifyDims(statement: Statement, known: Set<string>): string[] {
  const faults: string[] = [];
  for (const d of statement.domain.dims) {
    faults.push(...unknownVariables(`the lower bound of ${d.name}`, d.lower, known));
    faults.push(...unknownVariables(`the upper bound of ${d.name}`, d.upper, known));
    if (known.has(d.name)) faults.push(`two dims are named ${d.name}`);
    known.add(d.name);
  }
  for (const q of statement.domain.quotients) {
    faults.push(...unknownVariables(`the numerator of ${q.name}`, q.numerator, known));
    if (known.has(q.name)) faults.push(`${q.name} is the name of a quotient and of another`);
    if (!(Number.isInteger(q.divisor) && q.divisor > 0))
      faults.push(`${q.name} divides by ${q.divisor}`);
    known.add(q.name);
  }
  for (const g of statement.domain.guards) {
    faults.push(...unknownVariables("the guard", g.affine, known));
  }
  return faults;
}

function verifyLoops(statement: Statement, loops: readonly ProgramLoop[]): string[] {
  const names = loops.map((l) => l.name);
  if (names.join() !== statement.loops.join()) {
    return [`is inside loops <${names.join(", ")}>, not <${statement.loops.join(", ")}>`];
  }
  return flatMap(loops, (l, n) => {
    const d = statement.domain.dims[n];
    if (d?.name !== l.name) return [`dim ${n} is ${d?.name}, not the loop ${l.name}`];
    const same = affineEquals(d.lower, l.lower) && affineEquals(d.upper, l.upper);
    return same ? [] : [`the bounds of ${l.name} are not those of the loop`];
  });
}

function verifyIndex(
  program: Program,
  what: string,
  target: { readonly tensor: string; readonly index: readonly Index[] },
  scope: ExpressionScope,
): string[] {
  const tensor = findTensor(program, target.tensor);
  if (tensor === undefined) return [`${what}: there is no tensor ${target.tensor}`];
  const faults: string[] = [];
  const [rank, given] = [tensor.shape.length, target.index.length];
  if (rank !== given) faults.push(`${what}: ${tensor.name} has rank ${rank}, not ${given}`);
  for (const index of target.index) {
    if (index.kind === "affine") {
      faults.push(...unknownVariables(`${what}: the index`, index.affine, scope.variables));
      continue;
    }
    faults.push(...verifyExpression(index.expression, scope).map((f) => `${what}: ${f}`));
    const { type } = index.expression;
    if (type !== "int32" && type !== "uint32") faults.push(`${what}: the index is ${type}`);
  }
  return faults;
}

function verifyMonoid(monoid: Monoid, variables: ReadonlySet<string>): string[] {
  const { state, identity, combine, project } = monoid;
  const scope = { variables, reads: [], left: state, right: state };
  return [
    ...verifyExpressions("the identity", identity, state, { ...scope, left: null, right: null }),
    ...verifyExpressions("the combination", combine, state, scope),
    ...verifyExpression(project, { ...scope, right: null }),
  ];
}

/** The dims and quotients that expressions depend on, through their reads too. */
function dependsOn(statement: Statement, expressions: readonly Expression[]): ReadonlySet<string> {
  const reads = flatMap(readNumbers(...expressions), (n) => statement.reads[n] ?? []);
  const parts: readonly Index[] = [
    ...expressions.map((expression): Index => ({ kind: "opaque", expression })),
    ...flatMap(reads, (r) => r.guard.map((g) => affineIndex(g.affine))),
  ];
  return new Set(flatMap(parts, (index) => [...indexVariables(statement, index)]));
}

/** Combining into an element needs the state itself to be the element. */
function verifyScatter(reduction: Reduction): string[] {
  const { project } = reduction.monoid;
  const same = project.kind === "state" && reduction.monoid.state.length === 1;
  const faults = reduction.init === null ? [] : ["a scatter has an init"];
  if (reduction.projected && !same) faults.push("a scatter projects its states");
  return faults;
}

function verifyReduction(
  statement: Statement,
  reduction: Reduction,
  scope: ExpressionScope,
): readonly string[] {
  const { monoid, dims, init } = reduction;
  const faults = verifyMonoid(monoid, scope.variables);
  const own = new Set(statement.domain.dims.map((d) => d.name).slice(statement.loops.length));
  for (const name of dims)
    if (!own.has(name)) faults.push(`${name} is reduced but no dim below the loops`);
  if (new Set(dims).size !== dims.length) faults.push("a dim is reduced twice");
  if (isScatter(statement)) faults.push(...verifyScatter(reduction));
  if (init === null) return faults;
  const free = new Set(parallelDims(statement));
  const bound = [...dependsOn(statement, init)].filter((name) => own.has(name) && !free.has(name));
  for (const name of bound) faults.push(`the init depends on ${name}, which is reduced`);
  return [...faults, ...verifyExpressions("the init", init, monoid.state, scope)];
}

/** The types of what a statement stores. */
function storedTypes(statement: Statement): readonly ScalarType[] {
  const { reduction, body } = statement;
  if (reduction === null) return body.map((e) => e.type);
  return reduction.projected ? [reduction.monoid.project.type] : reduction.monoid.state;
}

function verifyWrite(program: Program, statement: Statement): string[] {
  const tensor = findTensor(program, statement.write.tensor);
  if (tensor === undefined) return [];
  const faults: string[] = [];
  if (tensor.role === "input") faults.push(`writes the input ${tensor.name}`);
  const stored = storedTypes(statement).join(", ");
  const wanted = tensor.components.join(", ");
  if (stored !== wanted) faults.push(`stores <${stored}> in ${tensor.name}, which is <${wanted}>`);
  return faults;
}

/** The faults of a statement that stands inside `loops`, accesses out of bounds excepted. */
export function verifyStatement(
  program: Program,
  statement: Statement,
  loops: readonly ProgramLoop[],
): readonly string[] {
  const variables = new Set<string>();
  const faults = verifyDims(statement, variables);
  const scope: ExpressionScope = {
    variables,
    reads: statement.reads.map((r) => findTensor(program, r.tensor)?.components),
    left: null,
    right: null,
  };
  faults.push(...verifyLoops(statement, loops));
  faults.push(...verifyIndex(program, "the write", statement.write, scope));
  for (const [n, r] of statement.reads.entries()) {
    faults.push(...verifyIndex(program, `read ${n}`, r, scope));
    for (const g of r.guard)
      faults.push(...unknownVariables(`read ${n}: the guard`, g.affine, variables));
    const type = findTensor(program, r.tensor)?.components[0] ?? "float32";
    const fill = verifyExpression(literal(r.fill, type), scope);
    faults.push(...fill.map((f) => `read ${n}: the fill ${f}`));
  }
  const { reduction, body } = statement;
  const types = reduction?.monoid.state ?? body.map((e) => e.type);
  faults.push(...verifyExpressions("the body", body, types, scope));
  if (reduction !== null) faults.push(...verifyReduction(statement, reduction, scope));
  faults.push(...verifyWrite(program, statement));
  return faults.map((f) => `statement ${statement.id}: ${f}`);
}
