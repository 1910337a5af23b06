/** What may not be bound to fragments. */
import { describe, expect, it } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import { decider, defaultOptions } from "../../../src/ir/decisions.ts";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import { type Mapped, mapProgram } from "../../../src/ir/mapping/map-program.ts";
import type { FragmentUse, Leaf, Loop, Phase, Place, Schedule } from "../../../src/ir/schedule.ts";
import { fragmentUseOf } from "../../../src/ir/schedule.ts";
import { mapNode } from "../../../src/ir/scheduling/map-node.ts";
import { profileWithUnits, unitOf } from "../../support/matrix-profile.ts";

const source = "def f(float(16, 16) A, float(16, 16) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";
const profile = profileWithUnits(4, unitOf("float32", 4, 4, 4));

function mapped(): Mapped {
  const lowered = lowerSource(source, {});
  if (!lowered.ok) throw new Error("not lowered");
  const choices = { "kernel0.p0.fragments": 2, "kernel0.p1.subgroups": 2 };
  return mapProgram(lowered.program, profile, decider({ ...defaultOptions, choices }));
}

const { program, schedule } = mapped();

function faultsOf(changed: Schedule): string {
  return verifySchedule(program, changed)
    .map((f) => f.message)
    .join("\n");
}

/** The schedule with other loops, by id. */
function withLoops(change: (loop: Loop) => Loop): Schedule {
  const root = mapNode(schedule.root, (n) =>
    n.kind === "band" ? { ...n, loops: n.loops.map(change) } : n,
  );
  return { ...schedule, root };
}

function withUse(change: Partial<FragmentUse>): Schedule {
  const places = schedule.places.map((p): Place => {
    return p.unit === undefined ? p : { ...p, unit: { ...p.unit, ...change } };
  });
  return { ...schedule, places };
}

function withLeaves(phase: Phase, change: (leaf: Leaf) => Leaf): Schedule {
  const root = mapNode(schedule.root, (n) =>
    n.kind === "leaf" && n.phase === phase ? change(n) : n,
  );
  return { ...schedule, root };
}

describe("a schedule in fragments", () => {
  const use = fragmentUseOf(schedule, program.statements[0]?.id ?? "");

  it("is legal as it was mapped", () => {
    expect(faultsOf(schedule)).toBe("");
    expect(use).toMatchObject({ lanes: 4, row: "m", column: "n", depth: "k" });
  });

  it("needs its accumulator there, and loops of the unit's extents", () => {
    expect(faultsOf({ ...schedule, places: [] })).toContain("no accumulator in fragments");
    const unit = unitOf("float32", 4, 8, 4);
    expect(faultsOf(withUse({ unit }))).toContain("is not tiled by its fragments");
    const serial = withLoops((l) => (l.on === "fragment" ? { ...l, on: "unroll" } : l));
    expect(faultsOf(serial)).toContain("is not tiled by its fragments");
  });

  it("has the types of the unit", () => {
    expect(faultsOf(withUse({ unit: unitOf("float16", 4, 4, 4) }))).toContain(
      "adds something else than products of two reads of float16",
    );
    const unit = { ...unitOf("float32", 4, 4, 4), result: "float16" as const };
    expect(faultsOf(withUse({ unit }))).toContain("is no sum of float16");
  });

  it("has rows, columns and depth as the product does", () => {
    expect(faultsOf(withUse({ row: "k", depth: "m" }))).toContain(
      "does not lie in rows or columns",
    );
  });

  it("chooses fragments when it is written out", () => {
    const serial = withLoops((l) => (l.on === "unroll" ? { ...l, on: "serial" } : l));
    expect(faultsOf(serial)).toContain("are chosen at run time");
  });

  it("has the same fragments from init to finish", () => {
    const moved = withLeaves("init", (leaf) => {
      const { m = { terms: [], constant: 0 }, ...rest } = leaf.binding;
      const terms = m.terms.map((t) => (t.coefficient === 4 ? { ...t, coefficient: 8 } : t));
      return { ...leaf, binding: { ...rest, m: { ...m, terms } } };
    });
    expect(faultsOf(moved)).toContain("are not the same from init to finish");
  });

  it("keeps whole tiles inside of the domain", () => {
    const beyond = withLoops((l) => (l.on === "grid" ? { ...l, extent: l.extent + 1 } : l));
    expect(faultsOf(beyond)).toContain("are not whole");
  });

  it("has fragments neither in vectors nor in lanes", () => {
    const lanes = withLoops((l) => (l.on === "workgroup" ? { ...l, on: "lane" } : l));
    expect(faultsOf(lanes)).toContain("in vectors or lanes");
  });

  it("has fragments of accumulators alone", () => {
    const target = { kind: "tensor", tensor: "C" } as const;
    const place: Place = { target, space: "fragment", at: null, fold: null };
    expect(faultsOf({ ...schedule, places: [...schedule.places, place] })).toContain(
      "C is no accumulator, and cannot be in fragments",
    );
  });
});
