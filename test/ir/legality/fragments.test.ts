/** What may not be bound to fragments. */
import { describe, expect, it } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import { type Affine, add, constant, scale, variable } from "../../../src/ir/affine.ts";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import { type Mapped, mapProgram } from "../../../src/ir/mapping/map-program.ts";
import type { Index, Program, Statement } from "../../../src/ir/program.ts";
import {
  eachKernel,
  eachLeaf,
  type FragmentUse,
  fragmentUseOf,
  type Leaf,
  type Loop,
  type Phase,
  type Place,
  placeOfTensor,
  type Schedule,
  sequence,
} from "../../../src/ir/schedule.ts";
import { mapNode, rebind } from "../../../src/ir/scheduling/map-node.ts";
import { type GivenChoices, given } from "../../support/given.ts";
import { profileWithUnits, unitOf } from "../../support/matrix-profile.ts";

const source = "def f(float(16, 16) A, float(16, 16) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";
const profile = profileWithUnits(4, unitOf("float32", 4, 4, 4));

/** A mapping with some choices, each of which is taken as it is. */
function mappedWith(text: string, choices: GivenChoices): Mapped {
  const lowered = lowerSource(text, {});
  if (!lowered.ok) throw new Error("not lowered");
  const { mapped, repairs, unused } = mapProgram(lowered.program, profile, given(choices));
  expect([repairs, unused]).toEqual([[], []]);
  return mapped;
}

const fragments = { "kernels/$0/axes/0/fragments": 2, "kernels/$0/axes/1/subgroups": 2 };

function mapped(): Mapped {
  return mappedWith(source, fragments);
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
      const m = leaf.binding.get("m") ?? { terms: [], constant: 0 };
      const terms = m.terms.map((t) => (t.coefficient === 4 ? { ...t, coefficient: 8 } : t));
      return { ...leaf, binding: new Map([...leaf.binding, ["m", { ...m, terms }]]) };
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

describe("what follows a sum in fragments", () => {
  const text = `def f(float(16, 16) A, float(16, 16) B, float(16, 16) R) -> (D) {
    C(m, n) +=! A(m, k) * B(k, n)
    D(m, n) = fmax(C(m, n) + R(m, n), 0.0)
  }`;

  function together(): Mapped {
    return mappedWith(text, { ...fragments, "structure/statements/$1/with": true });
  }

  const both = together();

  /** What is wrong where the map reads and writes otherwise. */
  function faultsWith(change: (map: Statement) => Statement): string {
    const statements = both.program.statements.map((s) => (s.id === "D" ? change(s) : s));
    const changed: Program = { ...both.program, statements };
    return verifySchedule(changed, both.schedule)
      .map((f) => f.message)
      .join("\n");
  }

  function faultsIn(changed: Schedule): string {
    return verifySchedule(both.program, changed)
      .map((f) => f.message)
      .join("\n");
  }

  function indexOf(affine: Affine): Index {
    return { kind: "affine", affine };
  }

  const [m, n] = [variable("m"), variable("n")];
  const shared = "lanes share elements of";

  it("is legal in the loops of its finish, with the sum in registers", () => {
    expect(faultsWith((s) => s)).toBe("");
    const [kernel, more] = [...eachKernel(both.schedule.root)];
    expect(more).toBeUndefined();
    expect(kernel && eachLeaf(kernel.kernel).map(({ leaf }) => leaf.phase)).toEqual([
      ...["init", "update", "finish", "whole"],
    ]);
    expect(placeOfTensor(both.schedule, "C")?.space).toBe("private");
  });

  it("reads of what the kernel writes its own element alone", () => {
    const stored = both.schedule.places.filter((p) => p.target.kind === "accumulator");
    const neighbours = (index: readonly Index[]): string => {
      const statements = both.program.statements.map((s) => {
        if (s.id !== "D") return s;
        const reads = s.reads.map((r) => (r.tensor === "C" ? { ...r, index } : r));
        return { ...s, reads };
      });
      const changed: Program = { ...both.program, statements };
      return verifySchedule(changed, { ...both.schedule, places: stored })
        .map((f) => f.message)
        .join("\n");
    };
    expect(neighbours([indexOf(m), indexOf(n)])).toBe("");
    expect(neighbours([indexOf(n), indexOf(m)])).toContain(`${shared} C`);
    const turned = add(scale(n, -1), constant(15));
    expect(neighbours([indexOf(m), indexOf(turned)])).toContain(`${shared} C`);
    expect(neighbours([indexOf(m), indexOf(constant(0))])).toContain(`${shared} C`);
  });

  it("writes an element in one lane, and none of what is multiplied or read elsewhere", () => {
    const row = (s: Statement): Statement => ({
      ...s,
      write: { tensor: "D", index: [indexOf(m)] },
    });
    expect(faultsWith(row)).toContain(`${shared} D`);
    const turned = (s: Statement): Statement => {
      return { ...s, write: { ...s.write, index: [indexOf(n), indexOf(m)] } };
    };
    expect(faultsWith(turned)).not.toContain(shared);
    const factor = (s: Statement): Statement => ({ ...s, write: { ...s.write, tensor: "A" } });
    expect(faultsWith(factor)).toContain(`${shared} A`);
    const other = (s: Statement): Statement => {
      const index = [indexOf(n), indexOf(m)];
      const reads = s.reads.map((r) => (r.tensor === "R" ? { ...r, tensor: "D", index } : r));
      return { ...s, reads };
    };
    expect(faultsWith(other)).toContain(`${shared} D`);
  });

  it("stands behind the finish, in its loops", () => {
    const swapped = mapNode(both.schedule.root, (node) => {
      if (node.kind !== "sequence" || node.children.some((c) => c.kind !== "leaf")) return node;
      return { ...node, children: [...node.children].reverse() };
    });
    expect(faultsIn({ ...both.schedule, root: swapped })).toContain(
      "D is in a kernel of fragments",
    );
    const apart = mapNode(both.schedule.root, (node) => {
      if (node.kind !== "band" || node.child.kind !== "sequence") return node;
      const [first, second] = node.child.children;
      if (first?.kind !== "leaf" || second?.kind !== "leaf") return node;
      const loops = node.loops.map((l) => ({ ...l, id: `${l.id}.again` }));
      const again = rebind(second, (l) => variable(`${l}.again`, 1));
      const known = new Set(loops.map((l) => l.id));
      const binding = new Map(
        [...again.binding].map(([dim, a]) => {
          const terms = a.terms.map((t) =>
            known.has(t.variable) ? t : { ...t, variable: t.variable.replace(/\.again$/, "") },
          );
          return [dim, { ...a, terms }] as const;
        }),
      );
      return sequence([
        { ...node, child: first },
        { ...node, loops, child: { ...again, binding } },
      ]);
    });
    expect(faultsIn({ ...both.schedule, root: apart })).toContain("D is in a kernel of fragments");
  });

  it("has the sum in registers of one iteration, or in storage", () => {
    const elsewhere = (change: Partial<Place>): string => {
      const places = both.schedule.places.map((p): Place => {
        return p.target.kind === "tensor" ? { ...p, ...change } : p;
      });
      return faultsIn({ ...both.schedule, places });
    };
    const inside = eachLeaf(both.schedule.root).at(-1)?.loops ?? [];
    const local = inside.find((l) => l.on === "workgroup")?.id ?? null;
    expect(elsewhere({ at: local })).toContain("C has results in private memory");
    expect(elsewhere({ space: "workgroup", at: null })).toContain(
      "has results in workgroup memory",
    );
  });
});
