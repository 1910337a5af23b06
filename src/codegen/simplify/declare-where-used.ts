/**
 * Purpose: declares the variables that statements assign and read without a declaration.
 *
 * Ensures: each is declared in the innermost block that holds all its uses, by its first assignment
 * if that comes first there, so that no value outlives an iteration that does not use it; else
 * before everything, with the value 0.
 */
import { flatMap } from "../../support/flat-map.ts";
import { literalOf } from "../build.ts";
import type { KernelExpression, KernelStatement, KernelType } from "../kernel.ts";
import { originOf } from "../origin.ts";
import {
  eachKernelStatement,
  innerStatements,
  someKernelExpression,
  statementExpressions,
  visitOwnExpressions,
} from "../walk-kernel.ts";

type Body = readonly KernelStatement[];

/** Which of the undeclared names a statement mentions: itself, and with what is inside it. */
interface Mentions {
  readonly own: ReadonlySet<string>;
  readonly all: ReadonlySet<string>;
}

type MentionTable = ReadonlyMap<KernelStatement, Mentions>;

/** The names that are used but not declared, with their types. */
function undeclared(body: Body): ReadonlyMap<string, KernelType> {
  const found = new Map<string, KernelType>();
  const declared = new Set<string>();
  for (const s of eachKernelStatement(body)) {
    if (s.kind === "declare" || s.kind === "exchange") declared.add(s.name);
    if (s.kind === "loop") declared.add(s.variable);
    if (s.kind === "assign") found.set(s.name, s.value.type);
    visitOwnExpressions(s, (e) => {
      if (e.kind === "variable") found.set(e.name, e.type);
    });
  }
  for (const name of declared) found.delete(name);
  return found;
}

function mentionTable(body: Body, names: ReadonlyMap<string, KernelType>): MentionTable {
  const table = new Map<KernelStatement, Mentions>();
  const visit = (s: KernelStatement): ReadonlySet<string> => {
    const own = new Set<string>();
    if (s.kind === "assign" && names.has(s.name)) own.add(s.name);
    visitOwnExpressions(s, (e) => {
      if (e.kind === "variable" && names.has(e.name)) own.add(e.name);
    });
    const all = s.kind === "loop" || s.kind === "if" ? new Set(own) : own;
    for (const inner of innerStatements(s)) for (const name of visit(inner)) all.add(name);
    table.set(s, { own, all });
    return all;
  };
  body.forEach(visit);
  return table;
}

function reads(s: KernelStatement, name: string): boolean {
  const isIt = (e: KernelExpression): boolean => e.kind === "variable" && e.name === name;
  return statementExpressions(s).some((e) => someKernelExpression(e, isIt));
}

/** A declaration in place of an assignment. */
function asDeclaration(s: Extract<KernelStatement, { kind: "assign" }>): KernelStatement {
  const { name, value } = s;
  return { kind: "declare", name, type: value.type, value, mutable: true, ...originOf(s) };
}

/** For each wanted name, which statements of a block mention it. */
function usersOf(
  body: Body,
  wanted: ReadonlySet<string>,
  table: MentionTable,
): ReadonlyMap<string, readonly number[]> {
  const users = new Map<string, number[]>();
  for (const [i, s] of body.entries()) {
    for (const name of table.get(s)?.all ?? []) {
      if (!wanted.has(name)) continue;
      const list = users.get(name) ?? [];
      users.set(name, list);
      list.push(i);
    }
  }
  return users;
}

/** Statements with as many of the wanted names declared as can be; `late` collects the others. */
function declareIn(
  body: Body,
  wanted: ReadonlySet<string>,
  table: MentionTable,
  late: Set<string>,
): Body {
  const users = usersOf(body, wanted, table);
  const here = new Set<number>();
  const deeper = new Map<number, Set<string>>();
  for (const [name, [first = 0, ...others]] of users) {
    const s = body[first];
    if (s?.kind === "assign" && s.name === name && !reads(s, name)) here.add(first);
    else if (s !== undefined && others.length === 0 && table.get(s)?.own.has(name) === false) {
      deeper.set(first, (deeper.get(first) ?? new Set<string>()).add(name));
    } else late.add(name);
  }
  return body.map((s, i) => {
    if (here.has(i) && s.kind === "assign") return asDeclaration(s);
    const inside = deeper.get(i);
    return inside === undefined ? s : declareInside(s, inside, table, late);
  });
}

/** The same for the blocks inside a statement; a name that both sides of an `if` use is late. */
function declareInside(
  s: KernelStatement,
  wanted: ReadonlySet<string>,
  table: MentionTable,
  late: Set<string>,
): KernelStatement {
  if (s.kind === "loop") return { ...s, body: declareIn(s.body, wanted, table, late) };
  if (s.kind !== "if") return s;
  const uses = (side: Body, name: string): boolean =>
    side.some((inner) => table.get(inner)?.all.has(name) === true);
  const only = (side: Body, other: Body): ReadonlySet<string> =>
    new Set([...wanted].filter((name) => uses(side, name) && !uses(other, name)));
  for (const name of wanted) if (uses(s.then, name) && uses(s.else, name)) late.add(name);
  return {
    ...s,
    then: declareIn(s.then, only(s.then, s.else), table, late),
    else: declareIn(s.else, only(s.else, s.then), table, late),
  };
}

/** Adds the declarations that a body lacks. */
export function declareWhereUsed(body: Body): Body {
  const names = undeclared(body);
  const late = new Set<string>();
  const result = declareIn(body, new Set(names.keys()), mentionTable(body, names), late);
  const early = flatMap([...names], ([name, type]): readonly KernelStatement[] =>
    late.has(name)
      ? [{ kind: "declare", name, type, value: literalOf(0, type), mutable: true }]
      : [],
  );
  return [...early, ...result];
}
