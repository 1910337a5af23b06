/**
 * Purpose: asks which operands of a kernel are staged: copied to workgroup memory, tile by tile, by
 * all invocations together.
 *
 * Requires: a kernel's statements and its shape. Ensures: a program with the copies, and a kernel
 * with them inside; whether it is legal is asked of verifySchedule.
 */

import type { DeviceProfile } from "../../support/device-profile.ts";
import { flatMap } from "../../support/flat-map.ts";
import { copyableReads, copyOfRead } from "../algebraic/copy-read.ts";
import type { Decider } from "../decisions.ts";
import {
  eachStatementId,
  findStatement,
  isScatter,
  type Program,
  type ProgramNode,
  type Statement,
} from "../program.ts";
import { eachLeaf, type Schedule, teamSize } from "../schedule.ts";
import type { RunLength } from "../scheduling/copy-run.ts";
import { type StagedCopy, stageCopies } from "../scheduling/stage.ts";
import type { Axis } from "./axes.ts";
import { asksInside } from "./levels.ts";
import { axisTurns } from "./map-axes.ts";
import { type GroupShape, mapGroup, type ReductionTiles } from "./map-group.ts";
import {
  extentsOf,
  isTurned,
  nestedReducedDims,
  preferredReductionTiles,
  preferredVector,
  prefersStage,
  type TileOfDims,
  tileOfDims,
} from "./staging-defaults.ts";
import { copiesOfTurns, reductionLoop } from "./tile-reductions.ts";
import { workgroupBytes } from "./workgroup-bytes.ts";

/** The most operands of a kernel that are asked about. */
const mostOperands = 4;

/** What staging in a kernel depends on. */
export interface StagesQuestion {
  readonly program: Program;
  /** What the kernel executes. */
  readonly nodes: readonly ProgramNode[];
  readonly statements: readonly Statement[];
  readonly axes: readonly Axis[];
  readonly shape: GroupShape;
  readonly profile: DeviceProfile;
  readonly decider: Pick<Decider, "decide">;
  readonly prefix: string;
}

/** A read that may be staged, with those that share its footprint. */
interface Operand {
  readonly statement: Statement;
  readonly read: number;
}

/** An operand that is to be staged. */
interface Wish extends Operand {
  /** For example `kernel0.operand1`. */
  readonly path: string;
  readonly pad: number;
  readonly slots: number;
}

/** One of which all is known. */
interface Stage extends Wish {
  /** The most neighbours that an invocation copies at once. */
  readonly vector: RunLength;
}

/** What was asked for. */
export interface Stages {
  readonly wishes: readonly Stage[];
  readonly tiles: ReductionTiles;
  /** Tiles are loaded while the ones before are computed. */
  readonly prefetch: boolean;
  /** How many of the innermost loops over tiles of the axes stand inside of those of reductions. */
  readonly inside: number;
}

/** A kernel with copies inside. */
export interface StagedKernel {
  readonly program: Program;
  readonly nodes: readonly ProgramNode[];
  readonly schedule: Schedule;
}

/** Whether a read moves with the dims alone, so that a tile of them has a footprint. */
function movesWithDims(s: Statement, read: number): boolean {
  const dims = new Set(s.domain.dims.map((d) => d.name));
  return (s.reads[read]?.index ?? []).every(
    (i) => i.kind === "affine" && i.affine.terms.every((t) => dims.has(t.variable)),
  );
}

/** Reads of what the kernel does not write, by which elements are used again or read across rows. */
function operandsOf({ program, statements, axes, shape }: StagesQuestion): readonly Operand[] {
  const written = new Set(statements.map((s) => s.write.tensor));
  return flatMap(
    statements.filter((s) => !isScatter(s)),
    (statement) =>
      copyableReads(program, statement)
        .filter(({ read }) => !written.has(statement.reads[read]?.tensor ?? ""))
        .filter(({ read }) => movesWithDims(statement, read))
        .filter(({ read, reuse }) => reuse >= 2 || isTurned(statement, read, axes, shape.innermost))
        .map(({ read }): Operand => ({ statement, read })),
  ).slice(0, mostOperands);
}

/** The reduction tiles of a statement that its preferred operands would have. */
function preferredTilesOf(
  q: StagesQuestion,
  s: Statement,
  reads: readonly number[],
): readonly number[] {
  const tileWith = (reduced: readonly number[]): TileOfDims =>
    tileOfDims(s, q.axes, q.shape.tiles, reduced);
  const room = Math.min(q.profile.costs.stagingBytes, q.profile.limits.maxWorkgroupBytes);
  return preferredReductionTiles(q.program, s, reads, tileWith, room);
}

/** Whether an operand is staged by default. */
function isPreferred(q: StagesQuestion, { statement, read }: Operand, all: readonly Operand[]) {
  const reads = all.filter((o) => o.statement === statement).map((o) => o.read);
  const tile = tileOfDims(statement, q.axes, q.shape.tiles, preferredTilesOf(q, statement, reads));
  const turned = isTurned(statement, read, q.axes, q.shape.innermost);
  return prefersStage(q.program, statement, read, tile, turned, q.profile);
}

/** Powers of two below an extent, and the extent. */
function tileSizes(extent: number): readonly number[] {
  const sizes: number[] = [];
  for (let n = 1; n < extent && n <= 64; n *= 2) sizes.push(n);
  return [...sizes, Math.max(1, extent)];
}

function asksTiles(q: StagesQuestion, wishes: readonly Wish[]): ReductionTiles {
  const readers = [...new Set(wishes.map((w) => w.statement))];
  const preferred = readers.map((s) =>
    preferredTilesOf(
      q,
      s,
      wishes.filter((w) => w.statement === s).map((w) => w.read),
    ),
  );
  const tiles = new Map<string, number[]>(readers.map((s) => [s.id, []]));
  const rank = Math.max(0, ...readers.map((s) => nestedReducedDims(s).length));
  for (let r = 0; r < rank; r++) {
    const extents = readers.map((s) => extentsOf(s).get(nestedReducedDims(s)[r] ?? "") ?? 1);
    const values = tileSizes(Math.max(...extents));
    const wish = Math.max(...preferred.map((p) => p[r] ?? 1));
    const fallback = values.filter((v) => v <= wish).at(-1) ?? 1;
    const size = q.decider.decide(`${q.prefix}.r${r}.tile`, values, fallback);
    for (const s of readers) tiles.get(s.id)?.push(size);
  }
  return tiles;
}

/** What {@link asksStages} gives when nobody chooses; null when nothing is staged. */
export function preferredStages(q: StagesQuestion): Stages | null {
  return asksStages({ ...q, decider: { decide: (_path, _values, fallback) => fallback } }, true);
}

/**
 * Asks which operands are staged, and how; null when none is. By default none is unless `mayPrefer`:
 * the heuristic's wish is legal.
 */
export function asksStages(q: StagesQuestion, mayPrefer: boolean): Stages | null {
  const all = operandsOf(q);
  const wishes = flatMap(all, (operand, n): readonly Wish[] => {
    const path = `${q.prefix}.operand${n}`;
    const wish = mayPrefer && isPreferred(q, operand, all) ? "workgroup" : "no";
    if (q.decider.decide(`${path}.stage`, ["no", "workgroup"], wish) === "no") return [];
    const turned = isTurned(operand.statement, operand.read, q.axes, q.shape.innermost);
    const pad = q.decider.decide(`${path}.pad`, [0, 1, 4], turned ? 1 : 0);
    const slots = q.decider.decide(`${path}.slots`, [1, 2], 1);
    return [{ ...operand, path, pad, slots }];
  });
  if (wishes.length === 0) return null;
  const tiles = asksTiles(q, wishes);
  const complete = wishes.map((w) => ({ ...w, vector: asksVector(q, w, tiles) }));
  const inside = asksInside(q, q.shape);
  return { wishes: complete, tiles, inside, prefetch: asksPrefetch(q, complete, tiles) };
}

/** The decision whether tiles are loaded while the ones before are computed. */
export function prefetchPath({ prefix }: Pick<StagesQuestion, "prefix">): string {
  return `${prefix}.prefetch`;
}

/** Asks whether tiles are prefetched, where there are several; by default where two have room. */
function asksPrefetch(q: StagesQuestion, wishes: readonly Wish[], tiles: ReductionTiles): boolean {
  const readers = new Set(wishes.map((w) => w.statement));
  const several = [...readers].some((s) =>
    nestedReducedDims(s).some((d, r) => (extentsOf(s).get(d) ?? 1) > (tiles.get(s.id)?.[r] ?? 1)),
  );
  const wish = wishes.some((w) => w.slots > 1);
  return several && q.decider.decide(prefetchPath(q), [false, true], wish);
}

/** Asks how many neighbours of an operand an invocation copies at once. */
function asksVector(q: StagesQuestion, wish: Wish, tiles: ReductionTiles): RunLength {
  const { statement, read, path } = wish;
  const { axes, shape } = q;
  const tile = tileOfDims(statement, axes, shape.tiles, tiles.get(statement.id) ?? []);
  const usual = preferredVector(statement, read, axes, shape, tile);
  return q.decider.decide(`${path}.vector`, [1, 2, 4] as const, usual);
}

/** Puts the copies of a statement's reads before it. */
function withCopies(
  nodes: readonly ProgramNode[],
  copies: readonly StagedCopy[],
): readonly ProgramNode[] {
  return flatMap(nodes, (node): readonly ProgramNode[] => {
    if (node.kind === "loop") return [{ ...node, body: withCopies(node.body, copies) }];
    const mine = copies.filter((c) => c.reader === node.statement);
    return [...mine.map(({ copy }): ProgramNode => ({ kind: "statement", statement: copy })), node];
  });
}

/** The kernel with its operands staged; null when it has another form, or no room for them. */
export function stageKernel(
  q: StagesQuestion,
  { wishes, tiles, inside, prefetch }: Stages,
  folds: Schedule["places"],
): StagedKernel | null {
  let program = q.program;
  const copies: StagedCopy[] = [];
  for (const { statement, read, pad, slots, vector } of wishes) {
    const copied = copyOfRead(program, { statement: statement.id, read, pitch: 1 });
    if (typeof copied === "string") return null;
    program = copied.program;
    copies.push({ copy: copied.copy, reader: statement.id, pad, slots, vector });
  }
  const shape = { ...q.shape, inside };
  const kernel = mapGroup(program, q.nodes, q.axes, shape, q.prefix, [], tiles);
  const all = flatMap(eachLeaf(kernel), (c) => c.loops.map((l) => l.id));
  const outer = new Set(copiesOfTurns(all, axisTurns(q.prefix, shape)));
  for (const id of eachStatementId(q.nodes)) {
    const dims = findStatement(program, id)?.reduction?.dims ?? [];
    for (const r of dims.keys()) outer.add(reductionLoop(id, r).tile);
  }
  const staged = stageCopies(program, kernel, copies, outer, prefetch);
  if (staged === null) return null;
  const schedule = { root: staged.root, places: [...folds, ...staged.places] };
  if (workgroupBytes(program, schedule) > q.profile.limits.maxWorkgroupBytes) return null;
  if (teamSize(staged.root) > q.profile.limits.maxInvocationsPerWorkgroup) return null;
  return { program, nodes: withCopies(q.nodes, copies), schedule };
}
