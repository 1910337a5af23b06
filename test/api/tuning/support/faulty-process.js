/**
 * The process that measures, on a device whose shaders go wrong: one with the text of TEST_HANGS never ends, and one
 * with the text of TEST_LOSES loses the device.
 */
import { globals } from "webgpu";

const { TEST_HANGS, TEST_LOSES } = process.env;
const { prototype } = globals.GPUDevice;
const { createShaderModule } = prototype;

/** The text with a first statement in its entry that takes for ever. */
function endless(code) {
  const [, written] = /var<storage, read_write> (\w+): array</.exec(code) ?? [];
  const spin = `
  var spin = f32(arrayLength(&forever));
  for (var i = 0u; i < 4294967295u; i++) { for (var j = 0u; j < 4294967295u; j++) { spin = spin * 1.0001 + 0.1; } }
  if (spin == 0.5) { return; }`;
  if (written === undefined) throw new Error("a kernel that writes nothing");
  const declared = code.replace(/(var<storage, read_write> \w+: )array<[^;]+;/, "$1array<f32>;");
  return declared.replace(
    /(fn \w+\([^)]*(?:\([^)]*\)[^)]*)*\) \{)/,
    `$1${spin.replace("forever", written)}`,
  );
}

prototype.createShaderModule = function (descriptor) {
  const { code } = descriptor;
  if (TEST_LOSES && code.includes(TEST_LOSES)) this.destroy();
  if (!TEST_HANGS || !code.includes(TEST_HANGS)) return createShaderModule.call(this, descriptor);
  return createShaderModule.call(this, { ...descriptor, code: endless(code) });
};

await import("../../../../dist/bench-process.js");
