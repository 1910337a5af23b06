import { describe, expect, it } from "vitest";
import type { AccessRef } from "../../../src/ir/dependences/access-relation.ts";
import { type Dependence, dependences } from "../../../src/ir/dependences/dependences.ts";
import { programOrder } from "../../../src/ir/dependences/program-order.ts";
import { writesWhole } from "../../../src/ir/dependences/total-write.ts";
import { printProgram } from "../../../src/ir/print-program.ts";
import type { Program } from "../../../src/ir/program.ts";
import { elman, loop, matmul, program, reads, run, statement, tensor } from "./build-program.ts";
import { enumerateConflicts } from "./enumerate-conflicts.ts";
import { executeAccesses, type Touch } from "./execute-accesses.ts";
import { randomProgram } from "./random-program.ts";

type Distances = { lo: number; hi: number }[];

function endName(e: AccessRef): string {
  return `${e.statement}.${e.access}.${e.use}`;
}

function keyOf(kind: string, a: AccessRef, b: AccessRef, level: number | "independent"): string {
  return `${kind} ${endName(a)} -> ${endName(b)} @${level}`;
}

function loopsOf(program: Program, id: string): readonly string[] {
  return program.statements.find((s) => s.id === id)?.loops ?? [];
}

/** Adds a pair to its group. */
function record(
  program: Program,
  pairs: Map<string, Distances>,
  kind: string,
  a: Touch,
  b: Touch,
): void {
  const loops = loopsOf(program, b.statement);
  const common = loopsOf(program, a.statement).filter((name, n) => loops[n] === name);
  const distance = common.map((n) => (b.values.get(n) ?? 0) - (a.values.get(n) ?? 0));
  const first = distance.findIndex((d) => d !== 0);
  const key = keyOf(kind, a, b, first < 0 ? "independent" : first);
  const old = pairs.get(key);
  const widen = (d: number, n: number): { lo: number; hi: number } => {
    return { lo: Math.min(d, old?.[n]?.lo ?? d), hi: Math.max(d, old?.[n]?.hi ?? d) };
  };
  pairs.set(key, distance.map(widen));
}

interface Enumerated {
  readonly pairs: Map<string, Distances>;
  readonly whole: ReadonlySet<string>;
}

function enumerate(program: Program): Enumerated {
  const { conflicts, whole } = enumerateConflicts(program);
  const pairs = new Map<string, Distances>();
  for (const { kind, from, to } of conflicts) record(program, pairs, kind, from, to);
  return { pairs, whole };
}

function hasOpaque(program: Program): boolean {
  return program.statements.some((s) =>
    [s.write, ...s.reads].some((a) => a.index.some((i) => i.kind === "opaque")),
  );
}

interface Tally {
  compared: number;
  found: number;
  exact: number;
}

/** The statements proved to write whole tensors; those that run must do so. */
function provedWhole(program: Program, whole: ReadonlySet<string>, text: string): Set<string> {
  const order = programOrder(program);
  const executed = new Set(executeAccesses(program).executions.map((e) => e.statement));
  const proved = new Set<string>();
  for (const s of program.statements) {
    const at = order.get(s.id);
    if (at === undefined || !writesWhole(program, s, at)) continue;
    proved.add(s.id);
    expect(whole.has(s.id) || !executed.has(s.id), `${s.id} writes all\n${text}`).toBe(true);
  }
  return proved;
}

function covers(
  found: ReadonlyMap<string, Dependence>,
  pairs: ReadonlyMap<string, Distances>,
  text: string,
): void {
  for (const [key, distances] of pairs) {
    const d = found.get(key);
    expect(d, `${key} missing\n${text}`).toBeDefined();
    for (const [n, range] of distances.entries()) {
      expect(d?.distance[n]?.lo, `${key} distance\n${text}`).toBeLessThanOrEqual(range.lo);
      expect(d?.distance[n]?.hi, `${key} distance\n${text}`).toBeGreaterThanOrEqual(range.hi);
    }
  }
}

function check(seed: number, tally: Tally): void {
  const program = randomProgram(seed);
  const text = `seed ${seed}\n${printProgram(program)}`;
  const { pairs, whole } = enumerate(program);
  const proved = provedWhole(program, whole, text);
  const found = new Map<string, Dependence>();
  for (const d of dependences(program)) {
    const key = keyOf(d.kind, d.from, d.to, d.level);
    expect(found.has(key), `${key} twice\n${text}`).toBe(false);
    found.set(key, d);
  }
  covers(found, pairs, text);
  // Where a whole write is not recognised, more is found than the definition asks for.
  if (![...whole].every((id) => proved.has(id))) return;
  tally.compared++;
  const opaque = hasOpaque(program);
  for (const [key, d] of found) {
    if (!opaque) tally.found++;
    if (!opaque && d.exact) tally.exact++;
    if (!d.exact) continue;
    expect(pairs.get(key), `${key} does not exist\n${text}`).toBeDefined();
    expect(d.distance, `${key} distance\n${text}`).toEqual(pairs.get(key));
  }
}

describe("dependences", () => {
  it("equal enumeration when exact and cover it otherwise, on random programs", () => {
    const tally: Tally = { compared: 0, found: 0, exact: 0 };
    for (let seed = 0; seed < 400; seed++) check(seed, tally);
    expect(tally.compared).toBeGreaterThan(300);
    expect(tally.exact / tally.found).toBeGreaterThan(0.9);
  }, 60_000);

  const brief = (p: Program): string[] =>
    dependences(p).map((d) => {
      const distance = d.distance.map((r) => (r.lo === r.hi ? r.lo : `${r.lo}..${r.hi}`));
      return `${keyOf(d.kind, d.from, d.to, d.level)} [${distance}]${d.exact ? "" : "?"}`;
    });

  it("of a matrix product are none", () => {
    expect(dependences(matmul(8, 8, 8))).toEqual([]);
  });

  it("of an in-place reversal are reads before writes of the same statement", () => {
    const s = statement("S", {
      dims: [["i", 7]],
      write: ["x", "i"],
      reads: [reads("x", [-1, "i", 6])],
    });
    expect(brief(program([tensor("x", [7], "inout")], [s]))).toEqual([
      "anti S.0.body -> S.write.store @independent []",
    ]);
  });

  it("leave out an update in place, where each instance reads what it writes", () => {
    const s = statement("S", { dims: [["i", 7]], write: ["x", "i"], reads: [reads("x", "i")] });
    expect(brief(program([tensor("x", [7], "inout")], [s]))).toEqual([]);
  });

  it("of a recurrence have their distances, and what a sum starts from is a use of its own", () => {
    expect(brief(elman(5, 2, 3, 4)).sort()).toEqual([
      "flow added.write.store -> later.1.body @0 [1]",
      "flow first.write.store -> added.0.init @independent [0]",
      "flow first.write.store -> later.1.body @0 [1]",
      "flow later.write.store -> added.0.init @independent [0]",
      "flow later.write.store -> later.1.body @0 [1]",
      "output first.write.store -> added.write.store @independent [0]",
      "output later.write.store -> added.write.store @independent [0]",
    ]);
  });

  it("do not reach over a statement that overwrites the whole tensor", () => {
    const set = (id: string): ReturnType<typeof statement> =>
      statement(id, { dims: [["i", 4]], write: ["x", "i"] });
    const use = statement("R", { dims: [["i", 4]], write: ["y", "i"], reads: [reads("x", "i")] });
    const p = program([tensor("x", [4]), tensor("y", [4])], [set("A"), set("B"), use, set("C")]);
    expect(brief(p)).toEqual([
      "output A.write.store -> B.write.store @independent []",
      "flow B.write.store -> R.0.body @independent []",
      "output B.write.store -> C.write.store @independent []",
      "anti R.0.body -> C.write.store @independent []",
    ]);
  });

  it("know that a split of a dim writes the whole tensor", () => {
    const set = statement("A", { dims: [["i", 6]], write: ["x", "i"] });
    const split = statement("B", {
      dims: [
        ["o", 2],
        ["i", 3],
      ],
      write: ["x", [3, "o", "i"]],
    });
    const use = statement("R", { dims: [["i", 6]], write: ["y", "i"], reads: [reads("x", "i")] });
    const p = program([tensor("x", [6]), tensor("y", [6])], [set, split, use]);
    expect(brief(p)).toEqual([
      "output A.write.store -> B.write.store @independent []",
      "flow B.write.store -> R.0.body @independent []",
    ]);
  });

  it("keep what a kill would remove when asked to", () => {
    const step = statement("S", {
      loops: ["t"],
      dims: [
        ["t", 5],
        ["i", 4],
      ],
      write: ["x", "i"],
      reads: [reads("x", [-1, "i", 3])],
    });
    const p = program([tensor("x", [4], "inout")], [step], [loop("t", 5, run("S"))]);
    expect(brief(p)).toEqual([
      "anti S.0.body -> S.write.store @independent [0]",
      "flow S.write.store -> S.0.body @0 [1]",
      "output S.write.store -> S.write.store @0 [1]",
    ]);
    const memory = dependences(p, { kills: false });
    expect(memory.map((d) => [d.kind, d.level, d.distance[0]])).toEqual([
      ["anti", 0, { lo: 1, hi: 4 }],
      ["anti", "independent", { lo: 0, hi: 0 }],
      ["flow", 0, { lo: 1, hi: 4 }],
      ["output", 0, { lo: 1, hi: 4 }],
    ]);
  });
});
