/** Which nodes of a program we prefer in one kernel, and where we prefer its loops. */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import { elementCount } from "../../../support/scalar-type.ts";
import { equalParts, type PartsCandidate } from "../../algebraic/equal-parts.ts";
import { findLoop } from "../../algebraic/loop-graph.ts";
import {
  eachStatementId,
  type Index,
  indexVariables,
  type Program,
  type ProgramNode,
  type Statement,
  statementOf,
  tensorOf,
} from "../../program.ts";
import { type Axis, axesOf, extentOf } from "../group/axes.ts";
import { hostOf, type Run, statementsIn } from "../group/group.ts";
import type { Subject } from "../structure/question.ts";
import { gathersInTile } from "./blocks-defaults.ts";
import { costApart, costOfGroup } from "./cost-fusion.ts";
import { sectorElements } from "./cost-grain.ts";
import { extentsOf, widthOf } from "./cost-kernel.ts";
import { mostRowsOfCore, mostStreamed } from "./loop-defaults.ts";
import { hasRegisterTile, points, usesLoadsOften } from "./register-tile.ts";
import { preferredTeam } from "./team-defaults.ts";
import { windowPoints } from "./window-defaults.ts";

/** What a run costs as one kernel. */
function costTogether(
  program: Program,
  run: Run,
  axes: readonly Axis[],
  profile: DeviceProfile,
): number {
  const group = { statements: statementsIn(program, run.nodes), axes };
  return costOfGroup(program, group, hostOf(run), profile);
}

/** What one node costs on its own, a loop inside of one kernel or on the host. */
function costAlone(
  program: Program,
  { host }: Run,
  node: ProgramNode,
  axes: () => readonly Axis[] | null,
  profile: DeviceProfile,
): number {
  const run = { nodes: [node], host };
  const apart = costApart(program, [node], hostOf(run), profile);
  if (node.kind === "statement") return apart;
  const own = axes();
  return own === null ? apart : Math.min(apart, costTogether(program, run, own, profile));
}

/** Elements that a map stores for each core of a GPU, from which every core should have a workgroup. */
const elementsOfCore = 64;

/**
 * Whether a map would have fewer workgroups than a GPU has cores in a kernel over some axes, and enough on its own: a row
 * is a workgroup's where a team may have it, else an invocation's, of which the smallest workgroup has as many as a sector
 * has elements.
 */
function leavesCoresIdle(
  program: Program,
  node: ProgramNode,
  shared: readonly Axis[],
  statements: readonly Statement[],
  { class: kind, cores }: DeviceProfile,
): boolean {
  if (kind !== "gpu" || node.kind !== "statement") return false;
  const s = statementOf(program, node.statement);
  const rows = shared.reduce((product, axis) => product * Math.max(1, extentOf(axis)), 1);
  const isTeam = statements.some((one) => one.reduction !== null || one.loops.length > 0);
  const isFew = rows < cores * (isTeam ? 1 : sectorElements);
  return s.reduction === null && isFew && points(s, "parallel") >= elementsOfCore * cores;
}

/**
 * Whether products over windows of different sizes would share a kernel of a GPU: loops are written out alike there, and
 * what is no window of one is copied between the steps of the other. By estimates a convolution and its short cut take
 * a third of the time apart.
 */
function mixesWindows(statements: readonly Statement[], { class: kind }: DeviceProfile): boolean {
  const products = statements.filter((s) => s.reduction !== null && usesLoadsOften(s));
  return kind === "gpu" && new Set(products.map(windowPoints)).size > 1;
}

/** Whether a node runs in the kernel of those before it, where that costs no more. */
export function prefersWith(
  program: Program,
  { before, axes, next, shared, alone }: Extract<Subject, { family: "with" }>,
  profile: DeviceProfile,
): boolean {
  const longer = { ...before, nodes: [...before.nodes, next] };
  const statements = statementsIn(program, longer.nodes);
  const isIdle = leavesCoresIdle(program, next, shared, statements, profile);
  if (isIdle || mixesWindows(statements, profile)) return false;
  const apart =
    costTogether(program, before, axes, profile) + costAlone(program, before, next, alone, profile);
  const together = costTogether(program, longer, shared, profile);
  return together <= apart && !gathersInTile(shared, statements);
}

/** The bytes that every iteration of the loops in a kernel reads, whatever the row: the weights of a layer. */
export function streamedBytes(program: Program, statements: readonly Statement[]): number {
  const written = new Set(statements.map((s) => s.write.tensor));
  const reads = flatMap(statements, (s) =>
    s.reads.filter((r) => {
      const fixed = r.index.every((i) => s.loops.every((l) => !indexVariables(s, i).has(l)));
      return s.reduction !== null && fixed && !written.has(r.tensor);
    }),
  );
  const names = [...new Set(reads.map((r) => r.tensor))];
  return names.reduce((sum, name) => sum + 4 * elementCount(tensorOf(program, name).shape), 0);
}

/** Loads that an invocation waits for one after the other in a step of a recurrence that takes no longer than launches. */
const mostWaits = 96;

/** Loads that an invocation of a GPU has in flight at once in a sum of a recurrence, as `unroll` writes it out. */
const sumsInFlight = 16;

/** How often one of a team waits for loads in a step of a recurrence, for what a point of the axes has to compute. */
function waitsOfStep(
  statements: readonly Statement[],
  axes: readonly Axis[],
  team: number,
  host: ReadonlySet<string>,
): number {
  const looped = statements.filter((s) => s.loops.some((l) => !host.has(l)));
  return looped.reduce((sum, s) => {
    const taken = new Set([...s.loops, ...flatMap(axes, (axis) => axis.dims.get(s.id) ?? [])]);
    const extents = extentsOf(s);
    const steps = s.domain.dims.reduce(
      (product, { name }) => product * (taken.has(name) ? 1 : (extents.get(name) ?? 1)),
      1,
    );
    return sum + steps / team / (s.reduction === null ? 1 : sumsInFlight);
  }, 0);
}

/**
 * Whether a recurrence waits on a GPU for launches rather than for what it computes: workgroups have rows of their
 * own, few enough, and load and compute little in a step. By estimates on all families layers of 128 channels take a third of
 * the time of a dispatch for each step, and of 256 as long. So do invocations with a sum of their own in each step, however
 * many: columns of a triangular solve of 256 take 0.05 to 0.25 of the time.
 */
function waitsForLaunches(
  program: Program,
  run: Run,
  axes: readonly Axis[],
  profile: DeviceProfile,
): boolean {
  const statements = statementsIn(program, run.nodes);
  const team = preferredTeam(axes, statements, hostOf(run), widthOf(profile), profile);
  const rows = axes.reduce((product, axis) => product * Math.max(1, extentOf(axis)), 1);
  const isSum = profile.class === "gpu" && statements.some((s) => s.reduction !== null);
  const isSmall =
    streamedBytes(program, statements) <= mostStreamed &&
    waitsOfStep(statements, axes, team, hostOf(run)) <= mostWaits;
  const isFew = rows <= mostRowsOfCore * profile.cores;
  return isSmall && (team > 1 ? isFew : isSum && !hasRegisterTile(axes, statements));
}

/** Whether a loop of the program runs inside of a kernel, where that costs no more than a dispatch for each step. */
export function prefersInside(
  program: Program,
  { run, axes }: Pick<Extract<Subject, { family: "loop" }>, "run" | "axes">,
  profile: DeviceProfile,
): boolean {
  if (axes !== null && waitsForLaunches(program, run, axes, profile)) return true;
  const apart = costApart(program, run.nodes, hostOf(run), profile);
  return axes !== null && costTogether(program, run, axes, profile) <= apart;
}

/** How far a coordinate is from a dim; null where it is no dim and a distance. */
function distanceFrom(dim: string | undefined, index: Index | undefined): number | null {
  if (index?.kind !== "affine") return null;
  const [term, more] = index.affine.terms;
  const isDim = more === undefined && term?.variable === dim && term?.coefficient === 1;
  return isDim ? index.affine.constant : null;
}

/** The axes of some statements along which none reads what another point of the axis writes. */
function rowsOf(statements: readonly Statement[]): readonly Axis[] {
  return axesOf(statements).filter(({ dims }) =>
    statements.every((writer) => {
      const { tensor, index } = writer.write;
      const along = dims.get(writer.id);
      const at = index.findIndex((i) => distanceFrom(along, i) !== null);
      const written = distanceFrom(along, index[at]);
      return statements.every((reader) =>
        reader.reads.every((r) => {
          if (r.tensor !== tensor) return true;
          return written !== null && distanceFrom(dims.get(reader.id), r.index[at]) === written;
        }),
      );
    }),
  );
}

/**
 * Gates are computed beside each other on GPUs where all steps of a layer are one dispatch: whoever has an element of all of
 * them loads the state once. By estimates layers of 128 channels take 0.78 to 0.9 of the time. A dispatch for each step is one
 * kernel so, not two, but its tiles use what they load less often: 1.0 to 1.1 of the time on software adapters, up to 2 by
 * estimates of GPUs.
 */
export function prefersParts(
  program: Program,
  candidate: PartsCandidate,
  profile: DeviceProfile,
): boolean {
  const [loop = ""] = statementOf(program, candidate.statement).loops.slice(-1);
  const made = profile.class === "gpu" ? equalParts(program, candidate) : null;
  const place = made?.kind === "rewritten" ? findLoop(made.program, loop) : undefined;
  if (made?.kind !== "rewritten" || place === undefined || place.outer.length > 0) return false;
  const run = { nodes: [place.loop], host: [] };
  const axes = rowsOf(statementsIn(made.program, run.nodes));
  return prefersInside(made.program, { run, axes }, profile);
}

/** Whether a loop has several statements, which are apart where it runs on the host. */
export function hasSeveral({ run }: Extract<Subject, { family: "loop" }>): boolean {
  return eachStatementId(run.nodes).length > 1;
}
