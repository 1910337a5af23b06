/**
 * Purpose: finds the loops that go along rows which may begin anywhere in a vector of memory, and marks
 * them, so that code generation writes them in blocks that begin where vectors do.
 *
 * ```
 * serial j in 0..509                        serial j in 0..509, aligned
 *   s.update(i = g, j)            -->         s.update(i = g, j)          with x(i, j) of 509 columns
 * ```
 * Requires: a kernel. Ensures: the same instances in the same order. Any serial loop might be marked;
 * those that are found have something to gain: their leaves read neighbours, one after the other, of
 * dense tensors that the kernel does not write, or write such, in memory that ends with a whole vector.
 */
import { flatMap } from "../../support/flat-map.ts";
import { elementCount, rowMajorStrides } from "../../support/scalar-type.ts";
import {
  type Affine,
  add,
  coefficientOf,
  type Interval,
  intervalOf,
  scale,
  substitute,
} from "../affine.ts";
import { domainConstraints } from "../domain.ts";
import {
  type Access,
  hasPadding,
  type Program,
  type Statement,
  statementOf,
  type Tensor,
  tensorOf,
} from "../program.ts";
import {
  type Band,
  eachLeaf,
  type Leaf,
  type LeafContext,
  type Loop,
  type ScheduleNode,
} from "../schedule.ts";
import { mapNode } from "./map-node.ts";

/** Elements of a vector. */
const vector = 4;

/** The shortest row with whole blocks wherever it begins. */
export const shortestRow: number = 2 * vector;

/** Where in memory an element is, over the loops around a leaf; undefined if that is not affine. */
function addressOf(
  { index }: Pick<Access, "index">,
  { shape }: Tensor,
  { binding }: Leaf,
): Affine | undefined {
  const strides = rowMajorStrides(shape);
  const parts = flatMap(index, (i, d) =>
    i.kind === "affine"
      ? [
          scale(
            substitute(i.affine, (dim) => binding.get(dim)),
            strides[d] ?? 1,
          ),
        ]
      : [],
  );
  return parts.length < index.length ? undefined : add(...parts);
}

/** Whether whole vectors of a tensor can be loaded, where nothing writes it meanwhile, or stored. */
export function hasVectors(tensor: Tensor): boolean {
  const { layout, stored, unpacked, components, shape } = tensor;
  if (layout !== undefined || stored !== undefined || unpacked !== undefined) return false;
  if (components.includes("bool")) return false;
  return elementCount(shape) % vector === 0 || hasPadding(tensor);
}

/** Whether a read goes from neighbour to neighbour with a loop, from somewhere in a vector on. */
function isOddRow(address: Affine, loop: Loop, around: readonly Loop[]): boolean {
  if (coefficientOf(address, loop.id) !== 1) return false;
  if (loop.extent % vector !== 0 || address.constant % vector !== 0) return true;
  return around.some((l) => l.id !== loop.id && coefficientOf(address, l.id) % vector !== 0);
}

/** Whether the domain of a statement has all iterations of a loop, whatever the loops around it. */
function hasAll(s: Statement, { leaf }: LeafContext, loop: Loop, around: readonly Loop[]): boolean {
  if (s.domain.quotients.length > 0) return false;
  const range = (id: string): Interval => {
    const extent = around.find((l) => l.id === id)?.extent ?? 1;
    return { lo: 0, hi: Math.max(0, extent - 1) };
  };
  return domainConstraints(s.domain).every((c) => {
    const affine = substitute(c.affine, (dim) => leaf.binding.get(dim));
    if (coefficientOf(affine, loop.id) === 0) return true;
    return c.kind === "nonnegative" && intervalOf(affine, range).lo >= 0;
  });
}

/** What the statements of a kernel do with tensors. */
interface Uses {
  readonly written: ReadonlySet<string>;
  /** Those that one statement writes and none reads. */
  readonly results: ReadonlySet<string>;
}

function usesIn(program: Program, leaves: readonly LeafContext[]): Uses {
  const ids = new Set(leaves.map(({ leaf }) => leaf.statement));
  const statements = program.statements.filter((s) => ids.has(s.id));
  const writes = statements.map((s) => s.write.tensor);
  const reads = new Set(flatMap(statements, (s) => s.reads.map((r) => r.tensor)));
  const isResult = (tensor: string): boolean =>
    !reads.has(tensor) && writes.filter((t) => t === tensor).length === 1;
  return { written: new Set(writes), results: new Set(writes.filter(isResult)) };
}

/** Whether the kernel is to load or store rows along a loop in vectors for a leaf. */
function gains(
  program: Program,
  { written, results }: Uses,
  context: LeafContext,
  loop: Loop,
  host: readonly Loop[],
): boolean {
  const { leaf, loops } = context;
  const s = statementOf(program, leaf.statement);
  const around = [...host, ...loops];
  const isRow = (access: Pick<Access, "tensor" | "index">): boolean => {
    const tensor = tensorOf(program, access.tensor);
    const address = hasVectors(tensor) ? addressOf(access, tensor, leaf) : undefined;
    return address !== undefined && isOddRow(address, loop, around);
  };
  const isLoaded = s.reads.some((r) => r.guard.length === 0 && !written.has(r.tensor) && isRow(r));
  const isStored = results.has(s.write.tensor) && isRow(s.write);
  return (isLoaded || isStored) && hasAll(s, context, loop, around);
}

/** The loops of a kernel that are worth a mark; `host` are those around it. */
export function oddRowLoops(
  program: Program,
  kernel: ScheduleNode,
  host: readonly Loop[],
): ReadonlySet<string> {
  const leaves = eachLeaf(kernel);
  const uses = usesIn(program, leaves);
  const found = new Set<string>();
  for (const context of leaves) {
    const loop = context.loops.at(-1);
    if (loop?.on !== "serial" || loop.extent < shortestRow || found.has(loop.id)) continue;
    // Other leaves in it may be deeper.
    const inside = leaves.filter((c) => c.loops.some((l) => l.id === loop.id));
    if (inside.some((c) => c.loops.at(-1)?.id !== loop.id)) continue;
    if (gains(program, uses, context, loop, host)) found.add(loop.id);
  }
  return found;
}

/** Marks loops of a kernel. */
export function markAligned(kernel: Band, loops: ReadonlySet<string>): Band {
  const marked = mapNode(kernel, (n) => {
    if (n.kind !== "band") return n;
    const own = n.loops.map((l): Loop => (loops.has(l.id) ? { ...l, aligned: true } : l));
    return { ...n, loops: own };
  });
  return marked.kind === "band" ? marked : kernel;
}
