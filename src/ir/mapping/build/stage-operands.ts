/**
 * Purpose: a kernel with copies of its operands in workgroup memory, tile by tile, as its mapping says.
 *
 * Requires: a group and its shape. Ensures: a program with the copies, and a kernel with them inside; null
 * where the kernel has another form. Whether it is legal is asked of verifySchedule.
 */

import { flatMap } from "../../../support/flat-map.ts";
import { own } from "../../../support/own.ts";
import { type Copied, copyOfRead } from "../../algebraic/copy-read.ts";
import { eachStatementId, findStatement, type Program, tensorOf } from "../../program.ts";
import { eachLeaf, type Schedule } from "../../schedule.ts";
import { copyPitch } from "../../scheduling/copy-run.ts";
import type { LoopPair } from "../../scheduling/fuse-loops.ts";
import { type StagedCopy, stageCopies } from "../../scheduling/stage.ts";
import { extentsOf, nestedReducedDims } from "../group/footprints.ts";
import type { Group } from "../group/group.ts";
import { operandsOf } from "../group/operands.ts";
import { type KernelMapping, type OperandMapping, plainOperand } from "../kernel-mapping.ts";
import { axisTurns } from "./map-axes.ts";
import { type GroupShape, mapGroup, type ReductionTiles } from "./map-group.ts";
import { pointAxesOf, tileSteps } from "./shape-of.ts";
import { copiesOfTurns, reductionLoop } from "./tile-reductions.ts";

/** A kernel with statements in it that the program did not have. */
export interface Extended {
  readonly program: Program;
  readonly schedule: Schedule;
  readonly added: readonly string[];
}

/** The operands that a mapping stages, of those that the group has. */
function stagedOperands(group: Group, mapping: KernelMapping, innermost: number) {
  const axes = pointAxesOf(group, mapping);
  return flatMap(operandsOf(group, axes, innermost), (operand) => {
    const copied = own(mapping.operands, operand.name) ?? plainOperand;
    return copied.stage === "no" ? [] : [{ ...operand, ...copied }];
  });
}

/** The tiles of the reductions that read copies: all steps of a dim in one where the mapping says nothing. */
function tilesOf(
  readers: ReadonlySet<string>,
  group: Group,
  mapping: KernelMapping,
): ReductionTiles {
  const mine = group.statements.filter((s) => readers.has(s.id));
  return new Map(
    mine.map((s) => {
      const extents = extentsOf(s);
      const dims = nestedReducedDims(s);
      const sizes = dims.map((d, r): readonly number[] => {
        const [, ...smaller] = mapping.reduced[r] ?? [];
        const largest = tileSteps(
          mapping.reduced[r] ?? [],
          longestOf(mine, r, extents.get(d) ?? 1),
        );
        return [largest, ...smaller.flatMap((n) => (n === "whole" ? [] : [n]))];
      });
      return [s.id, sizes];
    }),
  );
}

/** The largest extent that some statements have at a reduced dim: their tiles are of one size. */
function longestOf(statements: Group["statements"], r: number, least: number): number {
  return statements.reduce((most, s) => {
    const dim = nestedReducedDims(s)[r];
    return dim === undefined ? most : Math.max(most, extentsOf(s).get(dim) ?? 1);
  }, least);
}

/** The copy of an operand, its rows rounded up where neighbours of it are to be vectors; why there is none, else. */
function copyOf(
  program: Program,
  { statement, read }: { readonly statement: { readonly id: string }; readonly read: number },
  { vector, pad }: Pick<OperandMapping, "vector" | "pad">,
): Copied | string {
  const target = { statement: statement.id, read, pitch: 1 };
  const plain = copyOfRead(program, target);
  if (typeof plain === "string") return plain;
  const row = tensorOf(plain.program, plain.tensor).shape.at(-1) ?? 1;
  // Tiles of windows end where the last window does, not at a whole vector.
  const last = findStatement(program, statement.id)?.reads[read]?.index.at(-1);
  const isPlain = last?.kind === "affine" && last.affine.terms.length === 1;
  const pitch = isPlain ? copyPitch(row, vector, pad) : 1;
  return pitch === 1 ? plain : copyOfRead(program, { ...target, pitch });
}

/** The kernel with its operands staged as a mapping says; null when it has another form. */
export function stageOperands(
  group: Group,
  mapping: KernelMapping,
  shape: GroupShape,
  joins: readonly LoopPair[],
): Extended | null {
  let { program } = group;
  const copies: StagedCopy[] = [];
  const staged = stagedOperands(group, mapping, shape.innermost);
  for (const { statement, read, pad, slots, vector } of staged) {
    const copied = copyOf(program, { statement, read }, { vector, pad });
    if (typeof copied === "string") return null;
    program = copied.program;
    copies.push({ copy: copied.copy, reader: statement.id, pad, slots, vector });
  }
  const axes = pointAxesOf(group, mapping);
  const { reductions: _, ...untiled } = shape;
  const tiles = tilesOf(new Set(staged.map((o) => o.statement.id)), group, mapping);
  const kernel = mapGroup(program, group.nodes, axes, untiled, group.prefix, joins, tiles);
  const all = flatMap(eachLeaf(kernel), (c) => c.loops.map((l) => l.id));
  const outer = new Set(copiesOfTurns(all, axisTurns(group.prefix, shape)));
  for (const id of eachStatementId(group.nodes)) {
    const dims = findStatement(program, id)?.reduction?.dims ?? [];
    for (const r of dims.keys()) outer.add(reductionLoop(id, r).tile);
  }
  const result = stageCopies(program, kernel, copies, outer, mapping.prefetch);
  if (result === null) return null;
  const schedule = { root: result.root, places: [...group.folds, ...result.places] };
  return { program, schedule, added: copies.map((c) => c.copy) };
}
