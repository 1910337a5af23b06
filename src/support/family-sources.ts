/** Where the figures of the families of GPUs come from, one text for each; apart, so that no page loads it. */
import type { DeviceFigures, FamilyName } from "./device-families.ts";

const cudaGuide =
  "NVIDIA, CUDA C++ Programming Guide, technical specifications, compute capability 8.9";
const adaPaper = "NVIDIA, Ada GPU architecture whitepaper and the product page of the RTX 4060";
const appleBenchmarks = "philipturner/metal-benchmarks, README, tables per core (Apple 7 and 8)";
const appleProduct = "Apple, M2 product page: 10 cores, 3.6 TFLOP/s, 100 GB/s";
const rdnaPaper = "AMD, RDNA architecture whitepaper (2019)";
const rdna3Isa = "AMD, RDNA3 instruction set architecture guide (2023)";
const radeonProduct =
  "AMD, product page of the Radeon RX 7600: 32 CU, 2.655 GHz, 21.75 TFLOP/s, 288 GB/s";
const intelGuide = "Intel, oneAPI GPU optimization guide, Xe GPU architecture: Xe-LP";
const adreno =
  "chipsandcheese.com, Inside Snapdragon 8+ Gen 1's iGPU: Adreno Gets Big (2024-03-05)";
const maliNews = "anandtech.com 16694, Mali-G710: two execution engines of 32 FMA in a core";
const maliProperties = "VK_ARM_shader_core_properties of a Mali-G78, twice of it in a G710";
const armGuide = "Arm, The Valhall Shader Core: 16 lanes, cache lines of 64 B, one a clock";
const dawnInfo = "Dawn, GPUAdapterInfo.subgroupMinSize and subgroupMaxSize of such adapters";
const middle = "assumed: the middle of the other families, rounded";
const assumedLatency =
  "assumed: 400 to 800 ns in public pointer chases of discrete and integrated GPUs";
const assumedLaunch = "assumed: order of magnitude of empty dispatches in one pass";
const cacheByClock = "32 B for each core and clock";

type Sources = Readonly<Record<keyof DeviceFigures, string>>;

/**
 * Where each figure of each family comes from; `assumed` says that none is public.
 * @public for tests and documents, which must not be wrong about it; no program reads it.
 */
export const familySources: Readonly<Record<FamilyName, Sources>> = {
  nvidia: {
    cores: adaPaper,
    width: cudaGuide,
    subgroups: dawnInfo,
    fmaPerClock: adaPaper,
    gigahertz: adaPaper,
    gflops: adaPaper,
    banks: cudaGuide,
    bankBytes: cudaGuide,
    registersPerCore: cudaGuide,
    lanesPerCore: cudaGuide,
    workgroupsPerCore: cudaGuide,
    workgroupMemoryPerCore: cudaGuide,
    cacheGBs: `assumed: ${cacheByClock}, between V100 (2048 B a clock for 80) and A100 (5120 for 108)`,
    memoryGBs: adaPaper,
    memoryNanoseconds: assumedLatency,
    launchMicroseconds: assumedLaunch,
    matrixUnits: cudaGuide,
  },
  apple: {
    cores: appleProduct,
    width: appleBenchmarks,
    subgroups: dawnInfo,
    fmaPerClock: appleBenchmarks,
    gigahertz: `${appleProduct}: 3.6 TFLOP/s of 10 cores of 128`,
    gflops: appleProduct,
    banks:
      "assumed: public sources disagree (16 x 4 B, 32 x 4 B, 16 x 16 B); wgpu-mm issue 20 needs more than 64 B a clock",
    bankBytes: "assumed: as banks",
    registersPerCore: appleBenchmarks,
    lanesPerCore: appleBenchmarks,
    workgroupsPerCore: "assumed: one of one subgroup for each of 96",
    workgroupMemoryPerCore: appleBenchmarks,
    cacheGBs: `assumed: ${cacheByClock}`,
    memoryGBs: appleProduct,
    memoryNanoseconds: assumedLatency,
    launchMicroseconds: assumedLaunch,
    matrixUnits: "Apple, Metal Shading Language Specification: simdgroup_float8x8",
  },
  "amd-rdna": {
    cores: radeonProduct,
    width: rdna3Isa,
    subgroups: dawnInfo,
    fmaPerClock: `${rdnaPaper}; dual issue of RDNA 3 left out`,
    gigahertz: radeonProduct,
    gflops: `${radeonProduct}, with dual issue`,
    banks: rdnaPaper,
    bankBytes: rdnaPaper,
    registersPerCore: rdnaPaper,
    lanesPerCore: `${rdna3Isa}: 16 waves of 64 in each of 2 SIMD`,
    workgroupsPerCore: "assumed: 32 in a pair of CU",
    workgroupMemoryPerCore: rdnaPaper,
    cacheGBs: `${rdnaPaper}: 64 B a clock of 16 channels, ${cacheByClock}`,
    memoryGBs: radeonProduct,
    memoryNanoseconds: assumedLatency,
    launchMicroseconds: assumedLaunch,
    matrixUnits: rdna3Isa,
  },
  "intel-xe": {
    cores: `${intelGuide}: 6 dual subslices of 16 EU`,
    width: `${intelGuide}: pairs of EU execute SIMD16`,
    subgroups: dawnInfo,
    fmaPerClock: `${intelGuide}: 8 a clock and EU`,
    gigahertz: "Intel ARK, Core i7-1185G7: 1.35 GHz",
    gflops: "cores, fmaPerClock and gigahertz multiplied, two for a multiply-add",
    banks: `${intelGuide}: 128 B a clock of a dual subslice`,
    bankBytes: intelGuide,
    registersPerCore: `${intelGuide}: 16 EU, 7 threads, 128 registers of 32 B`,
    lanesPerCore: `${intelGuide}: 16 EU, 7 threads of 16 lanes`,
    workgroupsPerCore: `${intelGuide}: 16 barriers`,
    workgroupMemoryPerCore: intelGuide,
    cacheGBs: "assumed: 64 B for each dual subslice and clock",
    memoryGBs: "Intel ARK, Core i7-1185G7: LPDDR4x-4267, 128 bits",
    memoryNanoseconds: assumedLatency,
    launchMicroseconds: assumedLaunch,
    matrixUnits: `${intelGuide}: none in Xe-LP`,
  },
  adreno: {
    cores: adreno,
    width: adreno,
    subgroups: dawnInfo,
    fmaPerClock: adreno,
    gigahertz: adreno,
    gflops: "cores, fmaPerClock and gigahertz multiplied, two for a multiply-add",
    banks: `${adreno}: 59.7 B a clock measured, 64 inferred`,
    bankBytes: "assumed: as banks",
    registersPerCore: `${adreno}: 64 KB in each of 2 partitions`,
    lanesPerCore: `${adreno}: 32 waves of 64`,
    workgroupsPerCore: "assumed: as others",
    workgroupMemoryPerCore: `${adreno}: 256 KB of 8 cores`,
    cacheGBs: `assumed: ${cacheByClock}`,
    memoryGBs: adreno,
    memoryNanoseconds: assumedLatency,
    launchMicroseconds: assumedLaunch,
    matrixUnits: "assumed: none",
  },
  mali: {
    cores: "Google, Tensor G2: Mali-G710 MP7",
    width: armGuide,
    subgroups: dawnInfo,
    fmaPerClock: maliNews,
    gigahertz: "assumed: 848 MHz, as sites that list phones say of the Tensor G2",
    gflops: "cores, fmaPerClock and gigahertz multiplied, two for a multiply-add",
    banks: armGuide,
    bankBytes: armGuide,
    registersPerCore: `${maliProperties}: 64 warps of 16 lanes with 32 registers`,
    lanesPerCore: maliProperties,
    workgroupsPerCore: "assumed: as others",
    workgroupMemoryPerCore: "WebGPU, maxComputeWorkgroupStorageSize; it lies in caches",
    cacheGBs: `assumed: ${cacheByClock}`,
    memoryGBs: "Google, Tensor G2: LPDDR5-6400, 64 bits",
    memoryNanoseconds: assumedLatency,
    launchMicroseconds: assumedLaunch,
    matrixUnits: "assumed: none",
  },
  gpu: {
    cores: middle,
    width: middle,
    subgroups: `${dawnInfo}: browsers without the feature`,
    fmaPerClock: middle,
    gigahertz: middle,
    gflops: "cores, fmaPerClock and gigahertz multiplied, two for a multiply-add",
    banks: "the fewest of the families: what is good there is good elsewhere",
    bankBytes: "the fewest of the families",
    registersPerCore: middle,
    lanesPerCore: middle,
    workgroupsPerCore: middle,
    workgroupMemoryPerCore: middle,
    cacheGBs: `assumed: ${cacheByClock}`,
    memoryGBs: middle,
    memoryNanoseconds: assumedLatency,
    launchMicroseconds: assumedLaunch,
    matrixUnits: "assumed: none",
  },
};
