import { describe, expect, it } from "vitest";
import { type Affine, add, constant, evaluate, holds, variable } from "../../../src/ir/affine.ts";
import { imageOf } from "../../../src/ir/legality/binding-image.ts";
import { seededRandom } from "../../../src/support/random.ts";
import { affine } from "../dependences/build-program.ts";

const extents = (text: Readonly<Record<string, number>>): ReadonlyMap<string, number> =>
  new Map(Object.entries(text));

/** All points that the bindings reach, as text, and how often. */
function reached(bindings: readonly Affine[], loops: ReadonlyMap<string, number>): string[] {
  let points: Map<string, number>[] = [new Map()];
  for (const [id, extent] of loops) {
    points = points.flatMap((p) => Array.from({ length: extent }, (_, v) => new Map(p).set(id, v)));
  }
  return points.map((p) => bindings.map((b) => evaluate(b, (n) => p.get(n) ?? 0)).join(","));
}

describe("the image of a binding", () => {
  it("equals enumeration when it is known, on random tiles and skews", () => {
    const random = seededRandom(7);
    let known = 0;
    for (let n = 0; n < 150; n++) {
      const loops = extents({
        p: random.integer(1, 4),
        q: random.integer(1, 4),
        r: random.integer(1, 4),
      });
      const one = (): Affine =>
        add(
          ...["p", "q", "r"].map((l) => variable(l, random.pick([0, 0, 1, -1, 2, 3]))),
          constant(random.integer(-1, 2)),
        );
      const bindings = [one(), one()];
      const rows = bindings.map((bound, d) => ({ known: variable(`d${d}`), bound }));
      const image = imageOf(rows, loops);
      if (image === null) continue;
      known++;
      const points = reached(bindings, loops);
      const found = new Set(points);
      for (let x = -12; x <= 12; x++) {
        for (let y = -12; y <= 12; y++) {
          const inside = image.constraints.every((c) => holds(c, (d) => (d === "d0" ? x : y)));
          expect(inside, JSON.stringify([bindings, [...loops]])).toBe(found.has(`${x},${y}`));
        }
      }
      const used = new Set(bindings.flatMap((b) => b.terms.map((t) => t.variable)));
      const unused = [...loops].reduce((k, [id, e]) => (used.has(id) ? k : k * e), 1);
      if (image.injective) expect(found.size * unused).toBe(points.length);
    }
    expect(known).toBeGreaterThan(30);
  });

  it("of tiles is the box, and injective only without overlap", () => {
    const rows = [{ known: variable("i"), bound: affine([4, "o", "k"]) }];
    expect(imageOf(rows, extents({ o: 3, k: 4 }))?.injective).toBe(true);
    expect(imageOf(rows, extents({ o: 3, k: 5 }))?.injective).toBe(false);
    expect(imageOf(rows, extents({ o: 3, k: 3 }))).toBeNull();
  });

  it("of an empty loop is empty", () => {
    const image = imageOf([{ known: variable("i"), bound: variable("l") }], extents({ l: 0 }));
    expect(image?.constraints.every((c) => holds(c, () => 0))).toBe(false);
  });
});
