/** Tint's opinion of WGSL text, from Dawn's backend that needs no GPU. */
import { create } from "webgpu";

async function openDevice(
  flags: readonly string[],
  features: readonly string[],
): Promise<GPUDevice> {
  const gpu = create(["backend=null", ...flags]);
  instances.push(gpu);
  const adapter = await gpu.requestAdapter();
  const requiredFeatures = features as readonly GPUFeatureName[];
  const device = await adapter?.requestDevice({ requiredFeatures });
  if (device === undefined) throw new Error("Dawn has no null backend");
  return device;
}

// Dawn crashes when its instance is collected while a device is in use.
const instances: GPU[] = [];
Object.assign(globalThis, { nullGpusOfTests: instances });

const standard = ["shader-f16", "subgroups", "subgroup-size-control"];

const usual = await openDevice([], standard);

/** Only for texts that enable it: what else that allows is none of the others' business. */
let experimental: Promise<GPUDevice> | null = null;

function withMatrices(): Promise<GPUDevice> {
  experimental ??= openDevice(
    ["enable-dawn-features=allow_unsafe_apis"],
    [...standard, "chromium-experimental-subgroup-matrix"],
  );
  return experimental;
}

/** The null backend has subgroups of up to 128 lanes, whatever the device that a text is for. */
const sizeOfNull =
  /workgroup_size \(\d+\) must be a multiple of the device maxSubgroupSize \(128\)/;

/** The messages of Tint, empty for a valid text. Also makes a pipeline, which checks the limits. */
export async function wgslFaults(wgsl: string, entryPoint: string): Promise<readonly string[]> {
  const matrices = /^enable chromium_experimental_subgroup_matrix;$/m.test(wgsl);
  const device = matrices ? await withMatrices() : usual;
  device.pushErrorScope("validation");
  const module = device.createShaderModule({ code: wgsl });
  const { messages } = await module.getCompilationInfo();
  if (messages.length === 0) {
    device.createComputePipeline({ layout: "auto", compute: { module, entryPoint } });
  }
  const error = await device.popErrorScope();
  const texts = messages.map((m) => `${m.lineNum}: ${m.message}`);
  const known = matrices && error !== null && sizeOfNull.test(error.message);
  return error === null || known ? texts : [...texts, error.message];
}
