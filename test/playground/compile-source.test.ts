import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  type CompileAnswer,
  type CompileJob,
  checkSource,
  compileChecked,
} from "../../playground/src/compile/compile-source.ts";
import { createCompilations } from "../../playground/src/compile/details.ts";
import { makeInputs } from "../../playground/src/run/inputs.ts";

const matmul =
  "def mm(float(M, K) A, float(K, N) B) -> (C) {\n  C(m, n) +=! A(m, k) * B(k, n)\n}\n";

function job(source: string, more: Partial<CompileJob> = {}): CompileJob {
  const nothing = { def: null, sizes: {}, shapes: {}, options: "", profile: "baseline" };
  return { ...nothing, source, ...more };
}

function answerTo(asked: CompileJob): CompileAnswer {
  return compileChecked(asked, checkSource(asked), null).answer;
}

describe("what the page shows of a source", () => {
  it("has a value for each size, and says where it is from", () => {
    const source = `#! sizes K=3\n${matmul}`;
    const { sizes, compiled } = answerTo(job(source, { sizes: { M: 2 } }));
    expect(sizes).toEqual([
      { name: "M", value: 2, from: "visitor" },
      { name: "K", value: 3, from: "source" },
      { name: "N", value: 32, from: "page" },
    ]);
    expect(compiled?.plan.buffers.map((b) => b.shape)).toEqual([
      [2, 3],
      [3, 32],
      [2, 32],
    ]);
  });

  it("takes sizes from the shapes of files", () => {
    const { sizes, compiled } = answerTo(job(matmul, { shapes: { A: [5, 6] } }));
    expect(sizes.map(({ value, from }) => [value, from])).toEqual([
      [5, "file"],
      [6, "file"],
      [32, "page"],
    ]);
    expect(compiled).not.toBe(null);
  });

  it("takes the definition that no other calls, or the one that was chosen", () => {
    const source = `def twice(float(N) x) -> (y) { y(i) = 2.0 * x(i) }
def both(float(N) x) -> (z) { z = twice(x) }`;
    expect(answerTo(job(source)).def).toBe("both");
    expect(answerTo(job(source, { def: "twice" })).def).toBe("twice");
    expect(answerTo(job(source, { def: "gone" })).def).toBe("both");
  });

  it("says why options cannot be taken, and nothing else of them", () => {
    for (const options of ["{", "[]", '{"version":99}', "7", '"x"']) {
      const { compiled, optionsFault, diagnostics } = answerTo(job(matmul, { options }));
      expect([options, compiled, diagnostics]).toEqual([options, null, []]);
      expect(optionsFault).not.toBe(null);
    }
  });

  it("gives back options under which the same is compiled", () => {
    const { compiled } = answerTo(job(matmul));
    const again = answerTo(job(matmul, { options: compiled?.options ?? "" }));
    expect(again.compiled?.wgsl).toBe(compiled?.wgsl);
    expect(again.compiled?.notes).toEqual([]);
  });

  it("links an access with the lines that load it, and a loop with its index", () => {
    const compilations = createCompilations();
    const { compiled } = answerTo(job(matmul));
    const links = compilations.detail("links", job(matmul))?.links;
    const lines = compiled?.wgsl.split("\n") ?? [];
    const at = matmul.indexOf("B(k, n)");
    const reads = links?.filter(({ spans }) => spans.some((s) => s.start === at));
    const loads = reads?.flatMap(({ wgslLines }) => wgslLines.map((n) => lines[n - 1] ?? ""));
    expect(loads?.length).toBeGreaterThan(0);
    expect(loads?.filter((line) => !line.includes("B"))).toEqual([]);
    const runs = compilations.detail("links", job(matmul))?.runs ?? [];
    // 32 of each, whatever the default makes of them.
    for (const index of ["m", "n", "k"]) {
      const run = runs.find((one) => one.index === index);
      const extents = run?.loops.map((text) => Number(/\d+/.exec(text)?.[0])) ?? [];
      expect([index, extents.reduce((all, n) => all * n, 1)]).toEqual([index, 32]);
    }
    const overK = links?.filter((l) => l.indices?.join() === "k") ?? [];
    expect(overK.flatMap((l) => l.loopLines).length).toBeGreaterThan(0);
  });

  it("tells what is wrong before it compiles, and no less after", () => {
    const source = `${matmul}def broken(float(N) x) -> (y) { y(i) = z(i) }\n`;
    const asked = job(source, { def: "mm" });
    const checked = checkSource(asked);
    const { answer } = compileChecked(asked, checked, null);
    expect(answer.diagnostics).toEqual(checked.found.diagnostics);
    expect(answer.diagnostics.map((d) => source.slice(d.span.start, d.span.end))).toEqual(["z"]);
    expect(checked.found.ranges.map(({ target }) => target)).toEqual(["C"]);
    // The other definition is right.
    expect(answer.compiled).not.toBe(null);
  });

  it("compiles nothing that nobody wants any more, and everything else", async () => {
    const compilations = createCompilations();
    const told: (string | null)[] = [];
    const compile = async (isDropped: boolean): Promise<CompileAnswer | null> =>
      await compilations.compile(
        job(matmul),
        ({ def }) => told.push(def),
        async () => isDropped,
      );
    expect(await compile(true)).toBe(null);
    expect((await compile(false))?.compiled).not.toBe(null);
    expect(told).toEqual(["mm", "mm"]);
  });

  it("compiles a text of the same meaning once, and finds what belongs together at its places", async () => {
    const compilations = createCompilations();
    const answerOf = async (asked: CompileJob): Promise<CompileAnswer | null> =>
      await compilations.compile(
        asked,
        () => undefined,
        async () => false,
      );
    const first = await answerOf(job(matmul));
    const moved = `# Products,\n${matmul.replace("A(m, k) *", "# of these:\n    A(m,k)  *")}`;
    const second = await answerOf(job(moved));
    expect(second?.compiled).toBe(first?.compiled);
    expect(second?.ranges[0]?.span.start).toBe(moved.indexOf("C(m"));
    const textsOf = (source: string): readonly string[] => {
      const found = compilations.detail("links", job(source));
      const spans = [
        ...(found?.links ?? []).flatMap((link) => link.spans),
        ...(found?.runs ?? []).map((run) => run.span),
      ];
      return spans.map((s) => source.slice(s.start, s.end).replaceAll(/#.*|\s/g, ""));
    };
    const texts = textsOf(moved);
    expect(texts.length).toBeGreaterThan(3);
    expect(texts).toEqual(textsOf(matmul));
    // Another meaning, another device, other sizes: each is compiled.
    for (const other of [
      job(moved.replaceAll("k", "j")),
      job(moved, { profile: "apple" }),
      job(moved, { sizes: { M: 3 } }),
    ]) {
      const made = (await answerOf(other))?.compiled;
      expect(made).not.toBe(null);
      expect(made).not.toBe((await answerOf(job(matmul)))?.compiled);
    }
  });

  it("means the same whatever its comments and spaces are", () => {
    const meaning = (source: string): string | undefined => answerTo(job(source)).compiled?.meaning;
    const same = matmul.replace("+=! ", "  +=!  # a sum\n  ");
    expect(meaning(`# Products.\n${same}`)).toBe(meaning(matmul));
    expect(meaning(matmul.replaceAll("k", "j"))).not.toBe(meaning(matmul));
    expect(meaning(`#! sizes K=3\n${matmul}`)).not.toBe(meaning(matmul));
  });

  it("has details of the latest job, and of another one", () => {
    const compilations = createCompilations();
    expect(compilations.detail("host", job(matmul))?.js).toContain("export const name");
    const wide = compilations.detail("facts", job(matmul, { profile: "apple" }));
    expect(wide?.device).toContain("M2");
    expect(Object.values(wide?.estimates ?? {}).every(({ us }) => us > 0)).toBe(true);
    expect(compilations.detail("links", job("def"))).toBe(null);
  });

  it("has the choices that there were, with the values that go with the others", () => {
    const knobs = createCompilations().detail("knobs", job(matmul)) ?? [];
    const values = new Map(knobs.map((knob) => [knob.path, knob.values]));
    expect(values.get("kernels/C/axes/0/points")).toEqual([1, 2, 4, 8, 16]);
    expect(knobs.filter((k) => k.values.every((value) => value === k.value))).toEqual([]);
    const pathsWith = (points: number): readonly string[] => {
      const axes = [{ points }, { points: 1 }];
      const options = JSON.stringify({ version: 2, kernels: { C: { axes } } });
      const found = createCompilations().detail("knobs", job(matmul, { options }));
      return found?.map(({ path }) => path) ?? [];
    };
    // One point has no place beside others.
    expect(pathsWith(1)).not.toContain("kernels/C/blocked");
    expect(pathsWith(2)).toContain("kernels/C/blocked");
  });

  it("never throws, and compiles examples with inputs that fit", () => {
    const files = readdirSync("examples").filter((name) => name.endsWith(".tc"));
    for (const [n, file] of files.entries()) {
      const source = readFileSync(`examples/${file}`, "utf8");
      expect(() => answerTo(job(source.slice(0, source.length / 2)))).not.toThrow();
      // That all of them compile is known from elsewhere.
      if (n % 6 !== 0) continue;
      const { compiled, outline, diagnostics } = answerTo(job(source));
      expect([file, compiled !== null, diagnostics]).toEqual([file, true, diagnostics]);
      const words = Object.entries(outline.inputs).map(([name, text]) => [
        name,
        { kind: "words", text } as const,
      ]);
      const { tensors } = makeInputs(compiled?.plan.buffers ?? [], Object.fromEntries(words));
      const wanted = compiled?.plan.buffers.filter(({ role }) => /^in/.test(role)) ?? [];
      expect([file, tensors.length]).toEqual([file, wanted.length]);
    }
  });
});
