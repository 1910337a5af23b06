import { describe, expect, test } from "vitest";
import { readCommandLine } from "../../src/cli/command-line.ts";
import { toolchain } from "../../src/cli/toolchain.ts";
import { execute } from "./fakes.ts";

const files = {
  "a.tc": "#! sizes M=4 N=8\ndef f(float(M, N) x) -> (y) { y(m, n) = 2.0 * x(m, n) }\n",
};

function layouts(...values: string[]): unknown {
  const line = readCommandLine(["a.tc", ...values.flatMap((value) => ["--layout", value])]);
  return line.ok ? line.value.layouts : `${line.failure.message}; ${line.failure.next}`;
}

describe("--layout", () => {
  test("says strides, and what an offset is a multiple of", () => {
    expect(layouts("A=(1,512)+4,b=(-1)", "c=() + 1")).toEqual({
      A: { strides: [1, 512], offsetMultiple: 4 },
      b: { strides: [-1], offsetMultiple: null },
      c: { strides: [], offsetMultiple: 1 },
    });
    const advice =
      "write --layout A=(1,8), or A=(1,8)+4 for an offset that is a multiple of 4 (or 1, or 2)";
    for (const text of ["A=1", "A=(1,8)+3", "A=(1,-)", "A=(x)"]) {
      expect(layouts(text)).toBe(`--layout ${text}: no strides; ${advice}`);
    }
    expect(layouts("A")).toMatch(/NAME=VALUE is expected/);
  });

  test("compiles for views, as text and as data", async () => {
    const { code, out } = await execute("a.tc --layout x=(1,4)+4", files, toolchain);
    expect(code).toBe(0);
    expect(out).toContain("* 4u");
    expect(out).toMatch(/var<uniform> \w+: u32/);
    const json = await execute("a.tc --layout y=(16,1) --emit json", files, toolchain);
    expect(JSON.parse(json.out).buffers[1].layout).toEqual({
      strides: [16, 1],
      offsetMultiple: null,
      variable: null,
    });
    const program = await execute("a.tc --layout x=(1,4)+2 --emit program", files, toolchain);
    expect(program.out).toContain("input float32 x(4, 8)");
  });

  test("is refused where a tensor cannot lie so, and for modules", async () => {
    const wrong = await execute("a.tc --layout y=(1,1)", files, toolchain);
    expect([wrong.code, wrong.err]).toEqual([
      2,
      'error: layout of "y": with strides [1, 1], two indices are one element: write to a tensor of its own, and copy it\n' +
        "  next: write other strides with --layout, or leave it out\n",
    ]);
    const unknown = await execute("a.tc --layout z=(1)", files, toolchain);
    expect(unknown.err).toContain('layout of "z": f has no such tensor');
    for (const stage of ["js", "dts"]) {
      const { code, err } = await execute(
        `a.tc --layout x=(1,4) --emit ${stage}`,
        files,
        toolchain,
      );
      expect([code, err]).toEqual([
        2,
        `error: --emit ${stage}: modules take dense tensors only\n` +
          "  next: leave --layout out, or write --emit wgsl or --emit json\n",
      ]);
    }
    const run = await execute("run a.tc --layout x=(1,4)", files, toolchain);
    expect(run.err).toContain("run has no flag --layout");
  });
});
