import { describe, expect, it } from "vitest";
import { type Place, printSchedule, type ScheduleNode } from "../../../src/ir/schedule.ts";
import { bind } from "../../../src/ir/scheduling/bind.ts";
import { mapBandOf, mapNode, rebind, usesLoop } from "../../../src/ir/scheduling/map-node.ts";
import { place } from "../../../src/ir/scheduling/place.ts";
import { reorder } from "../../../src/ir/scheduling/reorder.ts";
import { sink } from "../../../src/ir/scheduling/sink.ts";
import { tile } from "../../../src/ir/scheduling/tile.ts";
import { leaf, nest, on, placed } from "../legality/build-schedule.ts";

function text(node: ScheduleNode): readonly string[] {
  return printSchedule({ root: node, places: [] }).trimEnd().split("\n");
}

describe("tile", () => {
  const node = nest([on("serial", "i", 20), on("serial", "j", 3)], leaf("S", { i: "i", j: "j" }));

  it("makes a loop over tiles and one inside a tile", () => {
    expect(text(tile(node, "i", 8, "io", "ii"))).toEqual([
      "serial io in 0..3, serial ii in 0..8, serial j in 0..3",
      "  S(i = ii + 8*io, j = j)",
    ]);
  });

  it("keeps the level, and changes all uses of the loop", () => {
    const skewed = nest(
      [on("grid", "i", 6)],
      leaf("S", { i: "i", j: [-2, "i", 7] }),
      leaf("T", { k: 0 }),
    );
    expect(text(tile(skewed, "i", 2, "a", "b"))).toEqual([
      "grid a in 0..3, grid b in 0..2",
      "  sequence",
      "    S(i = 2*a + b, j = -4*a - 2*b + 7)",
      "    T(k = 0)",
    ]);
  });

  it("by the size of the loop or more gives one tile, of the size of the loop", () => {
    expect(text(tile(node, "j", 3, "a", "b"))[0]).toBe(
      "serial i in 0..20, serial a in 0..1, serial b in 0..3",
    );
    expect(text(tile(node, "j", 64, "a", "b"))[0]).toBe(
      "serial i in 0..20, serial a in 0..1, serial b in 0..3",
    );
  });

  it("by one leaves the loop, and a loop of one trip", () => {
    expect(text(tile(node, "j", 1, "a", "b"))).toEqual([
      "serial i in 0..20, serial a in 0..3, serial b in 0..1",
      "  S(i = i, j = a + b)",
    ]);
  });

  it("of an empty loop is empty", () => {
    expect(
      text(tile(nest([on("serial", "i", 0)], leaf("S", { i: "i" })), "i", 4, "a", "b"))[0],
    ).toBe("serial a in 0..0, serial b in 0..0");
  });

  it("gives the same node back where there is no such loop", () => {
    expect(tile(node, "k", 4, "a", "b")).toBe(node);
  });
});

describe("reorder", () => {
  const node = nest(
    [on("grid", "g", 2), on("serial", "i", 3), on("serial", "j", 4)],
    nest([on("serial", "k", 5)], leaf("S", { i: "i", j: "j", k: "k" })),
    leaf("T", { i: "i" }),
  );

  it("puts the named loops of a band in order, behind the others", () => {
    expect(text(reorder(node, ["j", "i"]))[0]).toBe(
      "grid g in 0..2, serial j in 0..4, serial i in 0..3",
    );
    expect(text(reorder(node, ["i"]))[0]).toBe(
      "grid g in 0..2, serial j in 0..4, serial i in 0..3",
    );
    expect(text(reorder(node, ["i", "g"]))[0]).toBe(
      "serial j in 0..4, serial i in 0..3, grid g in 0..2",
    );
  });

  it("changes no other band", () => {
    expect(text(reorder(node, ["k", "i"])).slice(1)).toEqual(text(node).slice(1));
  });

  it("without loops changes nothing", () => {
    expect(reorder(node, [])).toBe(node);
  });
});

describe("bind", () => {
  it("says who runs a loop, and nothing else", () => {
    const node = nest([on("serial", "i", 3), on("serial", "j", 4)], leaf("S", { i: "i", j: "j" }));
    expect(text(bind(node, "j", "workgroup"))).toEqual([
      "serial i in 0..3, workgroup j in 0..4",
      "  S(i = i, j = j)",
    ]);
    expect(bind(node, "k", "workgroup")).toBe(node);
  });
});

describe("sink", () => {
  it("moves a loop from around a sequence to around each leaf that uses it", () => {
    const node = nest(
      [on("serial", "u", 8)],
      leaf("S", { i: "u" }, "init"),
      nest([on("serial", "k", 5)], leaf("S", { i: "u", k: "k" }, "update")),
      leaf("T", { i: 3 }),
      leaf("S", { i: [2, "u", 1] }, "finish"),
    );
    expect(text(sink(node, "u"))).toEqual([
      "sequence",
      "  serial u.0 in 0..8",
      "    S.init(i = u.0)",
      "  serial k in 0..5, serial u.1 in 0..8",
      "    S.update(i = u.1, k = k)",
      "  T(i = 3)",
      "  serial u.2 in 0..8",
      "    S.finish(i = 2*u.2 + 1)",
    ]);
  });

  it("keeps the loops around it and the level", () => {
    const node = nest(
      [on("grid", "g", 2), on("unroll", "u", 4), on("workgroup", "w", 2)],
      leaf("S", { i: ["u", "w"] }),
      leaf("T", { j: "w" }),
    );
    expect(text(sink(node, "u"))).toEqual([
      "grid g in 0..2, workgroup w in 0..2",
      "  sequence",
      "    unroll u.0 in 0..4",
      "      S(i = u.0 + w)",
      "    T(j = w)",
    ]);
  });

  it("leaves a leaf's only loop where it is, under another name", () => {
    expect(text(sink(nest([on("serial", "u", 4)], leaf("S", { i: "u" })), "u"))).toEqual([
      "serial u.0 in 0..4",
      "  S(i = u.0)",
    ]);
  });

  it("gives the same node back where there is no such loop", () => {
    const node = nest([on("serial", "u", 4)], leaf("S", { i: "u" }));
    expect(sink(node, "w")).toBe(node);
  });
});

describe("place", () => {
  const schedule = {
    root: leaf("S", {}),
    places: [placed("x", "scratch"), placed("y", "private", "i")],
  };

  it("adds a place", () => {
    expect(printSchedule(place(schedule, placed("z", "workgroup", "k")))).toBe(
      "S()\nplace x in scratch\nplace y in private at i\nplace z in workgroup at k\n",
    );
  });

  it("replaces the place of the same target", () => {
    expect(printSchedule(place(schedule, placed("x", "workgroup")))).toBe(
      "S()\nplace y in private at i\nplace x in workgroup\n",
    );
  });

  it("tells accumulators from tensors, and prints slots", () => {
    const accumulator: Place = {
      target: { kind: "accumulator", statement: "x" },
      space: "private",
      at: null,
      fold: null,
    };
    const folded: Place = { ...placed("x", "storage"), fold: { loop: "t", slots: 3 } };
    expect(printSchedule(place(place(schedule, accumulator), folded))).toBe(
      "S()\nplace y in private at i\nplace accumulator of x in private\nplace x in storage, 3 slots over t\n",
    );
  });
});

describe("rebuilding", () => {
  const node = nest([on("serial", "i", 3)], leaf("S", { i: "i" }), leaf("T", { i: "i" }));

  it("gives back the same object where nothing changes", () => {
    expect(mapNode(node, (n) => n)).toBe(node);
    expect(mapBandOf(node, "j", () => leaf("U", {}))).toBe(node);
    const s = leaf("S", { i: "i" });
    expect(rebind(s, () => undefined)).toBe(s);
  });

  it("changes children before their parents", () => {
    const seen: string[] = [];
    mapNode(node, (n) => {
      seen.push(n.kind === "leaf" ? n.statement : n.kind);
      return n;
    });
    expect(seen).toEqual(["S", "T", "sequence", "band"]);
  });

  it("knows the loops that a leaf uses", () => {
    const s = leaf("S", { i: [2, "a", 1], j: 0 });
    expect(usesLoop(s, "a")).toBe(true);
    expect(usesLoop(s, "b")).toBe(false);
  });
});
