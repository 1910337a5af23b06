/** The facts of the kernels of a plan: see kernel-facts.ts for what they mean. */
import { defined } from "../../support/assert.ts";
import { deviceFamilies, type FamilyName } from "../../support/device-families.ts";
import type { DeviceProfile } from "../../support/device-profile.ts";
import { flatMap } from "../../support/flat-map.ts";
import { elementBytes } from "../../support/scalar-type.ts";
import type { Kernel, KernelStatement } from "../kernel.ts";
import type { Plan, Step } from "../plan.ts";
import { type AccessSite, allNodes, executedOperations, type KernelNode } from "./access-sites.ts";
import { countKernel } from "./count-kernel.ts";
import type {
  AccessFacts,
  KernelFacts,
  MemoryFacts,
  StorageAccess,
  Wavefronts,
  WorkgroupAccess,
} from "./kernel-facts.ts";
import { type Occupancy, occupancyOf } from "./occupancy.ts";
import { liveScalars } from "./registers.ts";
import { requestLanes, sectorBytes } from "./requests.ts";

function sumOf<T>(list: readonly T[], value: (one: T) => number): number {
  return list.reduce((sum, one) => sum + value(one), 0);
}

/** The sum, or null where a summand is. */
function knownSum<T>(list: readonly T[], value: (one: T) => number | null): number | null {
  return list.reduce<number | null>((sum, one) => {
    const next = value(one);
    return sum === null || next === null ? null : sum + next;
  }, 0);
}

function wavefrontsBy(count: (model: number) => number): Wavefronts {
  return { "32x4": count(0), "16x4": count(1), "16x16": count(2) };
}

/** Sectors or answers if no two lanes had anything in common. */
function worst({ width, size, counts }: AccessSite): number {
  const unknown = counts.requests - counts.known;
  if (unknown <= 0) return 0;
  const each = Math.ceil((width * size) / sectorBytes);
  return unknown * (counts.lanes / counts.requests) * each;
}

function storageAccess(site: AccessSite, known: boolean): StorageAccess {
  const { counts, kind } = site;
  const wanted = counts.sectors === 0 ? null : counts.wanted / (counts.sectors * sectorBytes);
  return {
    space: "storage",
    sectors: known ? counts.sectors : null,
    mostSectors: counts.sectors + worst(site),
    usedShare: known ? wanted : null,
    contention: kind !== "atomic" ? 0 : known ? counts.contention : null,
  };
}

function workgroupAccess(site: AccessSite, known: boolean): WorkgroupAccess {
  const at = (model: number): number => site.counts.wavefronts[model] ?? 0;
  return {
    space: "workgroup",
    wavefronts: known ? wavefrontsBy(at) : null,
    mostWavefronts: wavefrontsBy((n) => at(n) + worst(site)),
  };
}

function accessFacts({ path, executed }: KernelNode, site: AccessSite): AccessFacts {
  const { array, counts, kind, width } = site;
  const certain = executed.uncertain === 0;
  const known = certain && counts.known >= counts.requests * (1 - 1e-9);
  return {
    place: path,
    kind,
    array: array.id,
    width,
    requests: certain ? counts.requests : null,
    mostRequests: counts.requests,
    memory: array.space === "storage" ? storageAccess(site, known) : workgroupAccess(site, known),
  };
}

/** Bytes of arrays in storage that each dispatch loads and stores at least, over all dispatches. */
function uniqueBytes(kernel: Kernel, nodes: readonly KernelNode[], dispatches: number): number {
  if (dispatches === 0) return 0;
  const once = sumOf(kernel.arrays, (array) => {
    if (array.space !== "storage") return 0;
    const sites = nodes.flatMap((n) => n.sites.filter((s) => s.array.id === array.id));
    const whole = array.length * elementBytes(array.scalar);
    const part = (loads: boolean): number => {
      const those = sites.filter((s) => (s.kind === "load") === loads);
      const touched = sumOf(those, (s) => s.counts.lanes * s.width * s.size);
      return Math.min(whole, touched / dispatches);
    };
    return part(true) + part(false);
  });
  return once * dispatches;
}

function memoryFacts(
  kernel: Kernel,
  nodes: readonly KernelNode[],
  accesses: readonly AccessFacts[],
  { groups, dispatches }: { readonly groups: number; readonly dispatches: number },
): MemoryFacts {
  const stored = accesses.flatMap(({ kind, memory }) =>
    memory.space === "storage" ? [{ kind, memory }] : [],
  );
  const loads = stored.filter((a) => a.kind === "load");
  const others = stored.filter((a) => a.kind !== "load");
  const loadSectors = knownSum(loads, (a) => a.memory.sectors);
  const sites = nodes.flatMap((n) => n.sites.filter((s) => s.array.space === "storage"));
  const loading = sites.filter((s) => s.kind === "load");
  const atomics = stored.filter((a) => a.kind === "atomic");
  const fresh = sumOf(loading, (s) => s.counts.fresh);
  return {
    loadSectors,
    storeSectors: knownSum(others, (a) => a.memory.sectors),
    mostSectors: sumOf(stored, (a) => a.memory.mostSectors),
    loadedShareUsed:
      loadSectors === null || loadSectors === 0
        ? null
        : sumOf(loading, (s) => s.counts.wanted) / (loadSectors * sectorBytes),
    uniqueBytesPerWorkgroup: loadSectors === null || groups === 0 ? null : fresh / groups,
    uniqueBytes: uniqueBytes(kernel, nodes, dispatches),
    atomics: sumOf(sites, (s) => (s.kind === "atomic" ? s.counts.lanes : 0)),
    contention: atomics.some((a) => a.memory.contention === null)
      ? null
      : Math.max(0, ...atomics.map((a) => a.memory.contention ?? 0)),
  };
}

/** Multiply-adds of matrix units. */
function productsOf(kernel: Kernel, nodes: readonly KernelNode[]): number {
  const types = new Map(
    flatMap(nodes, ({ statement: s }) =>
      s.kind === "fragment" ? [[s.name, s.type] as const] : [],
    ),
  );
  return sumOf(nodes, ({ statement: s, executed }) => {
    if (s.kind !== "multiply") return 0;
    const [left, right] = [types.get(s.left), types.get(s.right)];
    const each = (left?.rows ?? 0) * (left?.columns ?? 0) * (right?.columns ?? 0);
    return (each * executed.lanes) / (kernel.subgroupSize ?? requestLanes);
  });
}

/** Whether what comes before a statement has to be there: nothing behind it can be loaded meanwhile. */
function waits({ kind }: KernelStatement): boolean {
  return kind === "barrier" || kind === "loop";
}

/** Loads of storage in the stretches of a list that nothing divides, as lists of nodes. */
function stretches(nodes: readonly KernelNode[]): readonly (readonly KernelNode[])[] {
  const found: KernelNode[][] = [[]];
  const inner: (readonly KernelNode[])[] = [];
  for (const node of nodes) {
    if (waits(node.statement)) found.push([]);
    found.at(-1)?.push(node);
    if (node.statement.kind === "loop") inner.push(...stretches(node.inner));
    else found.at(-1)?.push(...allNodes([...node.inner, ...node.otherwise]));
    if (waits(node.statement)) found.push([]);
  }
  return [...found, ...inner];
}

/** Loads that wait together, the mean of all of them. */
function loadsInFlight(nodes: readonly KernelNode[]): number {
  let [loads, together] = [0, 0];
  for (const stretch of stretches(nodes)) {
    const sites = stretch.flatMap((n) =>
      n.sites.filter((s) => s.kind === "load" && s.array.space === "storage"),
    );
    const executed = sumOf(sites, (s) => s.counts.lanes);
    const most = Math.max(0, ...sites.map((s) => s.counts.lanes));
    if (most === 0) continue;
    loads += executed;
    together += executed * (executed / most);
  }
  return loads === 0 ? 0 : together / loads;
}

/** The iterations of the repeats around a kernel's dispatches, by variable; several places are one after the other. */
function repeatsOf(steps: readonly Step[], kernel: number): readonly ReadonlyMap<string, number>[] {
  return flatMap(steps, (step): readonly ReadonlyMap<string, number>[] => {
    if (step.kind === "dispatch") return step.kernel === kernel ? [new Map()] : [];
    if (step.kind === "zero") return [];
    return repeatsOf(step.body, kernel).map(
      (inner) => new Map([[step.variable, step.extent], ...inner]),
    );
  });
}

function product(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a * b, 1);
}

/** How often a kernel is dispatched, and over which values of its steps. */
function dispatchesOf(
  { steps }: Plan,
  at: number,
  kernel: Kernel,
): {
  readonly count: number;
  readonly repeats: readonly (number | null)[];
  readonly others: number;
} {
  const places = repeatsOf(steps, at);
  const count = sumOf(places, (around) => product([...around.values()]));
  const [first = new Map<string, number>()] = places;
  const repeats = kernel.steps.map((name) => first.get(name) ?? null);
  return { count, repeats, others: count / product(repeats.map((r) => r ?? 1)) };
}

function occupancies(
  size: number,
  registers: number,
  bytes: number,
): Record<FamilyName, Occupancy> {
  const all = Object.values(deviceFamilies);
  const entries = all.map((f) => [f.name, occupancyOf({ size, registers, bytes }, f)] as const);
  return Object.fromEntries(entries) as Record<FamilyName, Occupancy>;
}

function workgroupMemoryFacts(
  { arrays }: Kernel,
  accesses: readonly AccessFacts[],
): KernelFacts["workgroupMemory"] {
  const own = arrays.filter((a) => a.space === "workgroup");
  const those = accesses.flatMap(({ memory }) => (memory.space === "workgroup" ? [memory] : []));
  const names = ["32x4", "16x4", "16x16"] as const;
  const totals = names.map((name) => knownSum(those, (a) => a.wavefronts?.[name] ?? null));
  const isKnown = totals.every((total) => total !== null);
  return {
    bytes: sumOf(own, (a) => a.length * elementBytes(a.scalar)),
    wavefronts: isKnown ? wavefrontsBy((n) => totals[n] ?? 0) : null,
    mostWavefronts: wavefrontsBy((n) =>
      sumOf(those, (a) => a.mostWavefronts[names[n] as (typeof names)[number]]),
    ),
  };
}

/** The facts of one kernel, which is executed as `dispatches` says. */
function factsOfKernel(
  kernel: Kernel,
  family: FamilyName,
  { count, repeats, others }: ReturnType<typeof dispatchesOf>,
): KernelFacts {
  const counted = countKernel(kernel, repeats, others);
  const nodes = allNodes(counted.nodes);
  const accesses = flatMap(nodes, (node) => node.sites.map((site) => accessFacts(node, site)));
  const groups = product(kernel.grid) * count;
  const empty = counted.empty === null || count === 0 ? null : counted.empty / count;
  const full = groups - (counted.empty ?? 0);
  const mostOperations = executedOperations(nodes);
  const isKnown = nodes.every((n) => n.executed.uncertain === 0);
  const workgroupMemory = workgroupMemoryFacts(kernel, accesses);
  const memory = memoryFacts(kernel, nodes, accesses, { groups: full, dispatches: count });
  const answers = workgroupMemory.wavefronts?.["32x4"] ?? 0;
  const unique = (memory.uniqueBytesPerWorkgroup ?? 0) * full;
  const scalars = liveScalars(kernel);
  const of = (kind: KernelStatement["kind"]): readonly KernelNode[] =>
    nodes.filter((n) => n.statement.kind === kind);
  const perGroup = (total: number): number => (full === 0 ? 0 : total / full);
  return {
    schema: 1,
    kernel: kernel.name,
    family,
    sampled: counted.sampled,
    dispatches: count,
    workgroups: {
      count: product(kernel.grid),
      size: kernel.workgroupSize,
      empty,
      perCore:
        empty === null ? null : (product(kernel.grid) - empty) / deviceFamilies[family].cores,
    },
    accesses,
    memory,
    workgroupMemory,
    statements: isKnown ? sumOf(nodes, (n) => n.executed.lanes) : null,
    operations: isKnown ? mostOperations : null,
    mostOperations,
    inLoops: executedOperations(nodes.filter((n) => n.depth > 0)),
    products: productsOf(kernel, nodes),
    requests:
      sumOf(accesses, (a) => a.mostRequests) + sumOf(of("exchange"), (n) => n.executed.subgroups),
    fmaPerWavefront: answers === 0 ? null : mostOperations.fma / requestLanes / answers,
    fmaPerUniqueByte: unique === 0 ? null : mostOperations.fma / unique,
    liveScalars: scalars,
    occupancy: occupancies(kernel.workgroupSize, scalars, workgroupMemory.bytes),
    barriersPerWorkgroup: perGroup(sumOf(of("barrier"), (n) => n.executed.workgroups)),
    loadsInFlight: loadsInFlight(counted.nodes),
    iterationsPerInvocation:
      perGroup(sumOf(of("loop"), (n) => n.executed.lanes)) / Math.max(1, kernel.workgroupSize),
  };
}

/**
 * What each kernel of a plan asks of a GPU, in the order of the plan's kernels. The profile says of which
 * family the cores are that workgroups are counted over; all else holds for any device.
 */
export function facts(plan: Plan, profile: Pick<DeviceProfile, "family">): readonly KernelFacts[] {
  return plan.kernels.map((_, at) => kernelFacts(plan, at, profile));
}

/** What one kernel of a plan asks: see {@link facts}. */
export function kernelFacts(
  plan: Plan,
  at: number,
  { family = "gpu" }: Pick<DeviceProfile, "family">,
): KernelFacts {
  const { kernel } = defined(plan.kernels[at], "kernel", at);
  return factsOfKernel(kernel, family, dispatchesOf(plan, at, kernel));
}
