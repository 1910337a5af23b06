import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compile } from "../../../src/compile.ts";

/** What the default takes out of loops of an example: statements, by path. */
function leaving(name: string, profile: string, sizes: Readonly<Record<string, number>>) {
  const source = readFileSync(`examples/${name}.tc`, "utf8");
  const compiled = compile(source, { sizes, profile });
  if (!compiled.ok) throw new Error(compiled.diagnostics.map((d) => d.message).join());
  const out = compiled.decisions.filter((d) => d.path.includes("/leave/") && d.value === true);
  return out.map((d) => d.path.split("/")[2]);
}

describe("products that need not wait for a loop", () => {
  const sizes = { T: 128, B: 16, I: 128, H: 128 };

  it.each(["nvidia", "apple", "swiftshader"])(
    "leave it by default on %s",
    (profile) => {
      expect(leaving("lstm", profile, sizes)).toContain("z");
      expect(leaving("stacked_lstm", profile, sizes)).toEqual(
        expect.arrayContaining(["cell_gate", "cell_gate_2"]),
      );
      expect(leaving("elman", profile, { T: 128, B: 16, Ci: 128, Co: 128 })).toContain(
        "hidden#2.fixed",
      );
    },
    60_000,
  );

  it("stay where launching them takes longer", () => {
    expect(leaving("elman", "swiftshader", { T: 2, B: 1, Ci: 2, Co: 2 })).toEqual([]);
  });
});
