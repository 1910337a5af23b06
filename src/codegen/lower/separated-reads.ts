/**
 * Reads of memory that a workgroup shares, between which and all writes of it a barrier stands: such
 * a read may happen where the domain has no point, as it meets no write.
 */
import type { BarrierSite } from "../../ir/legality/synchronise.ts";
import { phaseReads } from "../../ir/phase-reads.ts";
import { findStatement, type Program, statementOf } from "../../ir/program.ts";
import {
  eachLeaf,
  type LeafContext,
  type Phase,
  type Place,
  type Schedule,
  type ScheduleNode,
  type Sequence,
} from "../../ir/schedule.ts";
import { flatMap } from "../../support/flat-map.ts";
import { remember } from "../../support/remember.ts";

/**
 * The name of the reads of a tensor in a phase of a statement, or in all of them, in the result of
 * {@link separatedReads}.
 */
export function readName(statement: string, phase: Phase | "any", tensor: string): string {
  return `${statement}.${phase} ${tensor}`;
}

/** The child numbers from the kernel to each sequence. */
function sequencePaths(node: ScheduleNode): ReadonlyMap<Sequence, readonly number[]> {
  const paths = new Map<Sequence, readonly number[]>();
  const visit = (at: ScheduleNode, path: readonly number[]): void => {
    if (at.kind === "band") visit(at.child, path);
    if (at.kind !== "sequence") return;
    paths.set(at, path);
    for (const [n, child] of at.children.entries()) visit(child, [...path, n]);
  };
  visit(node, []);
  return paths;
}

/** The children before which memory that is not storage has a barrier, by the sequence that they are in. */
const sitesOf: (barriers: readonly BarrierSite[]) => ReadonlyMap<Sequence, readonly number[]> =
  remember((barriers: readonly BarrierSite[]) => {
    const found = new Map<Sequence, number[]>();
    for (const b of barriers) {
      if (b.kind !== "before-child" || b.memory === "storage") continue;
      const children = found.get(b.sequence) ?? [];
      found.set(b.sequence, children);
      children.push(b.child);
    }
    return found;
  });

/** Whether the loops around both leaves end with the one at which the memory is made anew. */
function partInside(place: Place, write: LeafContext, read: LeafContext): boolean {
  const end = write.loops.findIndex((l, n) => l.id !== read.loops[n]?.id);
  const shared = end < 0 ? write.loops : write.loops.slice(0, end);
  if (place.at === null) return shared.every((l) => l.on === "host" || l.on === "grid");
  return shared.at(-1)?.id === place.at;
}

function storesInto(program: Program, { leaf }: LeafContext, tensor: string): boolean {
  const stores = leaf.phase === "whole" || leaf.phase === "finish";
  return stores && findStatement(program, leaf.statement)?.write.tensor === tensor;
}

/**
 * The reads, by {@link readName}, of tensors in workgroup memory that are written before a barrier in
 * the same iteration of the loop at which the memory is allocated. Before the next iteration writes
 * there is always a barrier: see needsOfReuse in analyse-schedule.ts.
 */
export function separatedReads(
  program: Program,
  schedule: Schedule,
  kernel: ScheduleNode,
  barriers: readonly BarrierSite[],
): ReadonlySet<string> {
  const leaves = eachLeaf(kernel);
  const inSequences = sitesOf(barriers);
  const sites = flatMap([...sequencePaths(kernel)], ([sequence, path]) =>
    (inSequences.get(sequence) ?? []).map((child) => ({ path, child })),
  );
  const places = flatMap(schedule.places, (place) => {
    if (place.target.kind !== "tensor" || place.space !== "workgroup") return [];
    const { tensor } = place.target;
    return [{ place, tensor, writes: leaves.filter((c) => storesInto(program, c, tensor)) }];
  });
  const between = (write: LeafContext, read: LeafContext): boolean =>
    sites.some(({ path, child }) => {
      const depth = path.length;
      const inside = path.every((n, i) => write.path[i] === n && read.path[i] === n);
      const [from = child, to = -1] = [write.path[depth], read.path[depth]];
      return inside && from < child && child <= to;
    });
  const reads = flatMap(leaves, (read) => {
    const { statement, phase } = read.leaf;
    const reader = statementOf(program, statement);
    const names = phaseReads(reader, phase);
    return flatMap(places, ({ place, tensor, writes }) => {
      if (!names.has(tensor)) return [];
      const apart = writes.every((w) => partInside(place, w, read) && between(w, read));
      return [{ names: [phase, "any" as const].map((p) => readName(statement, p, tensor)), apart }];
    });
  });
  const open = new Set(flatMap(reads, (r) => (r.apart ? [] : r.names)));
  return new Set(flatMap(reads, (r) => r.names).filter((name) => !open.has(name)));
}
