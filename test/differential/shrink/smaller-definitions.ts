import type {
  Assign,
  Call,
  Clause,
  Definition,
  If,
  Statement,
} from "../../../src/frontend/syntax/ast.ts";
import { smallerExpressions } from "./smaller-expressions.ts";

/** What may stand in the place of one statement. */
function* smallerStatement(s: Statement): Generator<readonly Statement[]> {
  yield [];
  switch (s.kind) {
    case "assign":
      for (const smaller of smallerAssigns(s)) yield [smaller];
      return;
    case "for":
      yield s.body;
      if (s.reversed) yield [{ ...s, reversed: false }];
      for (const body of smallerBlocks(s.body)) yield [{ ...s, body }];
      for (const upper of smallerExpressions(s.upper)) yield [{ ...s, upper }];
      return;
    case "if":
      yield* smallerIfs(s);
      return;
    case "call":
      yield* smallerCalls(s);
      return;
  }
}

/** A call with other arguments and targets, or with fewer: its definition shrinks on its own. */
function* smallerCalls(s: Call): Generator<readonly Statement[]> {
  for (const [n, argument] of s.arguments.entries()) {
    for (const smaller of smallerExpressions(argument)) {
      yield [{ ...s, arguments: s.arguments.with(n, smaller) }];
    }
  }
  for (const [n] of s.targets.entries()) {
    if (s.targets.length > 1) yield [{ ...s, targets: s.targets.toSpliced(n, 1) }];
  }
}

function* smallerIfs(s: If): Generator<readonly Statement[]> {
  for (const branch of s.branches) yield branch.body;
  yield s.otherwise;
  const [first, ...others] = s.branches;
  if (first !== undefined && others.length > 0) yield [{ ...s, branches: [first] }];
  if (s.otherwise.length > 0) yield [{ ...s, otherwise: [] }];
  for (const [n, branch] of s.branches.entries()) {
    const replaced = (next: typeof branch): readonly Statement[] => [
      { ...s, branches: s.branches.map((b, i) => (i === n ? next : b)) },
    ];
    for (const body of smallerBlocks(branch.body)) yield replaced({ ...branch, body });
    for (const condition of smallerExpressions(branch.condition)) {
      yield replaced({ ...branch, condition });
    }
  }
  for (const otherwise of smallerBlocks(s.otherwise)) yield [{ ...s, otherwise }];
}

function* smallerAssigns(s: Assign): Generator<Assign> {
  for (const [n] of s.clauses.entries()) yield { ...s, clauses: s.clauses.toSpliced(n, 1) };
  for (const value of smallerExpressions(s.value)) yield { ...s, value };
  for (const [n, index] of s.target.indices.entries()) {
    for (const smaller of smallerExpressions(index)) {
      yield { ...s, target: { ...s.target, indices: s.target.indices.with(n, smaller) } };
    }
  }
  for (const [n, clause] of s.clauses.entries()) {
    for (const next of smallerClauses(clause)) yield { ...s, clauses: s.clauses.with(n, next) };
  }
}

function* smallerClauses(clause: Clause): Generator<Clause> {
  if (clause.kind === "let") {
    for (const value of smallerExpressions(clause.value)) yield { ...clause, value };
  } else if (clause.kind === "range") {
    for (const upper of smallerExpressions(clause.upper)) yield { ...clause, upper };
    for (const lower of smallerExpressions(clause.lower)) yield { ...clause, lower };
  } else {
    for (const access of smallerExpressions(clause.access)) yield { ...clause, access };
  }
}

/** A block without a part of its statements, or with one of them made smaller. */
function* smallerBlocks(body: readonly Statement[]): Generator<readonly Statement[]> {
  const half = Math.floor(body.length / 2);
  if (half > 1) {
    yield body.slice(half);
    yield body.slice(0, half);
  }
  for (const [n, s] of body.entries()) {
    for (const instead of smallerStatement(s)) yield body.toSpliced(n, 1, ...instead);
  }
}

/** All definitions that are one step smaller, the larger steps first; they need not be right. */
export function* smallerDefinitions(d: Definition): Generator<Definition> {
  for (const body of smallerBlocks(d.body)) yield { ...d, body };
  for (const [n, result] of d.results.entries()) {
    if (d.results.length > 1) yield { ...d, results: d.results.toSpliced(n, 1) };
    if (result.type !== undefined) {
      yield { ...d, results: d.results.toSpliced(n, 1, { name: result.name, span: result.span }) };
    }
  }
  for (const [n] of d.parameters.entries()) {
    yield { ...d, parameters: d.parameters.toSpliced(n, 1) };
  }
}
