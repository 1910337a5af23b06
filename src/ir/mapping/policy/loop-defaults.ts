/** What leaves loops of the program when nobody chose. */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import type { Choice } from "../../../support/mapping-file.ts";
import { elementCount } from "../../../support/scalar-type.ts";
import { type LeaveTarget, leaveLoop } from "../../algebraic/leave-loop.ts";
import type { ChainCandidate } from "../../algebraic/scan-chain.ts";
import type { ScanCandidate } from "../../algebraic/scan-prefix.ts";
import { splitTerms, type TermsTarget } from "../../algebraic/split-terms.ts";
import type { TurnCandidate } from "../../algebraic/turn-read.ts";
import {
  findStatement,
  indexVariables,
  type Program,
  parallelDims,
  type Statement,
  sameIndex,
  statementOf,
  tensorOf,
} from "../../program.ts";
import { axesOf } from "../group/axes.ts";
import type { Subject } from "../structure/question.ts";
import { costOfGroup, launchOf } from "./cost-fusion.ts";
import { extentsOf, widthOf } from "./cost-kernel.ts";
import { largestTeam } from "./team-defaults.ts";

/** The most bytes that temporaries may take more of so that a statement can leave a loop. */
const mostAdded = 2 ** 26;

/** What takes no longer than this share of the time is as good: inside of the loop it is one more thing to wait for. */
const evenly = 1.05;

/** The bytes of all temporaries. */
function temporaryBytes({ tensors }: Program): number {
  const made = tensors.filter((t) => t.role === "temporary");
  return made.reduce((sum, t) => sum + 4 * t.components.length * elementCount(t.shape), 0);
}

/** What a statement costs as a kernel of its own, in nanoseconds. */
function costAlone(program: Program, s: Statement, profile: DeviceProfile): number {
  const group = { statements: [s], axes: axesOf([s]) };
  return costOfGroup(program, group, new Set(s.loops), profile);
}

/** Whether a map computes elements from what they were. */
function isUpdate({ write, reads }: Statement): boolean {
  return reads.some((r) => r.tensor === write.tensor && sameIndex(r.index, write.index));
}

/**
 * A reduction that need not wait for a loop leaves it where a kernel for all of its steps takes no longer than they
 * take one by one, launches left out. So do updates of what is written outside, as a bias, and whatever is in a
 * loop that carries nothing. Other maps stay in a recurrence: what they read and write is at hand there.
 */
export function prefersLeave(
  program: Program,
  { statement, loop, all }: LeaveTarget & { readonly all: boolean },
  profile: DeviceProfile,
): boolean {
  const inside = statementOf(program, statement);
  const isMap = inside.reduction === null;
  if (!all && isMap && !isUpdate(inside)) return false;
  const result = leaveLoop(program, { statement, loop });
  if (result.kind === "refused") return false;
  const added = temporaryBytes(result.program) - temporaryBytes(program);
  if (added > (isMap && !all ? 0 : mostAdded)) return false;
  if (all || isMap) return true;
  const outside = statementOf(result.program, statement);
  const step = costAlone(program, inside, profile) - profile.costs.launch;
  // Guards of a statement in a kernel do not keep its steps from taking part in barriers and copies.
  const steps = extentsOf(inside).get(loop) ?? 1;
  return costAlone(result.program, outside, profile) <= evenly * steps * step;
}

/** Terms of a sum are added up before the loop where that sum would leave it. */
export function prefersTerms(
  program: Program,
  target: TermsTarget,
  profile: DeviceProfile,
): boolean {
  const result = splitTerms(program, target);
  if (result.kind === "refused") return false;
  const fixed = result.program.statements.find((s) => findStatement(program, s.id) === undefined);
  if (fixed === undefined) return false;
  const { loop } = target;
  return prefersLeave(result.program, { statement: fixed.id, loop, all: false }, profile);
}

/** The elements that a statement computes beside each other in an iteration of its loops, along all dims but some. */
export function elementsBeside(s: Statement, without: ReadonlySet<string> = new Set()): number {
  const extents = extentsOf(s);
  const beside = parallelDims(s).filter((d) => !s.loops.includes(d) && !without.has(d));
  return beside.reduce((product, d) => product * (extents.get(d) ?? 1), 1);
}

/** The fewest results that are computed from each other: fewer are as fast each on its own. */
const shortestScan = 48;

/** The fewest steps of a chunk. */
const shortestChunk = 16;

/**
 * Prefix reductions are scanned: in one piece where the results beside it keep the device busy, else in chunks,
 * as few as do so, and with no fewer steps than there are chunks, unless those are long enough to be scanned again.
 */
export function preferredScan(
  program: Program,
  { statement, dim, length, chunks }: ScanCandidate,
  profile: DeviceProfile,
): Choice {
  if (length < shortestScan) return "no";
  const s = statementOf(program, statement);
  const wanted = widthOf(profile) / elementsBeside(s, new Set([dim]));
  if (wanted <= 1) return "whole";
  const fitting = chunks.filter((size) => size >= shortestChunk && length / size >= wanted);
  return fitting.at(-1) ?? chunks.find((size) => size >= shortestChunk) ?? "whole";
}

/**
 * What chunks have to take less than the recurrence as it is to be worth that they read all twice, as a share of what is
 * thought of here: 2,048 rows took 1.5 times as long in chunks by estimates of memory, where they had a share of 0.54 to 0.76.
 */
const worthChunks = 0.4;

/** Kernels of a recurrence in chunks: composed, carried from one to the next, expanded. */
const kernelsOfChunks = 3;

/** Steps of a recurrence whose loads an invocation of a GPU has in flight at once. */
const stepsAtOnce = 3;

/**
 * Steps of a recurrence are composed where the elements beside each other leave a device idle: in chunks of the
 * size that takes the least time by the model. Where cores of a GPU have half a row to eight, a workgroup composes all chunks
 * of one, and carries from one to the next: by estimates 16 rows of 65,536 take 0.85 to 0.94 of the time of other sizes.
 */
export function preferredChunk(
  program: Program,
  { statement, loop, length, chunks }: ChainCandidate,
  profile: DeviceProfile,
): Choice {
  const s = statementOf(program, statement);
  const rows = elementsBeside(s);
  const ofCore = profile.class === "gpu" ? rows / profile.cores : 0;
  const ofTeams = ofCore >= 0.5 && ofCore <= 8 && length <= largestTeam * (chunks.at(-1) ?? 0);
  if (length < (ofTeams ? largestTeam + 1 : shortestScan)) return "no";
  const launch = launchOf(profile);
  const host = new Set(s.loops.filter((l) => l !== loop));
  const whole = costOfGroup(program, { statements: [s], axes: axesOf([s]) }, host, profile);
  const atOnce = profile.class === "gpu" ? stepsAtOnce : 1;
  const step = (whole - profile.costs.launch) / length / atOnce;
  // How many chunks take no longer than one.
  const beside = Math.max(1, widthOf(profile) / rows);
  const fits = (size: number): boolean =>
    size >= shortestChunk && (!ofTeams || length <= size * largestTeam);
  const sizes = chunks.filter(fits);
  // Each chunk is composed and run, then there is a step for every chunk.
  const times = sizes.map((size) => {
    const count = Math.ceil(length / size);
    return kernelsOfChunks * launch + step * (2 * size * Math.max(1, count / beside) + count);
  });
  const at = ofTeams ? 0 : times.indexOf(Math.min(...times));
  const isWorth = (times[at] ?? Infinity) < worthChunks * (launch + length * step);
  return isWorth ? (sizes[at] ?? "no") : "no";
}

/** The most bytes that a workgroup of a GPU loads anew in each step of a recurrence: it is alone with its rows. */
export const mostStreamed: number = 2 ** 20;

/**
 * The most rows of a recurrence for each core of a GPU: with more, steps of their own share what they load. By estimates
 * an LSTM of 128 channels takes a third of the time with 32 rows on 6 cores.
 */
export const mostRowsOfCore: number = 6;

/** The fewest steps for which weights are turned: each of them reads all of the copy. */
const fewestTurned = 16;

/**
 * Weights of a recurrence that runs inside of one dispatch of a GPU have columns for rows: invocations that lie along
 * what a step computes then read neighbours. By estimates an LSTM of 256 channels takes 0.5 to 0.75 of the time.
 */
export function prefersTurned(
  program: Program,
  { statement, read, row, steps }: TurnCandidate,
  profile: DeviceProfile,
): boolean {
  if (profile.class !== "gpu" || steps < fewestTurned) return false;
  const s = statementOf(program, statement);
  const { components, shape } = tensorOf(program, s.reads[read]?.tensor ?? "");
  if (4 * components.length * elementCount(shape) > mostStreamed) return false;
  const weights = new Set(flatMap(s.reads[read]?.index ?? [], (i) => [...indexVariables(s, i)]));
  const rows = elementsBeside(s, weights);
  return (extentsOf(s).get(row) ?? 1) >= leastNeighbours && rows <= mostRowsOfCore * profile.cores;
}

/** The fewest invocations that read neighbours of a turned copy. */
const leastNeighbours = 32;

/**
 * The least part of a tensor that an iteration writes, where writing all of it takes no longer than a copy of that part.
 * On CPUs the conditions at the border cost more than the copy: a stencil took 1.6 times as long on SwiftShader.
 */
const leastWritten = { gpu: 1 / 3, cpu: 1 };

/**
 * Iterations take turns in two buffers where that saves a copy, or lets statements that wait for others share a
 * kernel: not where rows of their own are in place, nor where one workgroup has them all.
 */
export function prefersTurns(
  { needed, share, parts, elements }: Extract<Subject, { readonly family: "own" }>,
  profile: DeviceProfile,
): boolean {
  return (
    share >= leastWritten[profile.class] && (needed || (parts && elements >= widthOf(profile)))
  );
}
