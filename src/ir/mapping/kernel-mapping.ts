/**
 * What is chosen about one kernel: plain, complete data, from which {@link buildKernel} makes the schedule.
 *
 * ```
 * kernel    := { unit, rows, team, combine, axes: [axis ...], order, turnOrder, bands, blocked, points, lanes,
 *                unroll, inner, spread, spreadSteps, spreadBlock, joins: { pair: boolean },
 *                operands: { read: operand }, reduced: [[size ...] ...], inside, prefetch, steps,
 *                iterations, places: { tensor: space }, align, full }
 * axis      := { workgroup, points, step, turns: [count ...], subgroup, fragments, subgroups }
 * operand   := { stage, pad, slots, vector }
 * pair      := "LOOP LOOP"          two loops, each a statement's: "norm.r0 y.q0"
 * read      := "STATEMENT.readN"    the N-th read of a statement: "C.read1"
 * size      := number | "whole"     steps of a reduced dim, or all of them
 * ```
 * Axes are numbered by position in the write of the kernel's first statement, reduced dims in the order of their loops.
 * What is absent is plain: see {@link plainKernel}. So a field that is added later says here what
 * its absence means, and older data stays complete.
 */
import type { RunLength } from "../scheduling/copy-run.ts";

/** How one axis is cut. */
export interface AxisMapping {
  /** Invocations of a workgroup along it. */
  readonly workgroup: number;
  /** Points of each invocation. */
  readonly points: number;
  /** How far apart these are, at most `workgroup`. */
  readonly step: number;
  /** Tiles that a workgroup computes one after the other, the innermost level first, each more than 1. */
  readonly turns: readonly number[];
  /** Invocations along it of a subgroup that is a block of neighbours. */
  readonly subgroup: number;
  /** With a matrix unit: fragments of a subgroup. */
  readonly fragments: number;
  /** With a matrix unit: subgroups of a workgroup. */
  readonly subgroups: number;
}

/** An operand of a reduction, or of a map that reads across rows. */
export interface OperandMapping {
  readonly stage: "no" | "workgroup";
  /** Elements that nothing uses after each row of the copy. */
  readonly pad: number;
  /** Tiles of the copy that are held at once. */
  readonly slots: number;
  /** Neighbours that an invocation copies at once, at most. */
  readonly vector: RunLength;
}

/** Steps of a reduced dim in a tile, or all of them. */
export type TileSize = number | "whole";

/** Where a temporary of a kernel lives. */
export type Space = "storage" | "private" | "lanes" | "workgroup" | "scratch";

/** Everything that is chosen about one kernel. */
export interface KernelMapping {
  /** `none`, or the name of the matrix unit that computes the kernel. */
  readonly unit: string;
  /** Each invocation goes along rows of its own: the last axis is a loop in each point. */
  readonly rows: boolean;
  /** Invocations that share one point of the axes. */
  readonly team: number;
  /** How a team divides reductions: not, or with parts that a tree or subgroups combine. */
  readonly combine: "no" | "tree" | "subgroups";
  readonly axes: readonly AxisMapping[];
  /** The axes among the invocations of a workgroup, the innermost first. */
  readonly order: readonly number[];
  /** The axes with tiles in turns, that of the innermost loop first. */
  readonly turnOrder: readonly number[];
  /** `no`, or bands of so many `rows` or `columns` of workgroups. */
  readonly bands: string;
  /**
   * The points of an invocation are neighbours, or a step apart, along all axes or the `last` one; else a
   * workgroup apart.
   */
  readonly blocked: boolean | "last";
  readonly points: "serial" | "unroll" | "vector";
  /** Invocations are written as subgroups of so many lanes. */
  readonly lanes: number;
  /** Steps of the innermost reduction that are written out: a number, or whole loops (`whole`, `whole 2`). */
  readonly unroll: number | string;
  /** Components of the vectors inside of a point. */
  readonly inner: number;
  /** What lanes load for each other. */
  readonly spread: "no" | "steps" | "points";
  readonly spreadSteps: "unroll" | "serial";
  readonly spreadBlock: number;
  readonly joins: Readonly<Record<string, boolean>>;
  readonly operands: Readonly<Record<string, OperandMapping>>;
  /** Tiles of each reduced dim, the largest first. */
  readonly reduced: readonly (readonly TileSize[])[];
  /** Loops over tiles of the axes that stand inside of those of reductions. */
  readonly inside: number;
  readonly prefetch: boolean;
  /** Written-out steps of a reduction that each point takes in a row. */
  readonly steps: number | "whole";
  /** Iterations of the innermost loops of the program inside of the kernel that are written out; 1 where it is absent. */
  readonly iterations: number;
  readonly places: Readonly<Record<string, Space>>;
  readonly align: boolean;
  readonly full: boolean;
}

/**
 * Whether the points of an invocation along an axis are neighbours, of so many axes with points: an invocation then has all
 * of them, where points that are a workgroup apart leave each invocation some.
 */
export function isBlockedAlong(
  { blocked }: Pick<KernelMapping, "blocked">,
  axis: number,
  axes: number,
): boolean {
  return blocked === "last" ? axis === axes - 1 : blocked;
}

/** One point, one invocation along an axis. */
export const plainAxis: AxisMapping = {
  workgroup: 1,
  points: 1,
  step: 1,
  turns: [],
  subgroup: 1,
  fragments: 1,
  subgroups: 1,
};

/** An operand that is read where it lies. */
export const plainOperand: OperandMapping = { stage: "no", pad: 0, slots: 1, vector: 1 };

/** The plainest mapping of a kernel of so many axes: legal for every group. */
export function plainKernel(axes: number): KernelMapping {
  return {
    unit: "none",
    rows: false,
    team: 1,
    combine: "no",
    axes: Array.from({ length: axes }, () => plainAxis),
    order: [...Array(axes).keys()].reverse(),
    turnOrder: [],
    bands: "no",
    blocked: true,
    points: "serial",
    lanes: 1,
    unroll: 1,
    inner: 1,
    spread: "no",
    spreadSteps: "unroll",
    spreadBlock: 1,
    joins: {},
    operands: {},
    reduced: [],
    inside: 0,
    prefetch: false,
    steps: 1,
    iterations: 1,
    places: {},
    align: false,
    full: false,
  };
}
