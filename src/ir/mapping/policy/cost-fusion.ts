/**
 * What the cost model says of taking statements together: into one kernel, into one loop of it, or
 * one into another.
 */

import { deviceFamilies } from "../../../support/device-families.ts";
import type { DeviceProfile } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import type { Constraint } from "../../affine.ts";
import type { MoveCandidate } from "../../algebraic/move-up.ts";
import { domainConstraints } from "../../domain.ts";
import { feasible } from "../../integer-set/is-empty.ts";
import {
  findStatement,
  type Program,
  type ProgramNode,
  parallelDims,
  type Statement,
  usersOf,
} from "../../program.ts";
import { type Axis, axesOf } from "../group/axes.ts";
import { ownTemporaries } from "../group/own-temporaries.ts";
import { costOfKernel, dimsOf, extentsOf, operationsOf, widthOf } from "./cost-kernel.ts";
import { hasRegisterTile } from "./register-tile.ts";
import { preferredTeam } from "./team-defaults.ts";

/** Some statements that may be one kernel. */
export interface Group {
  readonly statements: readonly Statement[];
  readonly axes: readonly Axis[];
}

/** Roughly how long a group takes as one kernel, in nanoseconds. */
export function costOfGroup(
  program: Program,
  { statements, axes }: Group,
  host: ReadonlySet<string>,
  profile: DeviceProfile,
): number {
  const own = new Set(ownTemporaries(program, statements));
  const wish = preferredTeam(axes, statements, host, widthOf(profile), profile);
  const team = hasRegisterTile(axes, statements) ? 1 : wish;
  return costOfKernel({ statements, axes, team, own, host }, profile);
}

/**
 * What a step of a loop on the host takes. On GPUs several statements are a dispatch each, or one for all of them,
 * whichever takes less, with the launch of the family: by estimates an LU decomposition takes 0.36 of
 * the time inside of a kernel on Adreno. A statement alone streams what costs take for cached: its launch stays as low.
 */
function costOfStep(
  program: Program,
  nodes: readonly ProgramNode[],
  host: ReadonlySet<string>,
  profile: DeviceProfile,
): number {
  const { launch } = profile.costs;
  const apart = costApart(program, nodes, host, profile);
  const statements = flatMap(nodes, (n) =>
    n.kind === "statement" ? (findStatement(program, n.statement) ?? []) : [],
  );
  if (profile.class === "cpu" || nodes.length === 1 || statements.length < nodes.length) {
    return apart - launch * (nodes.length - 1);
  }
  const added = launchOf(profile) - launch;
  const together = costOfGroup(program, { statements, axes: axesOf(statements) }, host, profile);
  return Math.min(apart + nodes.length * added, together + added);
}

/** What a dispatch costs, by the figures of the family where there is one, in nanoseconds. */
export function launchOf({ family, costs }: DeviceProfile): number {
  return family === undefined ? costs.launch : 1000 * deviceFamilies[family].launchMicroseconds;
}

/** Roughly how long nodes of the program tree take with a kernel for each statement. */
export function costApart(
  program: Program,
  nodes: readonly ProgramNode[],
  host: ReadonlySet<string>,
  profile: DeviceProfile,
): number {
  return nodes.reduce((sum, node) => {
    if (node.kind === "loop") {
      const inside = new Set([...host, node.name]);
      const [some] = program.statements.filter((s) => s.loops.includes(node.name));
      const trips = some === undefined ? 0 : (extentsOf(some).get(node.name) ?? 0);
      return sum + trips * costOfStep(program, node.body, inside, profile);
    }
    const statement = findStatement(program, node.statement);
    if (statement === undefined) return sum;
    const group = { statements: [statement], axes: axesOf([statement]) };
    return sum + costOfGroup(program, group, host, profile);
  }, 0);
}

/** A temporary is computed where it is read if that costs less than to store and load it. */
export function prefersInline(program: Program, tensor: string, profile: DeviceProfile): boolean {
  const { writers, readers } = usersOf(program, tensor);
  const [writer] = writers;
  if (writer === undefined) return false;
  const { costs } = profile;
  const points = (s: Statement, dims: readonly string[]): number => {
    const extents = extentsOf(s);
    return dims.reduce((n, d) => n * (extents.get(d) ?? 1), 1);
  };
  const own = points(writer, parallelDims(writer));
  // What varies with fewer dims stays loaded.
  const rank = dimsOf(writer, writer.write).size;
  const loads = writer.reads.filter((r) => dimsOf(writer, r).size >= rank).length;
  const operations = operationsOf(writer.body, profile) * costs.fma;
  const compute = operations + loads * costs.load;
  let [again, stored] = [0, costs.launch + own * (compute + costs.store)];
  for (const s of readers) {
    // Points of a register tile share what they load; on GPUs each computes for itself.
    const isTile = profile.class === "gpu" && hasRegisterTile(axesOf([s]), [s]);
    const each = isTile ? points(s, [...extentsOf(s).keys()]) : null;
    for (const r of s.reads.filter((a) => a.tensor === tensor)) {
      const times = timesRead(s, dimsOf(s, r));
      again += times * loads * costs.load + (each ?? times) * operations;
      stored += times * costs.load;
    }
  }
  return again <= stored;
}

/** The points along a dim that share what does not vary with it, in a register tile. */
const sharedPoints = 8;

/** How often a statement reads an access that varies with some dims. */
function timesRead(statement: Statement, dims: ReadonlySet<string>): number {
  const extents = extentsOf(statement);
  const parallel = new Set(parallelDims(statement));
  return [...extents].reduce((n, [d, extent]) => {
    if (dims.has(d)) return n * extent;
    return parallel.has(d) ? n * Math.ceil(extent / sharedPoints) : n;
  }, 1);
}

/** What two nodes save as one kernel, were it legal; nothing if not both are statements. */
function savedBy(
  program: Program,
  nodes: readonly (ProgramNode | undefined)[],
  profile: DeviceProfile,
): number {
  const statements = flatMap(nodes, (n) => {
    const s = n?.kind === "statement" ? findStatement(program, n.statement) : undefined;
    return s === undefined ? [] : [s];
  });
  const [first, second] = statements;
  if (first === undefined || second === undefined) return 0;
  const host = new Set(first.loops);
  const group = (some: readonly Statement[]): number =>
    costOfGroup(program, { statements: some, axes: axesOf(some).slice(0, 4) }, host, profile);
  return group([first]) + group([second]) - group(statements);
}

/**
 * How many places a node of a list should move up, at most `most`: next to the statement with which
 * it saves most in one kernel, or out of the way of two that belong together.
 */
export function preferredPlaces(
  program: Program,
  { nodes, index, most }: Pick<MoveCandidate, "nodes" | "index" | "most">,
  profile: DeviceProfile,
): number {
  const saved = (a: number, b: number): number => savedBy(program, [nodes[a], nodes[b]], profile);
  if (saved(index - 1, index) > 0) return 0;
  let [best, places] = [0, 0];
  for (let k = 1; k <= most; k++) {
    const gain = saved(index - k - 1, index);
    if (gain > best) [best, places] = [gain, k];
  }
  if (places > 0) return places;
  if (saved(index - 2, index - 1) > 0) return 0;
  const [before, after] = [saved(index - 1, index + 1), saved(index, index + 1)];
  return before > Math.max(0, after) ? 1 : 0;
}

/** The most accumulators that the register tiles of one loop may have together. */
const mostAccumulators = 64;

/** What holds of the dims of loops on the host wherever a statement has instances. */
function stepsOf({ domain }: Statement, host: ReadonlySet<string>): readonly Constraint[] {
  const ofHost = domainConstraints(domain).filter((c) =>
    c.affine.terms.every((t) => host.has(t.variable)),
  );
  return ofHost.filter((c) => c.affine.terms.length > 0);
}

/** Whether no step of the loops on the host has instances of both statements. */
function areApart(a: Statement, b: Statement, host: ReadonlySet<string>): boolean {
  return host.size > 0 && !feasible([...stepsOf(a, host), ...stepsOf(b, host)]);
}

/**
 * Whether two loops of a kernel are better as one, given the points that an invocation has: they
 * are, for the loads that they share and for the iterations, unless their register tiles would not
 * fit into the registers at the same time, or no step has anything to do in both: apart, each is
 * left out in the steps of the other. `host` are the dims of loops on the host.
 */
export function prefersJoin(
  first: readonly Statement[],
  second: readonly Statement[],
  points: number,
  host: ReadonlySet<string>,
): boolean {
  if (first.every((a) => second.every((b) => areApart(a, b, host)))) return false;
  const reductions = [...first, ...second].filter((s) => s.reduction !== null).length;
  return points === 1 || reductions * points <= mostAccumulators;
}
