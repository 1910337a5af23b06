import { expect, test } from "vitest";
import { withDefine } from "../../src/api/define.ts";
import { namedKernels } from "../../src/api/named-kernels.ts";
import { check, compile, interpret, render, verify } from "../../src/index.ts";
import { openRuntime } from "../../src/runtime/node/open-runtime.ts";
import { createRuntime, type Runtime } from "../../src/runtime/runtime.ts";

const source = "#! sizes N=4\ndef copy(float(N) a) -> (b) { b(i) = a(i) }";

/** A call as a program without types makes it. */
function untyped(call: unknown): (...given: unknown[]) => unknown {
  return call as (...given: unknown[]) => unknown;
}

/** What `define` needs of a runtime before a kernel is called. */
const { define } = withDefine({} as Runtime);

test.each([
  ["check", untyped(check)],
  ["compile", untyped(compile)],
  ["interpret", untyped(interpret)],
  ["verify", untyped(verify)],
  ["define", untyped(define)],
])("%s without a source says what to write", (name, call) => {
  const text = `${name}: the source must be a string, got`;
  expect(() => call()).toThrow(`${text} undefined. For example ${name}("def copy(`);
  expect(() => call(3)).toThrow(`${text} 3.`);
  expect(() => call(["def"])).toThrow(`${text} an array.`);
  expect(() => call(Promise.resolve(source))).toThrow(`${text} a promise; await it.`);
});

test("an option that there is not is named, with the one that was meant", () => {
  expect(() => untyped(check)(source, { size: { N: 3 } })).toThrow(
    'check: there is no option "size"; did you mean "sizes"?',
  );
  expect(() => untyped(compile)(source, { target: "gpu" })).toThrow(
    'compile: there is no option "target"; there are def, sizes, options, profile',
  );
  expect(() => untyped(define)(source, { option: "naive" })).toThrow(
    'define: there is no option "option"; did you mean "options"?',
  );
  expect(() => untyped(interpret)(source, {}, { Sizes: {} })).toThrow('did you mean "sizes"?');
  expect(() => untyped(verify)(source, {}, {}, { maxPoint: 3 })).toThrow('"maxPoints"');
  expect(() => untyped(compile)(source, "naive")).toThrow(
    'compile: options are an object { def, sizes, options, ... }, got "naive"',
  );
  expect(check(source, { def: undefined } as object).diagnostics).toEqual([]);
});

test("a kernel's call refuses options that there are not", async () => {
  const { copy } = define(source);
  await expect(untyped(copy)({ a: 1 }, { output: {} })).rejects.toThrow(
    '"copy": there is no option "output"; did you mean "outputs"?',
  );
});

test("a definition that the source has not is named", () => {
  const kernels = define("#! sizes N=4\ndef matmul(float(N) a) -> (b) { b(i) = a(i) }" as string);
  expect(() => kernels["matmull"]).toThrow(
    'the source has no definition "matmull"; did you mean "matmul"?',
  );
  expect(() => kernels["mm"]).toThrow('the source has no definition "mm"; there are matmul');
  expect(Object.keys(kernels)).toEqual(["matmul"]);
  expect("mm" in kernels).toBe(false);
});

test("kernels may be awaited, printed, compared and copied", async () => {
  const kernels = namedKernels({ mm: 3 });
  expect(await kernels).toBe(kernels);
  expect(`${JSON.stringify(kernels)} ${String(kernels)}`).toBe('{"mm":3} [object Object]');
  expect(kernels).toEqual({ mm: 3 });
  expect({ ...kernels }).toEqual({ mm: 3 });
});

test("runtimes say what they are opened with", async () => {
  const open = untyped(openRuntime);
  await expect(open({ adapter: 3 })).rejects.toThrow(
    'openRuntime: `adapter` is "auto", "gpu", "software" or a part of an adapter\'s name, got 3',
  );
  await expect(open({ adaptor: "gpu" })).rejects.toThrow('did you mean "adapter"?');
  await expect(open("gpu")).rejects.toThrow("options are an object { adapter, onLost, onNote }");
  await expect(open({ onLost: "x" })).rejects.toThrow('`onLost` is a function, got "x"');
  await expect(open({ onNote: "x" })).rejects.toThrow('`onNote` is a function, got "x"');
  const create = untyped(createRuntime);
  expect(() => create()).toThrow("createRuntime: options are an object { device,");
  expect(() => create({ gpu: {} })).toThrow('there is no option "gpu"');
  expect(() => create({ device: Promise.resolve() })).toThrow("a promise; await it");
  expect(() => create({ device: null })).toThrow("`device` is a GPUDevice, got null");
});

test("hints of check say what to do in a file, on the command line and in a program", () => {
  const { diagnostics } = check("def copy(float(N) a) -> (b) { b(i) = a(i) }");
  expect(diagnostics[0]?.hint).toBe(
    "write `#! sizes N=64` in the file, or give it: `--size N=64`, `sizes: { N: 64 }`",
  );
});

test("render wants the text", () => {
  expect(() => untyped(render)([])).toThrow("render(diagnostics, { source })");
});
