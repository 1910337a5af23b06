import { describe, expect, it } from "vitest";
import { compile } from "../../../src/compile.ts";

const softmax: string = `def softmax(float(R, D) x) -> (y) {
  top(r) max=! x(r, d)
  sum(r) +=! exp(x(r, d) - top(r))
  y(r, d) = exp(x(r, d) - top(r)) / sum(r)
}`;

/** What the default says of a sum that does not wait for its maximum; undefined where it is not asked. */
function online(profile: string, R: number, D: number): unknown {
  const compiled = compile(softmax, { sizes: { R, D }, profile });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
  return compiled.decisions.find((d) => d.path === "structure/statements/sum/online")?.value;
}

describe("a sum of exponentials", () => {
  it("does not wait for its maximum on llvmpipe, in rows of one invocation each", () => {
    expect(online("llvmpipe", 16, 65536)).toBe(true);
    expect(online("llvmpipe", 1021, 9)).toBe(true);
    expect(online("llvmpipe", 15, 65536)).toBe(false);
  });

  it("waits where a selection takes longer than a product", () => {
    expect(online("swiftshader", 1024, 1024)).toBe(false);
    expect(online("gpu", 1024, 1024)).toBe(false);
  });
});
