import { afterEach, describe, expect, it } from "vitest";
import {
  type CompileJob,
  checkSource,
  compileChecked,
} from "../../playground/src/compile/compile-source.ts";
import type { InputChoice } from "../../playground/src/run/inputs.ts";
import { outdatedBy } from "../../playground/src/run/outdated-by.ts";
import { jobOf } from "../../playground/src/run/run-state.ts";
import { inputChoices, naiveChoices } from "../../playground/src/state.ts";
import { matmul } from "./support/page.ts";

/** What would run of a source. */
function subject(
  source: string,
  more: Partial<CompileJob> = {},
  inputs: Readonly<Record<string, InputChoice>> = {},
): Pick<Parameters<typeof outdatedBy>[0], "job" | "meaning"> {
  const nothing = { def: null, sizes: {}, shapes: {}, options: "", profile: "baseline" };
  const job = { ...nothing, source, ...more };
  const { answer } = compileChecked(job, checkSource(job), null);
  if (answer.compiled === null) throw new Error(JSON.stringify(answer.diagnostics));
  inputChoices.value = inputs;
  const { compiled } = answer;
  return { job: jobOf({ ...answer, compiled, source, job }), meaning: compiled.meaning };
}

afterEach(() => {
  inputChoices.value = {};
});

const before = subject(matmul);

describe("a result", () => {
  const now = (next: typeof before, by: "device" | "reference" = "device"): string | null =>
    outdatedBy({ ...before, by }, next);

  it("stays where comments, spaces, or sizes that are the same are written", () => {
    expect(now(subject(`# a comment\n${matmul}`))).toBe(null);
    expect(now(subject(matmul, { sizes: { M: 4 } }))).toBe(null);
    expect(now(subject(matmul, {}, { A: { kind: "words", text: " arange " } }))).toBe(null);
  });

  it("is old where what it is of has changed, and says what", () => {
    expect(now(subject(matmul.replace("* B", "+ B")))).toContain("earlier version of the source");
    expect(now(subject(matmul, { sizes: { M: 8 } }))).toBe("other sizes (M=4 K=3 N=5)");
    // Lines of sizes and inputs are of the source.
    expect(now(subject(matmul.replace("M=4", "M=8")))).toContain("earlier version of the source");
    const ones: InputChoice = { kind: "words", text: "ones" };
    expect(now(subject(matmul, {}, { A: ones }))).toBe("other inputs");
    expect(now(subject(matmul, { options: naiveChoices }))).toContain("other kernels");
  });

  it("is old where other devices have other kernels", () => {
    const sizes = { M: 512, K: 512, N: 512 };
    const found = { ...subject(matmul, { sizes }), by: "device" } as const;
    const other = subject(matmul, { sizes, profile: "swiftshader" });
    expect(outdatedBy(found, other)).toContain("what to compile for");
  });

  it("of the reference is the same under every mapping", () => {
    expect(now(subject(matmul, { options: naiveChoices }), "reference")).toBe(null);
    expect(now(subject(matmul, { sizes: { M: 8 } }), "reference")).toContain("other sizes");
  });

  it("is of one definition", () => {
    const two = `${matmul}def other(float(M, K) A) -> (S) { S(m) +=! A(m, k) }\n`;
    const found = { ...subject(two, { def: "mm" }), by: "device" } as const;
    expect(outdatedBy(found, subject(two, { def: "other" }))).toBe("the definition mm");
  });

  it("is of the elements of a file", () => {
    const array = (value: number): InputChoice => ({
      kind: "array",
      file: "a.npy",
      array: { type: "f4", shape: [4, 3], values: new Float32Array(12).fill(value) },
    });
    const [first, second] = [array(1), array(2)];
    const found = { ...subject(matmul, {}, { A: first }), by: "device" } as const;
    expect(outdatedBy(found, subject(matmul, {}, { A: { ...first } }))).toBe(null);
    expect(outdatedBy(found, subject(matmul, {}, { A: second }))).toBe("other inputs");
  });
});
