/** Adapters and devices: which one it is, what it can do, and the profile to compile for it. */
import { type AdapterKind, adapterRule } from "../support/adapter-rules.ts";
import { deviceFamilies } from "../support/device-families.ts";
import {
  baselineProfile,
  type DeviceLimits,
  type DeviceProfile,
  driverOf,
  gpuProfile,
  llvmpipeProfile,
  type MatrixUnit,
  swiftshaderProfile,
} from "../support/device-profile.ts";
import { RuntimeFault } from "./runtime-fault.ts";

export type { AdapterKind } from "../support/adapter-rules.ts";

/** Which adapter is in use, in WebGPU's words, any of which may be empty. */
export interface AdapterDescription {
  readonly kind: AdapterKind;
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
}

/** Describes an adapter. The only place that reads an adapter's strings. */
export function describeAdapter(info: GPUAdapterInfo): AdapterDescription {
  const { vendor, architecture, device, description } = info;
  return { kind: adapterRule(info).kind, vendor, architecture, device, description };
}

/** One line for people: "llvmpipe (LLVM 19.1.7, 256 bits) [mesa, Mesa 25.0.7, llvmpipe]". */
export function adapterText(adapter: AdapterDescription): string {
  const name = adapter.device || adapter.architecture || adapter.vendor || "unnamed adapter";
  const rest = [adapter.vendor, adapter.architecture, adapter.description];
  const details = [...rest.filter((part) => part !== "" && part !== name), adapter.kind];
  return `${name} [${[...new Set(details)].join(", ")}]`;
}

/** Limits that compute kernels live by; all that the adapter has is asked for. */
const wantedLimits = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
  "maxComputeWorkgroupSizeZ",
  "maxComputeWorkgroupStorageSize",
  "maxComputeWorkgroupsPerDimension",
  "maxImmediateSize",
] as const;

const wantedFeatures = ["timestamp-query", "subgroups", "shader-f16"] as const;

/** With it comes `subgroups`. */
const sizeFeature = "subgroup-size-control";

/** Of Dawn, and behind a flag there: not among the names that WebGPU knows. */
const matrixFeature = "chromium-experimental-subgroup-matrix";

/** A configuration of the matrix units of an adapter, as Dawn names it. */
interface SubgroupMatrixConfig {
  readonly componentType: string;
  readonly resultComponentType: string;
  readonly M: number;
  readonly N: number;
  readonly K: number;
}

/**
 * A device with the highest useful limits and all useful features of the adapter, which cannot be
 * asked for another device afterwards.
 * @throws RuntimeFault `no-adapter` when the adapter refuses.
 */
export async function requestComputeDevice(adapter: GPUAdapter): Promise<GPUDevice> {
  const requiredLimits: Record<string, number> = {};
  for (const name of wantedLimits) {
    // Undefined where the implementation does not know the limit.
    const value: number | undefined = adapter.limits[name];
    if (value !== undefined) requiredLimits[name] = value;
  }
  const requiredFeatures = [...wantedFeatures, sizeFeature, matrixFeature].filter((feature) =>
    adapter.features.has(feature),
  ) as GPUFeatureName[];
  try {
    return await adapter.requestDevice({ requiredFeatures, requiredLimits });
  } catch (error) {
    const who = adapterText(describeAdapter(adapter.info));
    const why = error instanceof Error ? error.message : String(error);
    throw new RuntimeFault("no-adapter", `${who} gave no device: ${why}`);
  }
}

export interface ProfileOptions {
  /** Processor cores, for software adapters; 2 if it is not known. */
  readonly cores?: number;
}

/** The profile of a device: that of its kind, with its own limits and features. */
export function profileOf(device: GPUDevice, options: ProfileOptions = {}): DeviceProfile {
  const info: GPUAdapterInfo | undefined = device.adapterInfo;
  const base = info === undefined ? baselineProfile : baseProfile(info);
  const range = info === undefined ? null : rangeOf(info);
  const lanes = range === null ? base.lanes : lanesIn(range, base);
  const subgroups = range === null ? null : subgroupsOf(device.features, range, lanes);
  const matrixUnits = info === undefined ? [] : matrixUnitsOf(device.features, info);
  return {
    ...base,
    cores: base.class === "cpu" ? (options.cores ?? base.cores) : base.cores,
    lanes,
    subgroups,
    limits: profileLimits(device.limits),
    features: {
      immediates: (device.limits.maxImmediateSize ?? 0) >= 16,
      subgroups: subgroups !== null,
      float16: device.features.has("shader-f16"),
    },
    ...(matrixUnits.length === 0 ? {} : { matrixUnits }),
  };
}

interface SizeRange {
  readonly min: number;
  readonly max: number;
}

/** The sizes of subgroups that an adapter tells; null where it tells none. */
function rangeOf(info: GPUAdapterInfo): SizeRange | null {
  const { subgroupMinSize: min = 0, subgroupMaxSize: max = 0 } = info;
  return min > 0 && max >= min ? { min, max } : null;
}

/**
 * What kernels may know of subgroups. Not every size in a range need be one that a pipeline can have: the true width
 * of a family is.
 */
function subgroupsOf(
  features: GPUSupportedFeatures,
  range: SizeRange,
  lanes: number,
): DeviceProfile["subgroups"] {
  if (!features.has("subgroups")) return null;
  const asks = range.min < range.max && features.has(sizeFeature);
  return asks ? { ...range, width: lanes } : range;
}

/**
 * Lanes that execute in step. What adapters tell is a range of what may be asked for, and from 4 on for
 * GPUs of Apple and browsers without the feature: of a GPU the width of its family counts, in that range.
 */
function lanesIn(range: SizeRange, base: DeviceProfile): number {
  if (base.class === "cpu") return range.min;
  return Math.min(range.max, Math.max(range.min, base.lanes));
}

/** The matrix units of a device that kernels can use, in its own order. */
function matrixUnitsOf(
  features: GPUSupportedFeatures,
  info: GPUAdapterInfo & { readonly subgroupMatrixConfigs?: Iterable<SubgroupMatrixConfig> },
): readonly MatrixUnit[] {
  if (!features.has(matrixFeature)) return [];
  const types: Readonly<Record<string, MatrixUnit["component"]>> = {
    f32: "float32",
    ...(features.has("shader-f16") ? { f16: "float16" } : {}),
  };
  return [...(info.subgroupMatrixConfigs ?? [])].flatMap((config): readonly MatrixUnit[] => {
    const { componentType, resultComponentType, M, N, K } = config;
    const [component, result] = [types[componentType], types[resultComponentType]];
    if (component === undefined || result === undefined) return [];
    return [{ component, result, rows: M, columns: N, depth: K }];
  });
}

function baseProfile(info: GPUAdapterInfo): DeviceProfile {
  const { kind, profile } = adapterRule(info);
  switch (profile) {
    case "swiftshader":
      return swiftshaderProfile;
    case "llvmpipe":
      return { ...llvmpipeProfile, name: kind };
    case "baseline":
      return baselineProfile;
    default: {
      const name = [info.vendor, info.architecture].filter((part) => part !== "").join("-");
      if (profile === "gpu") return { ...gpuProfile, name: name || "gpu" };
      const { cores, width } = deviceFamilies[profile];
      return { ...gpuProfile, name, family: profile, cores, lanes: width, ...driverOf(profile) };
    }
  }
}

function profileLimits(limits: GPUSupportedLimits): DeviceLimits {
  return {
    maxInvocationsPerWorkgroup: limits.maxComputeInvocationsPerWorkgroup,
    maxWorkgroupSizeX: limits.maxComputeWorkgroupSizeX,
    maxWorkgroupBytes: limits.maxComputeWorkgroupStorageSize,
    maxStorageBuffers: limits.maxStorageBuffersPerShaderStage,
    maxBindingBytes: Math.min(limits.maxStorageBufferBindingSize, limits.maxBufferSize),
    maxWorkgroupsPerDimension: limits.maxComputeWorkgroupsPerDimension,
  };
}
