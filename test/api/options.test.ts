/** Options and sizes that are none, from programs without types: refused at once, in words. */
import { describe, expect, it, test } from "vitest";
import { withDefine } from "../../src/api/define.ts";
import { check, compile, interpret, ranges } from "../../src/index.ts";
import type { Runtime } from "../../src/runtime/runtime.ts";

const source = "def mm(float(M, K) A, float(K, N) B) -> (C) { C(m, n) +=! A(m, k) * B(k, n) }";

function errorOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    return String(error);
  }
  return "none";
}

describe("compile", () => {
  it.each([
    [
      { options: null },
      "RangeError: options are default, naive, apart, together, plain, or a mapping: got null",
    ],
    [{ sizes: { N: "8" } }, 'TypeError: compile: size N is a number, got "8"'],
    [{ sizes: [8] }, "TypeError: compile: sizes are an object { N: 8 }, got an array"],
    [{ sizes: null }, "TypeError: compile: sizes are an object { N: 8 }, got null"],
    [
      { profile: null },
      "TypeError: compile: `profile` is the name of a profile, or one that a runtime made, got null",
    ],
    [
      { layouts: { A: null } },
      "TypeError: compile: `layouts` is an object of objects { A: { strides: [1, 64] } }, got a value of type object",
    ],
    [
      { shared: null },
      'TypeError: compile: `shared` is a list of lists of names [["A", "B"]], got null',
    ],
    [
      { symbolic: null },
      'TypeError: compile: `symbolic` is a list of names ["N"], or an object { N: { min: 1 } }, got null',
    ],
    [{ def: 5 }, "TypeError: compile: `def` is the name of a definition, got 5"],
    [{ padded: "no" }, 'TypeError: compile: `padded` is true or false, got "no"'],
    [
      { shapes: [1] },
      "TypeError: compile: `shapes` is an object of lists of numbers { A: [64, 32] }, got an array",
    ],
    [
      { shapes: { A: null } },
      "TypeError: compile: `shapes` is an object of lists of numbers { A: [64, 32] }, got a value of type object",
    ],
  ])("refuses %j", (more, message) => {
    const request = { sizes: { M: 8, K: 8, N: 8 }, ...more };
    expect(errorOf(() => compile(source, request as object))).toBe(message);
  });
});

describe("sizes that are no numbers", () => {
  it.each([
    ["check", check],
    ["ranges", ranges],
  ])("are refused by %s", (name, call) => {
    const asked = { sizes: { M: 8n } } as object;
    expect(errorOf(() => call(source, asked))).toBe(
      `TypeError: ${name}: size M is a number, got a value of type bigint`,
    );
  });
});

test("what was not made by readSource is no source", () => {
  const made = { module: {}, marked: {}, diagnostics: [], unreadable: [], source } as never;
  for (const call of [check, compile, ranges]) {
    expect(errorOf(() => call(made))).toMatch(/^TypeError: \w+: the source must be a string/);
  }
});

describe("what is said of hostile requests", () => {
  const long = "a".repeat(2_000_000);
  const deep = (depth: number): object => {
    let made: object = {};
    for (let n = 0; n < depth; n++) made = { a: made };
    return made;
  };

  it.each([
    ["a name of a profile", { profile: long }],
    ["an option", { [long]: 1 }],
    ["a size", { sizes: { [long]: "8" } }],
    ["a layout", { layouts: { [long]: {} } }],
    ["a path of options", { options: { version: 2, kernels: { [long]: null } } }],
    ["options that are nested", { options: { version: 2, kernels: deep(100_000) } }],
  ])("is short for %s", (_, request) => {
    const sizes = { M: 8, K: 8, N: 8 };
    const text = errorOf(() => compile(source, { sizes, ...request } as object));
    expect(text).toMatch(/^(Type|Range)Error: (compile|no profile|layout|options)/);
    expect(text.length).toBeLessThan(600);
  });
});

describe("define", () => {
  // Nothing is asked of a device before the first call.
  const runtime = withDefine({} as Runtime);

  it.each([
    [
      { options: "fast" },
      'RangeError: options are default, naive, apart, together, plain, or a mapping: got "fast"',
    ],
    [{ options: { version: 2, policy: "some" } }, /^RangeError: .*`policy` is one of/],
    [{ keep: 0 }, "RangeError: define: `keep` is a whole number above 0, got 0"],
    [{ worker: {} }, /^TypeError: define: `worker` is made by `createWorker` of tc-wgsl\/worker/],
  ])("refuses %j before the first call", (options, message) => {
    const text = errorOf(() => runtime.define(source, options as object));
    expect(text).toMatch(message);
  });

  it("refuses sizes that the definition does not have", async () => {
    const { mm } = runtime.define(source);
    // @ts-expect-error: the types see it too
    await expect(mm.prepare({ Q: 3 })).rejects.toThrow(
      "there is no size or compile-time parameter `Q`",
    );
    const [A, B] = [{ data: new Float32Array(4), shape: [2, 2] }, [[1], [2]]];
    // @ts-expect-error: the types see it too
    await expect(mm({ A, B }, { sizes: { Q: 3 } })).rejects.toThrow("there is no size or");
    await expect(mm({ A, B }, { sizes: { M: "2" } as never })).rejects.toThrow(
      '"mm": size M is a number, got "2"',
    );
    await expect(mm.prepare({ M: 1 })).rejects.toThrow("no value given for `K`, `N`");
    expect(errorOf(() => interpret(source, { A, B }, { sizes: { Q: 3 } }))).toContain("no size or");
  });
});
