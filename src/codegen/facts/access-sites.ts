/** The statements of a kernel with their places, the accesses in each, and room for what executing them costs. */
import { elementBytes } from "../../support/scalar-type.ts";
import type { Kernel, KernelArray, KernelExpression, KernelStatement } from "../kernel.ts";
import {
  expressionKey,
  fragmentMemory,
  isFragmentStatement,
  visitOwnExpressions,
} from "../walk-kernel.ts";
import { noOperations, type Operations, type OperationTally, operationsOf } from "./operations.ts";
import { bankModels } from "./requests.ts";

/** What one place of a kernel does to an array. */
export type AccessKind = "load" | "store" | "atomic";

/** Counts of an access, over all its executions; weighted where only some are looked at. */
export interface AccessCounts {
  /** Executions by an invocation. */
  lanes: number;
  /** Executions by a subgroup of 32, some lanes of it at least. */
  requests: number;
  /** Requests of which the addresses are known. */
  known: number;
  /** Sectors that those touch, and how many bytes of them they want. */
  sectors: number;
  wanted: number;
  /** By bank model, of workgroup memory. */
  readonly wavefronts: number[];
  /** The most updates of one address by one request. */
  contention: number;
  /** Bytes of sectors that the workgroup had not touched before, in storage. */
  fresh: number;
}

/** An access: a load of a statement, counted once however often its text repeats it, or its store. */
export interface AccessSite {
  readonly kind: AccessKind;
  readonly array: KernelArray;
  /** Elements. */
  readonly width: number;
  /** Bytes of an element. */
  readonly size: number;
  /** In elements. */
  readonly index: KernelExpression;
  /** Fragments: the device chooses which lane touches what. */
  readonly opaque: boolean;
  readonly counts: AccessCounts;
}

/** A statement with its place. */
export interface KernelNode {
  readonly statement: KernelStatement;
  /** As the kernel interpreter names places: `body[3].k[0]`. */
  readonly path: string;
  readonly sites: readonly AccessSite[];
  readonly operations: Operations;
  /** Loops around it. */
  readonly depth: number;
  /** Of a loop its body, of a condition its first side. */
  readonly inner: readonly KernelNode[];
  readonly otherwise: readonly KernelNode[];
  readonly executed: ExecutionCounts;
}

/** How often a statement is executed. Of a loop: iterations. */
export interface ExecutionCounts {
  lanes: number;
  /** Subgroups of 32 of which a lane is there. */
  subgroups: number;
  workgroups: number;
  /** Of `lanes`, those under conditions that data decide: they are there at most. */
  uncertain: number;
}

interface Annotating {
  readonly arrays: ReadonlyMap<string, KernelArray>;
  /** Variables that are the same for all invocations of a workgroup. */
  readonly shared: Set<string>;
}

function noCounts(): AccessCounts {
  const wavefronts = bankModels.map(() => 0);
  return {
    lanes: 0,
    requests: 0,
    known: 0,
    sectors: 0,
    wanted: 0,
    wavefronts,
    contention: 0,
    fresh: 0,
  };
}

function siteOf(
  kind: AccessKind,
  { arrays }: Annotating,
  access: { readonly array: string; readonly index: KernelExpression },
  width: number,
  opaque = false,
): readonly AccessSite[] {
  const array = arrays.get(access.array);
  if (array === undefined || array.space === "private") return [];
  const size = elementBytes(array.scalar);
  return [{ kind, array, width, size, index: access.index, opaque, counts: noCounts() }];
}

/** The accesses of a statement itself, loads first. */
function sitesOf(s: KernelStatement, all: Annotating): readonly AccessSite[] {
  const loads = new Map<string, KernelExpression & { kind: "load" }>();
  visitOwnExpressions(s, (e) => {
    if (e.kind === "load") loads.set(expressionKey(e), e);
  });
  const sites = [...loads.values()].flatMap((e) => siteOf("load", all, e, e.type.width));
  if (s.kind === "store") return [...sites, ...siteOf("store", all, s, s.value.type.width)];
  if (s.kind === "atomic") return [...sites, ...siteOf("atomic", all, s, 1)];
  const memory = isFragmentStatement(s) ? fragmentMemory(s) : null;
  if (memory === null) return sites;
  const kind = s.kind === "store-fragment" ? "store" : "load";
  return [...sites, ...siteOf(kind, all, memory, 1, true)];
}

function annotateOne(s: KernelStatement, path: string, depth: number, all: Annotating): KernelNode {
  const { operations, isShared } = operationsOf(s, (name) => all.shared.has(name));
  if (s.kind === "declare" && !s.mutable && isShared) all.shared.add(s.name);
  if (s.kind === "loop") all.shared.add(s.variable);
  const list = (
    body: readonly KernelStatement[],
    at: string,
    deeper: number,
  ): readonly KernelNode[] =>
    body.map((one, n) => annotateOne(one, `${at}[${n}]`, depth + deeper, all));
  const inner =
    s.kind === "loop"
      ? list(s.body, `${path}.${s.variable}`, 1)
      : s.kind === "if"
        ? list(s.then, `${path}.then`, 0)
        : [];
  const otherwise = s.kind === "if" ? list(s.else, `${path}.else`, 0) : [];
  const executed = { lanes: 0, subgroups: 0, workgroups: 0, uncertain: 0 };
  return {
    statement: s,
    path,
    sites: sitesOf(s, all),
    operations,
    depth,
    inner,
    otherwise,
    executed,
  };
}

/** The statements of a kernel as nodes on which nothing is counted yet. */
export function annotate(kernel: Kernel): readonly KernelNode[] {
  const arrays = new Map(kernel.arrays.map((a) => [a.id, a]));
  const all = { arrays, shared: new Set<string>() };
  return kernel.body.map((s, n) => annotateOne(s, `body[${n}]`, 0, all));
}

/** All nodes, each before those inside it. */
export function allNodes(nodes: readonly KernelNode[]): readonly KernelNode[] {
  return nodes.flatMap((node) => [node, ...allNodes(node.inner), ...allNodes(node.otherwise)]);
}

/** The operations of nodes, each as often as invocations execute it. */
export function executedOperations(nodes: readonly KernelNode[]): OperationTally {
  const total = noOperations();
  for (const { operations, executed } of nodes) {
    for (const kind of Object.keys(total) as (keyof Operations)[]) {
      total[kind] += operations[kind] * executed.lanes;
    }
  }
  return total;
}
