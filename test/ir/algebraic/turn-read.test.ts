import { describe, expect, it } from "vitest";
import { turnCandidates, turnRead } from "../../../src/ir/algebraic/turn-read.ts";
import { appliedAll, lowered } from "./apply-all.ts";
import { applied, lines, reason } from "./rewrites.ts";

const sizes = { T: 3, B: 2, H: 4 };

function programOf(body: string, outputs = "h") {
  return lowered(
    `def f(float(T, B, H) x, float(H, H) w, float(2, H, H) u, float(B, H) h) -> (${outputs}) {
      for t in T { ${body}  h(b, j) = tanh(z(b, j)) + x(t, b, j) }
    }`,
    sizes,
  );
}

describe("turnRead", () => {
  it("copies a matrix with columns for rows, once, before the loop", () => {
    const p = programOf("z(b, j) +=! w(j, k) * h(b, k)");
    expect(turnCandidates(p)).toEqual([
      { statement: "z", read: 0, path: "z/turn/read0", row: "j", steps: 3 },
    ]);
    expect(lines(applied(turnRead(p, { statement: "z", read: 0 }))).slice(0, 2)).toEqual([
      "z.w: { c0 in 0..4, c1 in 0..4 } w_turned(c0, c1) = w(c1, c0)",
      "z: { t in 0..3, b in 0..2, j in 0..4, k in 0..4 } z(b, j) = sum[k] (w_turned(k, j) * h(b, k))",
    ]);
  });

  it("computes the same, of several matrices in one tensor and of one that is read twice, too", () => {
    for (const body of [
      "z(b, j) +=! w(j, k) * h(b, k)",
      "own(b, g, j) +=! u(g, j, k) * h(b, k)  z(b, j) = own(b, 0, j) + own(b, 1, j)",
      "z(b, j) +=! w(j, k) * h(b, k) + w(j, k) * w(j, k)",
    ]) {
      const p = programOf(body);
      expect(turnCandidates(p).length).toBe(1);
      appliedAll(p, turnCandidates, turnRead);
    }
  });

  it.each([
    [
      "rows along the other dim",
      "z(b, j) +=! w(k, j) * h(b, k)",
      "its last coordinates are not what the result goes along and a reduced dim",
    ],
    [
      "what is in no sum",
      "z(b, j) = w(j, j) * h(b, j)",
      "its last coordinates are not what the result goes along and a reduced dim",
    ],
  ])("refuses %s", (_name, body, why) => {
    const p = programOf(body);
    expect(reason(turnRead(p, { statement: "z", read: 0 }))).toBe(why);
    expect(turnCandidates(p)).toEqual([]);
  });

  it("refuses a matrix that the loop changes", () => {
    const p = lowered(
      `def f(float(T, H) x, float(H, H) w) -> (w) {
        for t in T { z(j) +=! w(j, k) * x(t, k)  w(j, k) = w(j, k) + 0.5 * z(j) * x(t, k) }
      }`,
      { T: 3, H: 4 },
    );
    expect(reason(turnRead(p, { statement: "z", read: 0 }))).toBe("w is written");
    expect(turnCandidates(p)).toEqual([]);
  });
});
