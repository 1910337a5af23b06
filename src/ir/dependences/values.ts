/**
 * Values: the versions that writes give to each tensor, in static single assignment form.
 *
 * ```
 * value := id, tensor, origin, prev
 * origin := start                 what the tensor holds before the program: the caller's data, or 0
 *         | statement             after the statement, elements not written being those of prev
 *         | phi loop carried      at the start of each iteration of a loop, and after it
 * ```
 * The value of a phi is `prev` in the first iteration, and after the loop when it does not run, and
 * `carried`, the last of its body, otherwise. So every read names one value, "the state before the
 * statement" is an edge, and whether versions share storage is decided elsewhere.
 */
import { type Program, type ProgramNode, type Statement, tensorsOf } from "../program.ts";

export type ValueOrigin =
  | { readonly kind: "start" }
  | { readonly kind: "statement"; readonly statement: string }
  | { readonly kind: "phi"; readonly loop: string; readonly carried: string };

export interface Value {
  /** The tensor's name and a number from 0 in program order, for example `x@2`. */
  readonly id: string;
  readonly tensor: string;
  readonly origin: ValueOrigin;
  /** The value before; null at the start. */
  readonly prev: string | null;
  /** The loops around the definition, outermost first: one version for each of their iterations. */
  readonly loops: readonly string[];
}

export interface Values {
  /** In program order, a phi before the values of its loop's body. */
  readonly values: readonly Value[];
  /** By statement, the value of each tensor that it reads or writes, before the statement. */
  readonly before: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** By statement, the value that it defines. */
  readonly defined: ReadonlyMap<string, string>;
  /** By tensor, the value at the end of the program. */
  readonly final: ReadonlyMap<string, string>;
}

function* statementsOf(
  nodes: readonly ProgramNode[],
  byId: ReadonlyMap<string, Statement>,
): Generator<Statement> {
  for (const node of nodes) {
    if (node.kind === "loop") yield* statementsOf(node.body, byId);
    else {
      const statement = byId.get(node.statement);
      if (statement !== undefined) yield statement;
    }
  }
}

/** The values of a program. */
export function valuesOf(program: Program): Values {
  const byId = new Map(program.statements.map((s) => [s.id, s]));
  const values: Value[] = [];
  const before = new Map<string, ReadonlyMap<string, string>>();
  const defined = new Map<string, string>();
  const current = new Map<string, string>();
  const versions = new Map<string, number>();
  const define = (tensor: string, origin: ValueOrigin, loops: readonly string[]): number => {
    const version = versions.get(tensor) ?? 0;
    versions.set(tensor, version + 1);
    const id = `${tensor}@${version}`;
    values.push({ id, tensor, origin, prev: current.get(tensor) ?? null, loops });
    current.set(tensor, id);
    return values.length - 1;
  };
  const statement = (s: Statement, loops: readonly string[]): void => {
    const touched = new Set(tensorsOf(s));
    before.set(s.id, new Map([...touched].map((t) => [t, current.get(t) ?? ""])));
    const at = define(s.write.tensor, { kind: "statement", statement: s.id }, loops);
    defined.set(s.id, values[at]?.id ?? "");
  };
  const loop = (name: string, body: readonly ProgramNode[], loops: readonly string[]): void => {
    const written = new Set([...statementsOf(body, byId)].map((s) => s.write.tensor));
    const inner = [...loops, name];
    const phis = [...written].map((tensor) => ({
      tensor,
      at: define(tensor, { kind: "phi", loop: name, carried: "" }, inner),
    }));
    visit(body, inner);
    for (const { tensor, at } of phis) {
      const phi = values[at];
      if (phi === undefined) continue;
      const carried = current.get(tensor) ?? "";
      values[at] = { ...phi, origin: { kind: "phi", loop: name, carried } };
      current.set(tensor, phi.id);
    }
  };
  const visit = (nodes: readonly ProgramNode[], loops: readonly string[]): void => {
    for (const node of nodes) {
      if (node.kind === "loop") {
        loop(node.name, node.body, loops);
        continue;
      }
      const s = byId.get(node.statement);
      if (s !== undefined) statement(s, loops);
    }
  };
  for (const t of program.tensors) define(t.name, { kind: "start" }, []);
  visit(program.tree, []);
  return { values, before, defined, final: new Map(current) };
}
