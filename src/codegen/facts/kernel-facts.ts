/**
 * What the kernels of a plan ask of a GPU, from kernel IR alone: no device, no data.
 *
 * All counts are of one execution of the plan, over all dispatches of a kernel. What data decide is null,
 * never 0 and never guessed; `most...` are then bounds, with every branch taken and no two lanes alike.
 */
import type { FamilyName } from "../../support/device-families.ts";
import type { AccessKind } from "./access-sites.ts";
import type { Occupancy } from "./occupancy.ts";
import type { Operations } from "./operations.ts";

/** One place of a kernel that loads, stores or updates. */
export interface AccessFacts {
  readonly place: string;
  readonly kind: AccessKind;
  readonly array: string;
  /** Elements at once. */
  readonly width: number;
  /** By a subgroup of 32; null where data decide whether they are made. */
  readonly requests: number | null;
  readonly mostRequests: number;
  readonly memory: StorageAccess | WorkgroupAccess;
}

/** What an access asks of storage. */
export interface StorageAccess {
  readonly space: "storage";
  /** Of 32 B; null where data decide the address. */
  readonly sectors: number | null;
  readonly mostSectors: number;
  /** Bytes that lanes want of those in the sectors, each once: 0 to 1. */
  readonly usedShare: number | null;
  /** The most lanes of a request that update one address; 0 for what is no atomic. */
  readonly contention: number | null;
}

/** What an access asks of workgroup memory. */
export interface WorkgroupAccess {
  readonly space: "workgroup";
  readonly wavefronts: Wavefronts | null;
  readonly mostWavefronts: Wavefronts;
}

/** Answers of banks: for 32 banks of 4 B, 16 of 4 B, 16 of 16 B. */
export type Wavefronts = Readonly<Record<"32x4" | "16x4" | "16x16", number>>;

/** Loads and stores of storage, all places together. */
export interface MemoryFacts {
  readonly loadSectors: number | null;
  readonly storeSectors: number | null;
  readonly mostSectors: number;
  readonly loadedShareUsed: number | null;
  /** Bytes of sectors that a workgroup loads, each once; the mean of all workgroups. */
  readonly uniqueBytesPerWorkgroup: number | null;
  /** Bytes of arrays that each dispatch has to move at least once, over all dispatches. */
  readonly uniqueBytes: number;
  /** Atomic updates, and the most of one address by one request; null where data decide it. */
  readonly atomics: number;
  readonly contention: number | null;
}

/** The facts of a kernel. */
export interface KernelFacts {
  readonly schema: 1;
  readonly kernel: string;
  readonly family: FamilyName;
  /** True where counts are those of some workgroups and iterations, for all. */
  readonly sampled: boolean;
  readonly dispatches: number;
  readonly workgroups: {
    /** Of one dispatch. */
    readonly count: number;
    readonly size: number;
    /** Of one dispatch, those that store nothing; null where data decide. */
    readonly empty: number | null;
    /** Those that are not empty for each core of the family. */
    readonly perCore: number | null;
  };
  readonly accesses: readonly AccessFacts[];
  readonly memory: MemoryFacts;
  readonly workgroupMemory: {
    readonly bytes: number;
    readonly wavefronts: Wavefronts | null;
    readonly mostWavefronts: Wavefronts;
  };
  /** Statements that invocations execute, iterations of loops among them; null where data decide. */
  readonly statements: number | null;
  /** Executed by invocations; null where data decide. */
  readonly operations: Operations | null;
  readonly mostOperations: Operations;
  /** Inside of loops, for each multiply-add there. */
  readonly inLoops: Operations;
  /** Multiply-adds of matrix units. */
  readonly products: number;
  /** Instructions that a subgroup of 32 issues to memory and to other lanes. */
  readonly requests: number;
  /** Multiply-adds of a subgroup of 32 for each answer of 32 banks of 4 B; null without any. */
  readonly fmaPerWavefront: number | null;
  /** Multiply-adds of a workgroup for each of its unique bytes; null without any. */
  readonly fmaPerUniqueByte: number | null;
  /** Scalars of an invocation that live at once. */
  readonly liveScalars: number;
  readonly occupancy: Readonly<Record<FamilyName, Occupancy>>;
  /** Executed by a workgroup, the mean of all. */
  readonly barriersPerWorkgroup: number;
  /** Loads of storage by an invocation that wait together, the mean of all loads; 0 without loads. */
  readonly loadsInFlight: number;
  /** Iterations of all loops by an invocation, the mean of all. */
  readonly iterationsPerInvocation: number;
}
