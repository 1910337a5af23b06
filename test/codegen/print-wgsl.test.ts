import { expect, test } from "vitest";
import { printWgsl } from "../../src/codegen/print-wgsl/print-wgsl.ts";
import { tiledMatmul } from "./support/kernels.ts";
import { wgslFaults } from "./support/validate-wgsl.ts";

test("a tiled matmul prints as WGSL that Tint accepts", async () => {
  const kernel = tiledMatmul(64);
  const { wgsl, entryPoint, bindings } = printWgsl(kernel, "table");
  expect(await wgslFaults(wgsl, entryPoint)).toEqual([]);
  expect(bindings.map((x) => x.buffer)).toEqual(["A", "B", "C"]);
});
