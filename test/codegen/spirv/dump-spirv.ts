/** The SPIR-V that Tint makes of kernels for the bundled SwiftShader, as Dawn disassembles it. */
import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { unpackSwiftShader } from "../../../src/runtime/node/unpack-swiftshader.ts";

/** What is compiled. */
export interface ShaderText {
  readonly wgsl: string;
  readonly entryPoint: string;
}

/**
 * Dawn writes its dumps to the standard output of its process, from C++; so it needs one of its own.
 * The first line of its input are the names of the toggles, as JSON, the second the kernels.
 */
const program = `
const [toggles, kernels] = require("node:fs").readFileSync(0, "utf8").split("\\n").map(JSON.parse);
const { create } = require("webgpu");
const gpu = create(["enable-dawn-features=" + ["dump_shaders", ...toggles].join()]);
async function main() {
  const adapter = await gpu.requestAdapter();
  const { limits } = adapter;
  const device = await adapter.requestDevice({
    requiredFeatures: ["shader-f16", "subgroups"].filter((f) => adapter.features.has(f)),
    requiredLimits: {
      maxStorageBuffersPerShaderStage: limits.maxStorageBuffersPerShaderStage,
      maxStorageBufferBindingSize: limits.maxStorageBufferBindingSize,
      maxBufferSize: limits.maxBufferSize,
      maxComputeInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
      maxComputeWorkgroupSizeX: limits.maxComputeWorkgroupSizeX,
      maxComputeWorkgroupStorageSize: limits.maxComputeWorkgroupStorageSize,
      maxImmediateSize: limits.maxImmediateSize,
    },
  });
  device.addEventListener("uncapturederror", ({ error }) => {
    process.stderr.write(error.message + "\\n");
    process.exit(1);
  });
  for (const { wgsl, entryPoint } of kernels) {
    const module = device.createShaderModule({ code: wgsl });
    device.createComputePipeline({ layout: "auto", compute: { module, entryPoint } });
  }
  await device.queue.onSubmittedWorkDone();
  process.exit(0);
}
main();
`;

async function run(input: string): Promise<string> {
  const { loader, driver } = await unpackSwiftShader();
  const env = { ...process.env, LD_LIBRARY_PATH: dirname(loader), VK_DRIVER_FILES: driver };
  const child = spawn(process.execPath, ["-e", program], { env });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on("data", (part: Buffer) => output.push(part));
  child.stderr.on("data", (part: Buffer) => errors.push(part));
  child.stdin.end(input);
  const code = await new Promise((resolve) => child.on("close", resolve));
  if (code !== 0) throw new Error(`no dump: ${Buffer.concat(errors).toString()}`);
  return Buffer.concat(output).toString();
}

/**
 * The disassembly for each kernel; their texts must differ, for Dawn compiles equal ones once.
 * @param toggles of Dawn, that are turned on, for example `disable_robustness`.
 */
export async function dumpSpirv(
  kernels: readonly ShaderText[],
  toggles: readonly string[] = [],
): Promise<readonly string[]> {
  const dump = await run(`${JSON.stringify(toggles)}\n${JSON.stringify(kernels)}`);
  const texts = dump
    .split("/* Dumped SPIRV disassembly */")
    .slice(1)
    .map((part) => part.slice(0, part.lastIndexOf("OpFunctionEnd")));
  if (texts.length !== kernels.length) {
    throw new Error(`${texts.length} dumps of ${kernels.length} kernels`);
  }
  return texts;
}
