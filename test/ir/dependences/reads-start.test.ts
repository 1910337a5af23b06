import { expect, it } from "vitest";
import { lowerSource } from "../../../src/compile.ts";
import { readsStart } from "../../../src/ir/dependences/reads-start.ts";

function startsOf(source: string): readonly string[] {
  const lowered = lowerSource(source);
  if (!lowered.ok) throw new Error(lowered.diagnostics.map((d) => d.message).join("\n"));
  return [...readsStart(lowered.program)];
}

it("a scatter into what is written in part sees the start, though all is overwritten later", () => {
  const scatter = `#! sizes N=3
def f(int(N) I) -> (y) {
  y(i, 1) = 1.0 where i in 0:N
  y(I(j), 0) *= 2.0
  y(i, k) = 0.0 where i in 0:N, k in 0:2
}`;
  expect(startsOf(scatter)).toEqual(["y"]);
  expect(startsOf(scatter.replace("y(I(j), 0) *= 2.0\n", ""))).toEqual([]);
});
