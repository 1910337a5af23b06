/** What may be loaded an iteration early. */
import { describe, expect, it } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import { verifySchedule } from "../../../src/ir/legality/verify-schedule.ts";
import { type Mapped, mapProgram } from "../../../src/ir/mapping/map-program.ts";
import type { Program } from "../../../src/ir/program.ts";
import {
  type Band,
  eachLeaf,
  type Loop,
  type Schedule,
  type ScheduleNode,
  sequence,
} from "../../../src/ir/schedule.ts";
import { mapNode } from "../../../src/ir/scheduling/map-node.ts";
import { baselineProfile } from "../../../src/support/device-profile.ts";
import { given } from "../../support/given.ts";

const source = "def f(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";

function mapped(): Mapped {
  const lowered = lowerSource(source, { sizes: { M: 16, K: 24, N: 16 } });
  if (!lowered.ok) throw new Error("not lowered");
  const choices = {
    "kernels/$0/axes/0/workgroup": 4,
    "kernels/$0/axes/0/points": 2,
    "kernels/$0/axes/1/workgroup": 4,
    "kernels/$0/axes/1/points": 2,
    "kernels/$0/operands/$0.read0/stage": "workgroup",
    "kernels/$0/operands/$0.read1/stage": "workgroup",
    "kernels/$0/operands/$0.read0/vector": 1,
    "kernels/$0/operands/$0.read1/vector": 1,
    "kernels/$0/reduced/0/0": 8,
    "kernels/$0/prefetch": true,
  };
  const { mapped, repairs, unused } = mapProgram(lowered.program, baselineProfile, given(choices));
  expect([repairs, unused]).toEqual([[], []]);
  return mapped;
}

const { program, schedule } = mapped();

function faultsOf(changed: Schedule, of: Program = program): string {
  return verifySchedule(of, changed)
    .map((f) => f.message)
    .join("\n");
}

function withLoops(change: (loop: Loop) => Loop): Schedule {
  const root = mapNode(schedule.root, (n) =>
    n.kind === "band" ? { ...n, loops: n.loops.map(change) } : n,
  );
  return { ...schedule, root };
}

/** The schedule with another form of the loop that prefetches. */
function withPipeline(change: (node: Band) => ScheduleNode): Schedule {
  const root = mapNode(schedule.root, (n) => {
    return n.kind === "band" && n.loops.some((l) => l.prefetch === true) ? change(n) : n;
  });
  return { ...schedule, root };
}

function childrenOf({ child }: Band): readonly ScheduleNode[] {
  return child.kind === "sequence" ? child.children : [child];
}

describe("a loop that prefetches", () => {
  it("is legal as it was mapped", () => {
    expect(faultsOf(schedule)).toBe("");
    const loops = eachLeaf(schedule.root).flatMap((c) => c.loops);
    expect([...new Set(loops.filter((l) => l.prefetch === true).map((l) => l.id))]).toEqual([
      "C.r0.tile",
    ]);
  });

  it("is serial, and the innermost of its band", () => {
    const unrolled = withLoops((l) => (l.prefetch === true ? { ...l, on: "unroll" } : l));
    expect(faultsOf(unrolled)).toContain("is no serial loop");
    const outer = withPipeline((n) => ({
      ...n,
      loops: [...n.loops, { id: "more", extent: 1, on: "serial" }],
    }));
    expect(faultsOf(outer)).toContain("C.r0.tile prefetches, and has others inside of it");
  });

  it("begins with copies, and does something with them", () => {
    const late = withPipeline((n) => ({ ...n, child: sequence([...childrenOf(n)].reverse()) }));
    expect(faultsOf(late)).toContain("does not begin with copies");
    const single = withPipeline((n) => {
      const loops: readonly Loop[] = [{ id: "one", extent: 1, on: "serial" }];
      return { ...n, child: { kind: "band", loops, child: n.child } };
    });
    expect(faultsOf(single)).toContain("does one thing alone");
  });

  it("copies in straight text, to memory of its own in the workgroup", () => {
    const serial = withLoops((l) =>
      l.on === "unroll" && l.id.includes("turn") ? { ...l, on: "serial" } : l,
    );
    expect(serial).not.toEqual(schedule);
    expect(faultsOf(serial)).toContain("does not begin with copies");
    const places = schedule.places.map((p) => ({ ...p, at: null }));
    expect(faultsOf({ ...schedule, places })).toContain("does not begin with copies");
  });

  it("holds no more of a copy than registers do", () => {
    const many = withLoops((l) => {
      return l.on === "unroll" && l.id.startsWith("C.A.") ? { ...l, extent: 33 } : l;
    });
    expect(many).not.toEqual(schedule);
    expect(faultsOf(many)).toContain("does not begin with copies");
  });

  it("does not write what it copies, nor where", () => {
    // Each row of A is overwritten by what is computed of it.
    const writes = program.statements.map((s) =>
      s.id === "C" ? { ...s, write: { ...s.write, tensor: "A" } } : s,
    );
    expect(faultsOf(schedule, { ...program, statements: writes })).toContain(
      "reads A, which loop C.r0.tile writes",
    );
    const twice = withPipeline((n) => {
      const all = childrenOf(n);
      const again = mapNode(all[0] ?? n, (c) => {
        if (c.kind !== "band") return c;
        return { ...c, loops: c.loops.map((l) => ({ ...l, id: `${l.id}.again` })) };
      });
      const renamed = mapNode(again, (c) => {
        if (c.kind !== "leaf") return c;
        const binding = new Map(
          [...c.binding].map(([dim, a]) => [
            dim,
            {
              ...a,
              terms: a.terms.map((t) => {
                const own = t.variable.startsWith("C.A.");
                return own ? { ...t, variable: `${t.variable}.again` } : t;
              }),
            },
          ]),
        );
        return { ...c, binding };
      });
      return { ...n, child: sequence([...all, renamed]) };
    });
    expect(faultsOf(twice)).toContain("writes what loop C.r0.tile prefetches");
  });
});
