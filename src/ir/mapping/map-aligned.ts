/**
 * Purpose: asks whether loops along rows that may begin anywhere in a vector of memory are written in
 * blocks that begin where vectors do.
 *
 * Requires: a legal kernel. Ensures: it stays legal. Where all rows are whole vectors, nothing is asked.
 */
import type { DeviceProfile } from "../../support/device-profile.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { Decider } from "../decisions.ts";
import { findTensor, type Program, type Statement } from "../program.ts";
import { type Band, eachLeaf, type Loop } from "../schedule.ts";
import { markAligned, oddRowLoops } from "../scheduling/mark-aligned.ts";
import { prefersAligned } from "./row-defaults.ts";

/** What the answer depends on. */
export interface AlignedQuestion {
  readonly program: Program;
  readonly kernel: Band;
  /** The loops around the kernel. */
  readonly host: readonly Loop[];
  readonly profile: DeviceProfile;
  readonly decider: Decider;
  readonly prefix: string;
}

/** Whether rows of something that reductions read are no whole vectors: a question that takes no time. */
export function mayHaveOddRows(program: Program, statements: readonly Statement[]): boolean {
  const reads = flatMap(statements, (s) => (s.reduction === null ? [] : s.reads));
  return reads.some(({ tensor }) => (findTensor(program, tensor)?.shape.at(-1) ?? 0) % 4 !== 0);
}

/** The kernel, with its loops along odd rows marked where the answer is yes. */
export function mapAligned(question: AlignedQuestion): Band {
  const { program, kernel, host, profile, decider, prefix } = question;
  const loops = oddRowLoops(program, kernel, host);
  if (loops.size === 0) return kernel;
  const lengths = flatMap(eachLeaf(kernel), (c) =>
    flatMap(c.loops, (l) => (loops.has(l.id) ? [l.extent] : [])),
  );
  const wish = prefersAligned(lengths, profile);
  const isWished = decider.decide(`${prefix}.align`, [false, true], wish);
  return isWished ? markAligned(kernel, loops) : kernel;
}
