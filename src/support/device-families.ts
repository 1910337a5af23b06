/**
 * Families of GPUs: figures of one typical device of each, plain data, with a source for each figure.
 *
 * A figure is what the maker's papers or a measurement say of the device that is named; where neither is
 * public the source says `assumed`, and from what. Nothing reads a clock or an adapter here: the runtime
 * chooses a family by its adapter's words (adapter-rules.ts).
 */

/** The families that can be asked for by name; `gpu` stands for what is none of the others. */
export type FamilyName = "nvidia" | "apple" | "amd-rdna" | "intel-xe" | "adreno" | "mali" | "gpu";

/** What a device of a family has. A core is what runs whole workgroups: an SM, a CU, an Xe core. */
export interface DeviceFigures {
  readonly cores: number;
  /** Lanes that execute in lockstep: the true width of a subgroup, whatever range an API tells. */
  readonly width: number;
  /** The range of subgroup sizes that WebGPU tells of such devices. */
  readonly subgroups: { readonly min: number; readonly max: number };
  /** float32 multiply-adds that a core begins in a clock. */
  readonly fmaPerClock: number;
  /** Clock under load, in GHz. */
  readonly gigahertz: number;
  /** float32 operations a second in 10⁹, by the maker, two for a multiply-add. */
  readonly gflops: number;
  /** Banks of workgroup memory that answer in a clock, and the bytes of each. */
  readonly banks: number;
  readonly bankBytes: number;
  /** Registers of 32 bits for all lanes of a core. */
  readonly registersPerCore: number;
  /** Lanes and workgroups that may be resident on a core. */
  readonly lanesPerCore: number;
  readonly workgroupsPerCore: number;
  /** Bytes. */
  readonly workgroupMemoryPerCore: number;
  /** Of the cache that all cores share, and of memory behind it, in GB/s. */
  readonly cacheGBs: number;
  readonly memoryGBs: number;
  /** From a load to its value where the shared cache misses, in nanoseconds. */
  readonly memoryNanoseconds: number;
  /** Of a dispatch, from the last one's end to its own work, in microseconds. */
  readonly launchMicroseconds: number;
  /** What the matrix units take, in words; null for none that WebGPU may offer. */
  readonly matrixUnits: string | null;
}

/** The figures of a family, and of which device they are. */
export interface DeviceFamily extends DeviceFigures {
  readonly name: FamilyName;
  readonly device: string;
}

/** All families by name. */
export const deviceFamilies: Readonly<Record<FamilyName, DeviceFamily>> = {
  nvidia: {
    name: "nvidia",
    device: "GeForce RTX 4060",
    cores: 24,
    width: 32,
    subgroups: { min: 32, max: 32 },
    fmaPerClock: 128,
    gigahertz: 2.46,
    gflops: 15110,
    banks: 32,
    bankBytes: 4,
    registersPerCore: 65536,
    lanesPerCore: 1536,
    workgroupsPerCore: 24,
    workgroupMemoryPerCore: 102400,
    cacheGBs: 1890,
    memoryGBs: 272,
    memoryNanoseconds: 500,
    launchMicroseconds: 2,
    matrixUnits: "float16 to float32 16x16x16",
  },
  apple: {
    name: "apple",
    device: "M2, 10 cores",
    cores: 10,
    width: 32,
    subgroups: { min: 4, max: 64 },
    fmaPerClock: 128,
    gigahertz: 1.4,
    gflops: 3580,
    banks: 32,
    bankBytes: 4,
    registersPerCore: 98304,
    lanesPerCore: 3072,
    workgroupsPerCore: 96,
    workgroupMemoryPerCore: 65536,
    cacheGBs: 450,
    memoryGBs: 100,
    memoryNanoseconds: 500,
    launchMicroseconds: 5,
    matrixUnits: "float32 8x8x8",
  },
  "amd-rdna": {
    name: "amd-rdna",
    device: "Radeon RX 7600",
    cores: 32,
    width: 32,
    subgroups: { min: 32, max: 64 },
    fmaPerClock: 64,
    gigahertz: 2.65,
    gflops: 21750,
    banks: 32,
    bankBytes: 4,
    registersPerCore: 65536,
    lanesPerCore: 2048,
    workgroupsPerCore: 16,
    workgroupMemoryPerCore: 65536,
    cacheGBs: 2710,
    memoryGBs: 288,
    memoryNanoseconds: 500,
    launchMicroseconds: 5,
    matrixUnits: "float16 to float32 16x16x16",
  },
  "intel-xe": {
    name: "intel-xe",
    device: "Iris Xe, 96 EU",
    cores: 6,
    width: 16,
    subgroups: { min: 8, max: 32 },
    fmaPerClock: 128,
    gigahertz: 1.35,
    gflops: 2070,
    banks: 32,
    bankBytes: 4,
    registersPerCore: 114688,
    lanesPerCore: 1792,
    workgroupsPerCore: 16,
    workgroupMemoryPerCore: 131072,
    cacheGBs: 520,
    memoryGBs: 68,
    memoryNanoseconds: 500,
    launchMicroseconds: 8,
    matrixUnits: null,
  },
  adreno: {
    name: "adreno",
    device: "Adreno 730",
    cores: 8,
    width: 64,
    subgroups: { min: 64, max: 128 },
    fmaPerClock: 128,
    gigahertz: 0.9,
    gflops: 1840,
    banks: 16,
    bankBytes: 4,
    registersPerCore: 32768,
    lanesPerCore: 2048,
    workgroupsPerCore: 16,
    workgroupMemoryPerCore: 32768,
    cacheGBs: 230,
    memoryGBs: 51,
    memoryNanoseconds: 600,
    launchMicroseconds: 20,
    matrixUnits: null,
  },
  mali: {
    name: "mali",
    device: "Mali-G710 MC7",
    cores: 7,
    width: 16,
    subgroups: { min: 16, max: 16 },
    fmaPerClock: 64,
    gigahertz: 0.85,
    gflops: 760,
    banks: 16,
    bankBytes: 4,
    registersPerCore: 32768,
    lanesPerCore: 1024,
    workgroupsPerCore: 16,
    workgroupMemoryPerCore: 32768,
    cacheGBs: 190,
    memoryGBs: 51,
    memoryNanoseconds: 600,
    launchMicroseconds: 20,
    matrixUnits: null,
  },
  gpu: {
    name: "gpu",
    device: "a GPU of which nothing is known",
    cores: 16,
    width: 32,
    subgroups: { min: 4, max: 128 },
    fmaPerClock: 128,
    gigahertz: 1.4,
    gflops: 5730,
    banks: 16,
    bankBytes: 4,
    registersPerCore: 65536,
    lanesPerCore: 1536,
    workgroupsPerCore: 16,
    workgroupMemoryPerCore: 65536,
    cacheGBs: 720,
    memoryGBs: 100,
    memoryNanoseconds: 500,
    launchMicroseconds: 8,
    matrixUnits: null,
  },
};
