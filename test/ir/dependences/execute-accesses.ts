import { type Affine, type Constraint, evaluate, holds } from "../../../src/ir/affine.ts";
import type { Use } from "../../../src/ir/dependences/access-relation.ts";
import { evaluateQuotients } from "../../../src/ir/domain.ts";
import { type Expression, eachExpression } from "../../../src/ir/expression.ts";
import type { Access, Index, Program, ProgramNode, Statement } from "../../../src/ir/program.ts";

/** One access of one instance, in an execution of a program. */
export interface Touch {
  readonly statement: string;
  readonly access: "write" | number;
  readonly use: Use;
  readonly tensor: string;
  readonly cell: string;
  /** Executions of statements count two: their reads, then their writes. */
  readonly time: number;
  readonly values: ReadonlyMap<string, number>;
}

/** One execution of a statement, for fixed loop indices. */
export interface Execution {
  readonly statement: string;
  readonly time: number;
  readonly written: ReadonlySet<string>;
}

type Values = Map<string, number>;

function value(values: ReadonlyMap<string, number>, a: Affine): number {
  return evaluate(a, (name) => values.get(name) ?? Number.NaN);
}

/** All points of the statement's dims that `keep` names, the others left out. */
function points(s: Statement, loops: Values, keep: (dim: string) => boolean): Values[] {
  let list: Values[] = [new Map(loops)];
  for (const d of s.domain.dims.filter((dim) => keep(dim.name))) {
    list = list.flatMap((p) => {
      const fixed = loops.get(d.name);
      const [lo, hi] = [value(p, d.lower), value(p, d.upper)];
      if (fixed !== undefined) return fixed >= lo && fixed < hi ? [p] : [];
      const extended: Values[] = [];
      for (let v = lo; v < hi; v++) extended.push(new Map(p).set(d.name, v));
      return extended;
    });
  }
  for (const p of list) evaluateQuotients(s.domain, p);
  return list;
}

function uses(s: Statement, n: number, roots: readonly Expression[]): boolean {
  return roots.some((root) =>
    [...eachExpression(root)].some((e) => {
      if (e.kind !== "read") return false;
      if (e.read === n) return true;
      return uses(s, n, computed(s.reads[e.read]?.index ?? []));
    }),
  );
}

/** What a statement's reduction leaves to the parallel dims. */
interface Shape {
  readonly reduced: ReadonlySet<string>;
  /** The reduced dims and the quotients of them. */
  readonly varying: ReadonlySet<string>;
  readonly scatters: boolean;
}

function shapeOf(s: Statement): Shape {
  const reduced = new Set(s.reduction?.dims ?? []);
  const varying = new Set(reduced);
  for (const q of s.domain.quotients) {
    if (q.numerator.terms.some((t) => varying.has(t.variable))) varying.add(q.name);
  }
  return { reduced, varying, scatters: s.write.index.some((i) => varies(s, i, varying)) };
}

function all(guards: readonly Constraint[], values: Values): boolean {
  return guards.every((g) => holds(g, (name) => values.get(name) ?? Number.NaN));
}

/** The instances of the body and of the store. */
function instances(s: Statement, shape: Shape, loops: Values): { body: Values[]; store: Values[] } {
  const { guards } = s.domain;
  const body = points(s, loops, () => true).filter((p) => all(guards, p));
  if (shape.reduced.size === 0 || shape.scatters) return { body, store: body };
  const fixed = guards.filter((g) => g.affine.terms.every((t) => !shape.varying.has(t.variable)));
  const outer = points(s, loops, (d) => !shape.reduced.has(d));
  return { body, store: outer.filter((p) => all(fixed, p)) };
}

function usesOf(s: Statement, n: number, scatters: boolean): Use[] {
  if (s.reduction === null || scatters) return ["body"];
  const found: Use[] = [];
  if (uses(s, n, s.reduction.init ?? [])) found.push("init");
  if (uses(s, n, computed(s.write.index))) found.push("store");
  return uses(s, n, s.body) || found.length === 0 ? [...found, "body"] : found;
}

function insideShape(program: Program, touch: Touch): boolean {
  const shape = program.tensors.find((t) => t.name === touch.tensor)?.shape ?? [];
  const cell = touch.cell.split(",").map(Number);
  return cell.every((c, d) => c >= 0 && c < (shape[d] ?? 0));
}

/** Runs a program's accesses one by one; a computed coordinate becomes some number. */
export function executeAccesses(program: Program): { touches: Touch[]; executions: Execution[] } {
  const touches: Touch[] = [];
  const executions: Execution[] = [];
  let time = 0;
  const cell = (values: Values, index: readonly Index[]): string =>
    index
      .map((i, d) => (i.kind === "affine" ? value(values, i.affine) : (time + d) % 2))
      .map((v) => (v === 0 ? 0 : v))
      .join(",");
  const touch = (
    where: readonly Values[],
    name: Pick<Touch, "statement" | "access" | "use">,
    a: Access,
  ): Touch[] =>
    where
      .filter((p) => all(a.guard, p))
      .map((values) => {
        return { ...name, tensor: a.tensor, time, cell: cell(values, a.index), values };
      });

  const run = (s: Statement, loops: Values): void => {
    const shape = shapeOf(s);
    const { body, store } = instances(s, shape, loops);
    for (const [n, a] of s.reads.entries()) {
      for (const use of usesOf(s, n, shape.scatters)) {
        const name = { statement: s.id, access: n, use };
        touches.push(...touch(use === "body" ? body : store, name, a));
      }
    }
    time += 1;
    const name = { statement: s.id, access: "write" as const, use: "store" as const };
    let stored = touch(store, name, { ...s.write, guard: [], fill: 0 });
    if (shape.scatters) stored = stored.filter((t) => insideShape(program, t));
    touches.push(...stored);
    const written = new Set(shape.scatters ? [] : stored.map((t) => t.cell));
    executions.push({ statement: s.id, time, written });
    time += 1;
  };

  const visit = (nodes: readonly ProgramNode[], loops: Values): void => {
    for (const node of nodes) {
      if (node.kind === "statement") {
        const s = program.statements.find((x) => x.id === node.statement);
        if (s !== undefined) run(s, loops);
        continue;
      }
      const [lo, hi] = [value(loops, node.lower), value(loops, node.upper)];
      for (let v = lo; v < hi; v++) visit(node.body, new Map(loops).set(node.name, v));
    }
  };
  visit(program.tree, new Map());
  return { touches, executions };
}

function computed(index: readonly Index[]): readonly Expression[] {
  return index.flatMap((i) => (i.kind === "opaque" ? [i.expression] : []));
}

function varies(s: Statement, index: Index, varying: ReadonlySet<string>): boolean {
  const has = (a: Affine): boolean => a.terms.some((t) => varying.has(t.variable));
  if (index.kind === "affine") return has(index.affine);
  return [...eachExpression(index.expression)].some(
    (e) =>
      (e.kind === "coordinate" && has(e.affine)) ||
      (e.kind === "read" && (s.reads[e.read]?.index ?? []).some((i) => varies(s, i, varying))),
  );
}
