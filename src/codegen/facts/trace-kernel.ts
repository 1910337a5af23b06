/**
 * Executes a workgroup of a kernel without data, all lanes at once: what it touches is exact wherever data
 * do not decide it. Counts are added to the nodes of `annotate`.
 *
 * Where data decide a condition both sides are executed, and counted as uncertain; where they decide an
 * address, its request is counted and its sectors are not.
 */
import type { KernelStatement } from "../kernel.ts";
import { type AccessSite, allNodes, type KernelNode } from "./access-sites.ts";
import { type LaneScope, type Lanes, lanesOf } from "./lane-values.ts";
import {
  ascending,
  bankModels,
  contention,
  distinctBytes,
  requestLanes,
  sectorBytes,
  unitsOf,
  wavefronts,
} from "./requests.ts";
import { spread } from "./samples.ts";

/** Lanes that execute: null for all. */
type Mask = Uint8Array | null;

/** What the workgroup that is executed stands for, and how loops are shortened. */
export interface TraceOptions {
  readonly weight: number;
  /** Iterations of a loop that are executed at most; the others are taken to be like them. */
  readonly mostTrips: number;
  /** Sectors of storage that the workgroup has touched, by array. */
  readonly touched: ReadonlyMap<string, Set<number>>;
}

interface Frame extends TraceOptions {
  readonly scope: LaneScope;
  readonly mask: Mask;
  readonly certain: boolean;
}

/** Lanes and subgroups of 32 that execute. */
function active({ scope, mask }: Frame): { readonly lanes: number; readonly subgroups: number } {
  const { workgroupSize } = scope.kernel;
  if (mask === null) {
    return { lanes: workgroupSize, subgroups: Math.ceil(workgroupSize / requestLanes) };
  }
  let lanes = 0;
  let subgroups = 0;
  for (let first = 0; first < workgroupSize; first += requestLanes) {
    let count = 0;
    const end = Math.min(workgroupSize, first + requestLanes);
    for (let n = first; n < end; n++) count += mask[n] as number;
    lanes += count;
    if (count > 0) subgroups += 1;
  }
  return { lanes, subgroups };
}

/** The first bytes that the active lanes of a subgroup touch. */
function startsOf(
  index: number | Float64Array,
  mask: Mask,
  { first, end, size }: { readonly first: number; readonly end: number; readonly size: number },
): readonly number[] {
  const starts: number[] = [];
  for (let n = first; n < end; n++) {
    if (mask !== null && mask[n] === 0) continue;
    starts.push((typeof index === "number" ? index : (index[n] as number)) * size);
  }
  return ascending(starts);
}

function countFresh(site: AccessSite, sectors: readonly number[], frame: Frame): void {
  const touched = frame.touched.get(site.array.id);
  if (touched === undefined || site.kind !== "load") return;
  for (const sector of sectors) {
    if (touched.has(sector)) continue;
    touched.add(sector);
    site.counts.fresh += sectorBytes * frame.weight;
  }
}

function countRequest(site: AccessSite, starts: readonly number[], frame: Frame): void {
  const { counts, array, width, size } = site;
  const bytes = width * size;
  counts.known += frame.weight;
  if (site.kind === "atomic") counts.contention = Math.max(counts.contention, contention(starts));
  if (array.space === "workgroup") return;
  const sectors = unitsOf(starts, bytes, sectorBytes);
  counts.sectors += sectors.length * frame.weight;
  counts.wanted += distinctBytes(starts, bytes) * frame.weight;
  countFresh(site, sectors, frame);
}

/** Answers of banks to the request of the subgroup whose first lane is `begin`. */
function countAnswers(
  { counts, width, size }: AccessSite,
  index: number | Float64Array,
  begin: number,
  { mask, weight, scope }: Frame,
): void {
  const last = Math.min(scope.kernel.workgroupSize, begin + requestLanes);
  for (const [n, model] of bankModels.entries()) {
    for (let first = begin; first < last; first += model.lanes) {
      const end = Math.min(last, first + model.lanes);
      const needed = wavefronts(startsOf(index, mask, { first, end, size }), width * size, model);
      counts.wavefronts[n] = (counts.wavefronts[n] as number) + needed * weight;
    }
  }
}

function countAccess(site: AccessSite, frame: Frame): void {
  const { lanes, subgroups } = active(frame);
  site.counts.lanes += lanes * frame.weight;
  site.counts.requests += subgroups * frame.weight;
  const index = site.opaque ? null : lanesOf(site.index, frame.scope);
  if (index === null) return;
  const { workgroupSize } = frame.scope.kernel;
  for (let first = 0; first < workgroupSize; first += requestLanes) {
    const end = Math.min(workgroupSize, first + requestLanes);
    const starts = startsOf(index, frame.mask, { first, end, size: site.size });
    if (starts.length === 0) continue;
    countRequest(site, starts, frame);
    if (site.array.space === "workgroup") countAnswers(site, index, first, frame);
  }
}

function countExecution(node: KernelNode, frame: Frame): void {
  const { lanes, subgroups } = active(frame);
  node.executed.lanes += lanes * frame.weight;
  node.executed.subgroups += subgroups * frame.weight;
  node.executed.workgroups += lanes > 0 ? frame.weight : 0;
  if (!frame.certain) node.executed.uncertain += lanes * frame.weight;
  for (const site of node.sites) countAccess(site, frame);
}

/** The lanes of a mask for which a value satisfies a test; undefined if there are none. */
function narrowed(mask: Mask, value: Float64Array, test: (x: number) => boolean): Mask | undefined {
  let some = false;
  const result = new Uint8Array(value.length);
  for (let n = 0; n < value.length; n++) {
    if ((mask !== null && mask[n] === 0) || !test(value[n] as number)) continue;
    result[n] = 1;
    some = true;
  }
  return some ? result : undefined;
}

/** A value that was assigned for some lanes only keeps what the others had. */
function merged(mask: Mask, value: Lanes, before: Lanes, size: number): Lanes {
  if (mask === null) return value;
  if (value === null || before === null) return null;
  const at = (v: number | Float64Array, n: number): number =>
    typeof v === "number" ? v : (v[n] as number);
  return Float64Array.from({ length: size }, (_, n) => at(mask[n] === 1 ? value : before, n));
}

function assign(s: KernelStatement & { kind: "declare" | "assign" }, frame: Frame): void {
  const { variables, kernel } = frame.scope;
  const value = frame.certain || s.kind === "declare" ? lanesOf(s.value, frame.scope) : null;
  const before = variables.get(s.name) ?? null;
  const kept =
    s.kind === "declare" ? value : merged(frame.mask, value, before, kernel.workgroupSize);
  variables.set(s.name, kept);
}

/** Variables that statements inside assign: unknown where not all of their executions are looked at. */
function forgetAssigned(nodes: readonly KernelNode[], { scope }: Frame): void {
  for (const { statement } of allNodes(nodes)) {
    if (statement.kind === "assign") scope.variables.set(statement.name, null);
  }
}

function traceLoop(
  node: KernelNode & { readonly statement: { readonly kind: "loop" } },
  frame: Frame,
): void {
  const { extent, end, variable } = node.statement;
  const bound: Lanes = end === undefined ? extent : lanesOf(end, frame.scope);
  const certain = frame.certain && bound !== null;
  const trips = typeof bound === "number" ? Math.min(extent, bound) : extent;
  const samples = spread(trips, frame.mostTrips);
  if (samples.length < trips) forgetAssigned(node.inner, frame);
  for (const { at, weight } of samples) {
    const mask =
      bound instanceof Float64Array ? narrowed(frame.mask, bound, (b) => at < b) : frame.mask;
    if (mask === undefined) return;
    frame.scope.variables.set(variable, at);
    const inside = { ...frame, mask, certain, weight: frame.weight * weight };
    countExecution(node, inside);
    traceNodes(node.inner, inside);
    if (samples.length < trips) forgetAssigned(node.inner, frame);
  }
}

function traceIf(
  node: KernelNode & { readonly statement: { readonly kind: "if" } },
  frame: Frame,
): void {
  countExecution(node, frame);
  const value = lanesOf(node.statement.condition, frame.scope);
  if (value === null) {
    const unsure = { ...frame, certain: false };
    traceNodes(node.inner, unsure);
    traceNodes(node.otherwise, unsure);
  } else if (typeof value === "number") {
    traceNodes(value !== 0 ? node.inner : node.otherwise, frame);
  } else {
    const yes = narrowed(frame.mask, value, (x) => x !== 0);
    const no = narrowed(frame.mask, value, (x) => x === 0);
    if (yes !== undefined) traceNodes(node.inner, { ...frame, mask: yes });
    if (no !== undefined) traceNodes(node.otherwise, { ...frame, mask: no });
  }
}

function traceNodes(nodes: readonly KernelNode[], frame: Frame): void {
  for (const node of nodes) {
    const { statement: s } = node;
    if (s.kind === "loop") traceLoop({ ...node, statement: s }, frame);
    else if (s.kind === "if") traceIf({ ...node, statement: s }, frame);
    else {
      countExecution(node, frame);
      if (s.kind === "declare" || s.kind === "assign") assign(s, frame);
      if (s.kind === "exchange") frame.scope.variables.set(s.name, null);
    }
  }
}

/** Executes one workgroup. */
export function traceWorkgroup(
  nodes: readonly KernelNode[],
  scope: LaneScope,
  options: TraceOptions,
): void {
  traceNodes(nodes, { ...options, scope, mask: null, certain: true });
}

/** Statement executions, times lanes, that `traceWorkgroup` would make. */
export function traceCost(nodes: readonly KernelNode[], lanes: number, mostTrips: number): number {
  let cost = 0;
  for (const { statement: s, inner, otherwise } of nodes) {
    const trips = s.kind === "loop" ? Math.min(s.extent, mostTrips) : 1;
    const inside = traceCost(inner, lanes, mostTrips) + traceCost(otherwise, lanes, mostTrips);
    cost += lanes + trips * inside;
  }
  return cost;
}
