import { describe, expect, it } from "vitest";
import { synchronise } from "../../../src/ir/legality/synchronise.ts";
import { isLegalSchedule, verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import { printProgram } from "../../../src/ir/print-program.ts";
import { isScatter, type Program, type Statement } from "../../../src/ir/program.ts";
import { printSchedule } from "../../../src/ir/schedule.ts";
import { type Conflict, enumerateConflicts } from "../dependences/enumerate-conflicts.ts";
import { executeAccesses, type Touch } from "../dependences/execute-accesses.ts";
import { randomProgram } from "../dependences/random-program.ts";
import { type Event, executeSchedule, happensBefore, phaseOf } from "./execute-schedule.ts";
import { randomSchedule } from "./random-schedule.ts";

function keyOf(statement: string, phase: string, dims: ReadonlyMap<string, number>): string {
  const text = [...dims].sort(([x], [y]) => (x < y ? -1 : 1)).map(([d, v]) => `${d}=${v}`);
  return `${statement}.${phase} ${text.join(" ")}`;
}

type ByKey = ReadonlyMap<string, readonly Event[]>;

function group(events: readonly Event[], key: (e: Event) => string): ByKey {
  const groups = new Map<string, Event[]>();
  for (const e of events) groups.set(key(e), [...(groups.get(key(e)) ?? []), e]);
  return groups;
}

/** The executions of the instance that performs an access. */
function performers(program: Program, events: ByKey, t: Touch): readonly Event[] {
  const s = program.statements.find((x) => x.id === t.statement);
  if (s === undefined) return [];
  const phase = phaseOf(s, t.use);
  const gone = phase === "init" || phase === "finish" ? (s.reduction?.dims ?? []) : [];
  const names = s.domain.dims.map((d) => d.name).filter((d) => !gone.includes(d));
  const dims = new Map(names.map((d) => [d, t.values.get(d) ?? 0]));
  return events.get(keyOf(t.statement, phase, dims)) ?? [];
}

/** Instances of one scatter have no order. */
function isFree(program: Program, { from, to }: Conflict): boolean {
  const s = program.statements.find((x) => x.id === from.statement);
  const both = from.access === "write" && to.access === "write";
  return both && from.statement === to.statement && s !== undefined && isScatter(s);
}

/** The first thing that goes wrong when the schedule runs; null if nothing does. */
function goesWrong(program: Program, events: readonly Event[]): string | null {
  const byKey = group(events, (e) => keyOf(e.statement, e.phase, e.dims));
  for (const t of executeAccesses(program).touches) {
    const count = performers(program, byKey, t).length;
    const isRight = t.access === "write" ? count === 1 : count > 0;
    if (!isRight) return `${t.statement} runs ${count} times`;
  }
  for (const conflict of enumerateConflicts(program).conflicts) {
    if (isFree(program, conflict)) continue;
    const sinks = performers(program, byKey, conflict.to);
    const sources = performers(program, byKey, conflict.from);
    if (sources.some((a) => sinks.some((b) => !happensBefore(a, b)))) {
      return `${conflict.kind} from ${conflict.from.statement} to ${conflict.to.statement}`;
    }
  }
  const reductions = program.statements.filter((s) => s.reduction !== null && !isScatter(s));
  return reductions.map((s) => accumulates(s, events)).find((text) => text !== null) ?? null;
}

/** Whoever finishes an accumulator has started it and done all updates before, in order. */
function accumulates(s: Statement, events: readonly Event[]): string | null {
  const reduced = s.reduction?.dims ?? [];
  const element = (e: Event): string =>
    keyOf(s.id, "", new Map([...e.dims].filter(([d]) => !reduced.includes(d))));
  const mine = events.filter((e) => e.statement === s.id);
  const updates = group(
    mine.filter((e) => e.phase === "update"),
    element,
  );
  const steps = group(mine, (e) => `${e.dispatch}/${e.workgroup}/${e.thread} ${element(e)}`);
  const rank = { whole: 0, init: 0, update: 1, finish: 2 };
  for (const list of steps.values()) {
    const finish = list.find((e) => e.phase === "finish");
    if (finish === undefined) continue;
    if (!list.some((e) => e.phase === "init")) return `${s.id} finishes without a start`;
    const instances = (updates.get(element(finish)) ?? []).map((e) => keyOf(s.id, "", e.dims));
    const done = list.filter((e) => e.phase === "update").length;
    if (done !== new Set(instances).size) return `${s.id} finishes without all updates`;
    const wrong = list.some((a) =>
      list.some((b) => rank[a.phase] < rank[b.phase] && !happensBefore(a, b)),
    );
    if (wrong) return `${s.id} accumulates out of order`;
  }
  return null;
}

interface Tally {
  accepted: number;
  refused: number;
  /** Refused, though nothing went wrong. */
  falsely: number;
  barriers: number;
}

function check(seed: number, tally: Tally): void {
  const program = randomProgram(seed);
  const schedule = randomSchedule(program, seed);
  const faults = verifySchedule(program, schedule);
  expect(isLegalSchedule(program, schedule)).toBe(faults.length === 0);
  const barriers = synchronise(program, schedule);
  if (faults.some((f) => f.kind === "structure")) return;
  const wrong = goesWrong(program, executeSchedule(program, schedule, barriers));
  if (faults.length === 0) {
    tally.accepted++;
    tally.barriers += barriers.length;
    expect(wrong, `seed ${seed}\n${printProgram(program)}${printSchedule(schedule)}`).toBeNull();
  } else {
    tally.refused++;
    if (wrong === null) tally.falsely++;
  }
}

describe("schedule verification", () => {
  it("accepts only what executes in the program's order, on random schedules", () => {
    const tally: Tally = { accepted: 0, refused: 0, falsely: 0, barriers: 0 };
    for (let seed = 0; seed < 400; seed++) check(seed, tally);
    expect(tally.accepted).toBeGreaterThan(100);
    expect(tally.barriers).toBeGreaterThan(30);
    // What is refused without need: repeated instances that guards make empty, computed indices.
    expect(tally.falsely / tally.refused).toBeLessThan(0.1);
  }, 60_000);
});
