/** Arrays and sizes of a kernel against themselves and against the limits of a device. */
import type { DeviceLimits } from "../../support/device-profile.ts";
import { flatMap } from "../../support/flat-map.ts";
import { elementBytes } from "../../support/scalar-type.ts";
import type { Kernel, KernelArray } from "../kernel.ts";

/** Of all variables of one function, by the WGSL specification, 15.6 (limits). */
const maxPrivateBytes = 8192;

/** The dynamic uniform buffers that every device has; immediates have room for more. */
const maxSteps = 8;

function shapeFaults(array: KernelArray): readonly string[] {
  const faults: string[] = [];
  const { id, length, width, space } = array;
  if (!Number.isInteger(length) || length < 1) faults.push(`array ${id} has length ${length}`);
  if (length % width !== 0) faults.push(`length ${length} of ${id} is no multiple of ${width}`);
  if ((space === "storage") !== (array.buffer !== undefined)) {
    faults.push(
      `array ${id} in ${space} ${array.buffer === undefined ? "without" : "with"} buffer`,
    );
  }
  if (space !== "storage" && array.access === "read") faults.push(`${space} array ${id} is read`);
  if (array.atomic && (space === "private" || width !== 1 || array.access === "read")) {
    faults.push(`atomic array ${id} is private, wide or read`);
  }
  return faults;
}

/** Arrays that are one buffer must be declared alike: WebGPU refuses the rest. */
function aliasFaults(arrays: readonly KernelArray[]): readonly string[] {
  return flatMap(arrays, (array, n) =>
    flatMap(arrays.slice(n + 1), (other) => {
      if (array.id === other.id) return [`two arrays are ${array.id}`];
      if (array.buffer === undefined || array.buffer !== other.buffer) return [];
      if (array.access === other.access && array.atomic === other.atomic) return [];
      return [`${array.id} and ${other.id} are one buffer with different access`];
    }),
  );
}

/** What the arrays of a kernel contradict, whatever the device. */
export function arrayFaults(kernel: Kernel): readonly string[] {
  return [...flatMap(kernel.arrays, shapeFaults), ...aliasFaults(kernel.arrays)];
}

function arrayBytes({ scalar, length }: KernelArray): number {
  return length * elementBytes(scalar);
}

/** Bytes of all arrays of a space; each begins at a multiple of 16. */
function spaceBytes(kernel: Kernel, space: KernelArray["space"]): number {
  return kernel.arrays
    .filter((array) => array.space === space)
    .reduce((sum, array) => sum + Math.ceil(arrayBytes(array) / 16) * 16, 0);
}

/** What of a kernel a device with these limits refuses. */
export function limitFaults(kernel: Kernel, limits: DeviceLimits): readonly string[] {
  const faults: string[] = [];
  const atMost = (what: string, value: number, limit: number, name?: string): void => {
    const named = name === undefined ? "" : ` (${name})`;
    if (value > limit) faults.push(`${what}: ${value}, limit ${limit}${named}`);
  };
  const storage = kernel.arrays.filter((array) => array.space === "storage");
  const { workgroupSize, grid } = kernel;
  const invocations = Math.min(limits.maxInvocationsPerWorkgroup, limits.maxWorkgroupSizeX);
  if (!Number.isInteger(workgroupSize) || workgroupSize < 1) {
    faults.push(`workgroup size ${workgroupSize}`);
  }
  for (const extent of grid) {
    if (!Number.isInteger(extent) || extent < 1) faults.push(`grid [${grid.join(", ")}]`);
    atMost(
      "workgroups in a dimension",
      extent,
      limits.maxWorkgroupsPerDimension,
      "maxComputeWorkgroupsPerDimension",
    );
  }
  atMost(
    "invocations in a workgroup",
    workgroupSize,
    invocations,
    "maxComputeInvocationsPerWorkgroup",
  );
  atMost(
    "bytes of workgroup memory",
    spaceBytes(kernel, "workgroup"),
    limits.maxWorkgroupBytes,
    "maxComputeWorkgroupStorageSize",
  );
  atMost("bytes of private arrays", spaceBytes(kernel, "private"), maxPrivateBytes);
  atMost(
    "storage buffers",
    storage.length,
    limits.maxStorageBuffers,
    "maxStorageBuffersPerShaderStage",
  );
  atMost("step slots", kernel.steps.length, maxSteps);
  for (const array of storage) {
    atMost(
      `bytes of ${array.id}`,
      arrayBytes(array),
      limits.maxBindingBytes,
      "maxStorageBufferBindingSize",
    );
  }
  return faults;
}
