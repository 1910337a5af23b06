/** Tint's opinion of WGSL text, from Dawn's backend that needs no GPU. */
import { create } from "webgpu";

const gpu = create(["backend=null"]);
// Dawn crashes when its instance is collected while a device is in use.
Object.assign(globalThis, { nullGpuOfTests: gpu });
const adapter = await gpu.requestAdapter();
const device = await adapter?.requestDevice({
  requiredFeatures: ["shader-f16", "subgroups"],
});

/** The messages of Tint, empty for a valid text. Also makes a pipeline, which checks the limits. */
export async function wgslFaults(wgsl: string, entryPoint: string): Promise<readonly string[]> {
  if (device === undefined) throw new Error("Dawn has no null backend");
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ code: wgsl });
  const { messages } = await module.getCompilationInfo();
  if (messages.length === 0) {
    device.createComputePipeline({ layout: "auto", compute: { module, entryPoint } });
  }
  const error = await device.popErrorScope();
  const texts = messages.map((m) => `${m.lineNum}: ${m.message}`);
  return error === null ? texts : [...texts, error.message];
}
