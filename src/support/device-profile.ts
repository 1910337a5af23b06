/**
 * What the compiler may assume of a device, and what things cost there: plain data.
 *
 * The named profiles are frozen, so that goldens and caches can trust them. Profiles of real
 * adapters are made in src/runtime only. Times are in nanoseconds per lane unless said otherwise;
 * the figures of the software adapters were measured on two cores with all lanes busy.
 */
import { deviceFamilies, type FamilyName } from "./device-families.ts";

/** A device as the compiler sees it. */
export interface DeviceProfile extends Limits {
  readonly name: string;
  /** What the schedule heuristics distinguish: a GPU hides latency, a CPU runs one group at a time. */
  readonly class: "gpu" | "cpu";
  /** Of a GPU: whose figures facts and estimates take; `gpu` where it is left out. */
  readonly family?: FamilyName;
  /** Invocations that run in lockstep: the natural size of a small workgroup. */
  readonly lanes: number;
  /** Workgroups that run at the same time; at least twice as many are wanted. */
  readonly cores: number;
  readonly costs: DeviceCosts;
}

/**
 * What a device can do: all that bounds a mapping, and nothing that tells which is fast. Whatever offers,
 * repairs and builds mappings sees this much of a device; only policies see its class, cores and costs.
 */
export interface Limits {
  /**
   * Sizes of subgroups; null for none. `width` is the one that kernels ask for, a power of two, where there are
   * several and the device has the feature `subgroup-size-control`; absent elsewhere.
   */
  readonly subgroups: {
    readonly min: number;
    readonly max: number;
    readonly width?: number;
  } | null;
  readonly limits: DeviceLimits;
  readonly features: DeviceFeatures;
  /** What the matrix units of the device multiply; left out where it has none. */
  readonly matrixUnits?: readonly MatrixUnit[];
  /**
   * A driver that wants kernels in a form of its own (src/codegen/drivers): `radv` for all AMD GPUs, since WebGPU does not
   * tell which of their drivers it is, and the others lose nothing by it.
   */
  readonly driver?: "llvmpipe" | "swiftshader" | "radv";
  /** The most statements that a kernel has after unrolling: half of what one may be asked for. */
  readonly mostStatements: number;
}

/**
 * A product that the lanes of a subgroup compute together: `rows` x `depth` components times `depth` x
 * `columns`, added to `rows` x `columns` results.
 */
export interface MatrixUnit {
  readonly component: "float16" | "float32";
  readonly result: "float16" | "float32";
  readonly rows: number;
  readonly columns: number;
  readonly depth: number;
}

/** For example `float32 8x8x8`, or `float16 to float32 16x16x16`: rows, columns, depth. */
export function matrixUnitName({ component, result, rows, columns, depth }: MatrixUnit): string {
  const types = component === result ? component : `${component} to ${result}`;
  return `${types} ${rows}x${columns}x${depth}`;
}

/** WebGPU limits, with their WebGPU meanings; sizes in bytes. */
export interface DeviceLimits {
  readonly maxInvocationsPerWorkgroup: number;
  readonly maxWorkgroupSizeX: number;
  readonly maxWorkgroupBytes: number;
  readonly maxStorageBuffers: number;
  readonly maxBindingBytes: number;
  readonly maxWorkgroupsPerDimension: number;
}

/** Optional abilities that generated code may use. */
export interface DeviceFeatures {
  /** `setImmediates` and `var<immediate>`; otherwise step indices come from a table of uniforms. */
  readonly immediates: boolean;
  readonly subgroups: boolean;
  readonly float16: boolean;
}

/** Nanoseconds, except where the name says otherwise. */
export interface DeviceCosts {
  readonly fma: number;
  /** Of a multiply-add in a matrix unit; absent where that was not measured. */
  readonly product?: number;
  /** Of the functions `min` and `max` of floats. */
  readonly extreme: number;
  /** Of a function such as the exponential. */
  readonly call: number;
  /** Of a comparison of floats and a selection by it. */
  readonly choice: number;
  /** Of a loop, beside what its body costs. */
  readonly iteration: number;
  readonly load: number;
  readonly store: number;
  readonly workgroupLoad: number;
  /** Of an element of a private array that a loop chooses. */
  readonly privateLoad: number;
  readonly barrier: number;
  readonly launch: number;
  /** Per byte of workgroup memory and workgroup. */
  readonly zeroFillByte: number;
  /**
   * Written-out steps of a reduction that each point takes before the next one does, by default: where
   * accumulators are more than registers, one stays in its register meanwhile.
   */
  readonly stepsInARow: number;
  /** The most bytes of workgroup memory that are worth using, by default. */
  readonly stagingBytes: number;
}

/** The most invocations of a workgroup of one dimension. */
export function mostInvocations({ limits }: Pick<Limits, "limits">): number {
  return Math.min(limits.maxInvocationsPerWorkgroup, limits.maxWorkgroupSizeX);
}

/**
 * Lanes of every subgroup of a kernel on the device: all have one size, or kernels ask for one of several. Null where
 * kernels can depend on none.
 */
export function subgroupLanes({
  features,
  subgroups,
}: Pick<Limits, "features" | "subgroups">): number | null {
  if (!features.subgroups || subgroups === null) return null;
  return asksForWidth({ subgroups }) ? (subgroups.width ?? null) : subgroups.min;
}

/** Whether subgroups have several sizes, so that a kernel that depends on one asks for it. */
export function asksForWidth({ subgroups }: Pick<Limits, "subgroups">): boolean {
  return subgroups !== null && subgroups.min !== subgroups.max;
}

/** Whether an iteration costs so little (less than 0.5 ns a lane) that loops and broadcasts are nearly free. */
export function hasCheapLoops({ costs }: DeviceProfile): boolean {
  return costs.iteration < 0.5;
}

const guaranteedLimits: DeviceLimits = {
  maxInvocationsPerWorkgroup: 256,
  maxWorkgroupSizeX: 256,
  maxWorkgroupBytes: 16384,
  maxStorageBuffers: 8,
  maxBindingBytes: 134217728,
  maxWorkgroupsPerDimension: 65535,
};

const noFeatures: DeviceFeatures = { immediates: false, subgroups: false, float16: false };

/** Those of software adapters, in Node and in browsers. */
const softwareFeatures: DeviceFeatures = { ...noFeatures, subgroups: true };

const gpuCosts: DeviceCosts = {
  fma: 0.001,
  extreme: 0.001,
  call: 0.008,
  choice: 0.002,
  iteration: 0.001,
  load: 0.01,
  store: 0.01,
  workgroupLoad: 0.002,
  privateLoad: 0.01,
  barrier: 0.05,
  launch: 5000,
  zeroFillByte: 0,
  stepsInARow: 1,
  stagingBytes: 16384,
};

/** WebGPU's guaranteed limits and no optional feature: text that runs on every device. */
export const baselineProfile: DeviceProfile = {
  name: "baseline",
  class: "gpu",
  lanes: 32,
  cores: 16,
  subgroups: null,
  limits: guaranteedLimits,
  features: noFeatures,
  mostStatements: 512,
  costs: gpuCosts,
};

/** A desktop GPU of today. */
export const gpuProfile: DeviceProfile = {
  ...baselineProfile,
  name: "gpu",
  cores: 64,
  limits: { ...guaranteedLimits, maxWorkgroupBytes: 32768, maxStorageBuffers: 10 },
};

/** The driver of a family that has a form of its own, as a part of its profile. */
export function driverOf(family: FamilyName): Pick<Limits, "driver"> {
  return family === "amd-rdna" ? { driver: "radv" } : {};
}

/**
 * The profile of a family of GPUs: its cores, its true width, the range of subgroup sizes that WebGPU tells.
 * Limits and features are those that all of its devices have in browsers: no size of subgroups to ask for.
 */
function familyProfile(name: FamilyName): DeviceProfile {
  const { cores, width, subgroups } = deviceFamilies[name];
  const features = { ...noFeatures, subgroups: true };
  const common = { ...gpuProfile, name, family: name, cores, lanes: width, subgroups, features };
  return { ...common, ...driverOf(name) };
}

/** Mesa's llvmpipe with 256-bit vectors. */
export const llvmpipeProfile: DeviceProfile = {
  name: "llvmpipe",
  class: "cpu",
  lanes: 8,
  cores: 2,
  subgroups: { min: 8, max: 8 },
  driver: "llvmpipe",
  limits: { ...guaranteedLimits, maxWorkgroupBytes: 32768 },
  features: softwareFeatures,
  mostStatements: 256,
  costs: {
    fma: 0.03,
    extreme: 0.05,
    call: 0.65,
    choice: 0.03,
    iteration: 0.3,
    load: 0.59,
    store: 0.84,
    workgroupLoad: 0.9,
    privateLoad: 0.1,
    barrier: 5,
    launch: 15000,
    zeroFillByte: 0,
    stepsInARow: 8,
    stagingBytes: 4096,
  },
};

/** The software adapter that comes with Chromium. */
export const swiftshaderProfile: DeviceProfile = {
  name: "swiftshader",
  class: "cpu",
  lanes: 4,
  cores: 2,
  subgroups: { min: 4, max: 4 },
  driver: "swiftshader",
  limits: guaranteedLimits,
  features: softwareFeatures,
  mostStatements: 256,
  costs: {
    fma: 0.1,
    extreme: 0.35,
    call: 3.7,
    choice: 0.15,
    iteration: 1,
    load: 2.5,
    store: 2.4,
    workgroupLoad: 9,
    privateLoad: 40,
    barrier: 40,
    launch: 20000,
    zeroFillByte: 20,
    stepsInARow: 1,
    stagingBytes: 64,
  },
};

/** The profiles that can be asked for by name. */
export const namedProfiles: Readonly<Record<string, DeviceProfile>> = {
  baseline: baselineProfile,
  gpu: gpuProfile,
  nvidia: familyProfile("nvidia"),
  apple: familyProfile("apple"),
  "amd-rdna": familyProfile("amd-rdna"),
  "intel-xe": familyProfile("intel-xe"),
  adreno: familyProfile("adreno"),
  mali: familyProfile("mali"),
  llvmpipe: llvmpipeProfile,
  swiftshader: swiftshaderProfile,
};
