import { isScatter, type Program } from "../../../src/ir/program.ts";
import { type Execution, executeAccesses, type Touch } from "./execute-accesses.ts";

/** A pair of accesses of one cell, by instances of a program, in the program's order. */
export interface Conflict {
  readonly kind: string;
  readonly from: Touch;
  readonly to: Touch;
}

function sameInstance(program: Program, a: Touch, b: Touch): boolean {
  const s = program.statements.find((x) => x.id === b.statement);
  const dims = (s?.domain.dims ?? []).map((d) => d.name).filter((name) => b.values.has(name));
  return dims.every((name) => a.values.get(name) === b.values.get(name));
}

/** The kinds of dependence of a pair of touches of one cell; none when they have no order. */
function kinds(program: Program, a: Touch, b: Touch, scatters: ReadonlySet<string>): string[] {
  const scattered = b.access === "write" && scatters.has(b.statement);
  if (a.statement === b.statement && sameInstance(program, a, b)) return [];
  if (a.time === b.time) {
    const both = a.access === "write" && b.access === "write" && a.statement === b.statement;
    return both && scattered ? ["output"] : [];
  }
  if (a.access !== "write") return b.access === "write" ? ["anti"] : [];
  if (b.access !== "write") return ["flow"];
  return scattered && a.statement !== b.statement ? ["flow", "output"] : ["output"];
}

/** The semantic definition: statements whose every execution writes every cell of the tensor. */
function wholeWriters(program: Program, executions: readonly Execution[]): Set<string> {
  const whole = new Set<string>();
  for (const s of program.statements) {
    const shape = program.tensors.find((t) => t.name === s.write.tensor)?.shape ?? [];
    const cells = shape.reduce<string[]>(
      (list, extent) => list.flatMap((c) => Array.from({ length: extent }, (_, v) => `${c},${v}`)),
      [""],
    );
    const mine = executions.filter((e) => e.statement === s.id);
    if (isScatter(s) || mine.length === 0) continue;
    if (mine.every((e) => cells.every((c) => e.written.has(c.slice(1))))) whole.add(s.id);
  }
  return whole;
}

/** All pairs in a list, in order, without a kill strictly between them. */
function* unkilled(
  list: readonly Touch[],
  kills: readonly number[],
): Generator<readonly [Touch, Touch]> {
  for (const a of list) {
    const next = kills.find((time) => time > a.time) ?? Infinity;
    for (const b of list) if (b.time >= a.time && next >= b.time) yield [a, b];
  }
}

/** All conflicts between which no statement overwrites the whole tensor, and those statements. */
export function enumerateConflicts(program: Program): {
  readonly conflicts: readonly Conflict[];
  readonly whole: ReadonlySet<string>;
} {
  const { touches, executions } = executeAccesses(program);
  const whole = wholeWriters(program, executions);
  const scatters = new Set(program.statements.filter(isScatter).map((s) => s.id));
  const tensorOf = new Map(program.statements.map((s) => [s.id, s.write.tensor]));
  const killTimes = (name: string): number[] =>
    executions
      .filter((e) => whole.has(e.statement) && tensorOf.get(e.statement) === name)
      .map((e) => e.time);
  const kills = new Map(program.tensors.map((t) => [t.name, killTimes(t.name)]));
  const byCell = new Map<string, Touch[]>();
  for (const t of touches) {
    const cell = `${t.tensor}:${t.cell}`;
    byCell.set(cell, [...(byCell.get(cell) ?? []), t]);
  }
  const conflicts: Conflict[] = [];
  for (const [cell, list] of byCell) {
    for (const [from, to] of unkilled(list, kills.get(cell.split(":")[0] ?? "") ?? [])) {
      for (const kind of kinds(program, from, to, scatters)) conflicts.push({ kind, from, to });
    }
  }
  return { conflicts, whole };
}
