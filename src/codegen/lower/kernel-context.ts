/**
 * What holds for all of a kernel while it is lowered: where its tensors are, who computes them together,
 * and which of its statements need more than a plain store.
 */
import { type Affine, add, constant, scale, variable } from "../../ir/affine.ts";
import { accumulatorLayoutOf, kernelLeaves, type Layout, layoutOf } from "../../ir/layout.ts";
import { occurrencesOf } from "../../ir/legality/occurrence.ts";
import type { BarrierSite } from "../../ir/legality/synchronise.ts";
import { type TeamReduction, teamReductionOf } from "../../ir/legality/team-reduction.ts";
import {
  isScatter,
  type Program,
  type Statement,
  statementOf,
  tensorOf,
  tensorsOf,
} from "../../ir/program.ts";
import {
  type Band,
  isSequential,
  type LeafContext,
  type Loop,
  localStrides,
  placeOfTensor,
  type Schedule,
  teamSize,
} from "../../ir/schedule.ts";
import { type Limits, subgroupLanes } from "../../support/device-profile.ts";
import { flatMap } from "../../support/flat-map.ts";
import { selectsExtremes } from "../drivers/selects-extremes.ts";
import type { KernelArray } from "../kernel.ts";
import { isOfSubgroups } from "./combine-parts.ts";
import { fragmentsOf } from "./fragments.ts";
import type { Grid } from "./grid.ts";
import { orderedUpdates } from "./ordered-updates.ts";
import { loopOrigins } from "./origins.ts";
import type { KernelContext } from "./scope.ts";
import { separatedReads } from "./separated-reads.ts";
import { sharedMemories } from "./shared-memories.ts";

/** What a kernel is lowered from. */
export interface KernelSource {
  readonly name: string;
  readonly program: Program;
  readonly schedule: Schedule;
  readonly kernel: Band;
  /** The host loops around the kernel, outermost first. */
  readonly host: readonly Loop[];
  readonly barriers: readonly BarrierSite[];
  readonly limits: Limits;
}

/** A loop with one iteration is the constant 0. */
export function loopIndex(loop: Loop): Affine {
  return loop.extent <= 1 ? constant(0) : variable(loop.id);
}

/** The surroundings of a kernel's leaves, before the first is lowered. */
export function kernelContext(
  source: KernelSource,
  gridLoops: readonly Loop[],
  grid: Grid,
  steps: readonly Loop[],
): KernelContext {
  const { program, schedule, kernel, host } = source;
  const strides = localStrides(kernel);
  const leaves = kernelLeaves(kernel, host);
  const statements = new Set(leaves.map((c) => c.leaf.statement));
  const used = program.statements.filter((s) => statements.has(s.id));
  const tensors = new Set(flatMap(used, tensorsOf));
  const workgroup = linearWorkgroup(gridLoops);
  const fragments = fragmentsOf(program, schedule, kernel, used);
  const layouts = new Map([...tensors].map((t) => [t, layoutOf(program, schedule, leaves, t)]));
  const teams = teamsOf(source, used);
  return {
    program,
    schedule,
    layouts,
    accumulators: new Map(
      used
        .filter((s) => s.reduction !== null && !isScatter(s))
        .map((s) => [s.id, accumulatorLayoutOf(s, leaves, strides)]),
    ),
    ordered: orderedIn(used, leaves),
    written: new Set(used.map((s) => s.write.tensor)),
    separated: separatedReads(program, schedule, kernel, source.barriers),
    atomic: atomicTensors(program, schedule, leaves),
    selectsExtremes: selectsExtremes(source.limits),
    bindable: source.limits.limits.maxBindingBytes,
    lanes: fragments?.use.lanes ?? lanesOf(layouts, teams, source.limits),
    fragments,
    teams,
    workgroupSize: teamSize(kernel),
    versions: new Map<string, number>(),
    workgroup,
    workgroups: gridLoops.reduce((product, l) => product * l.extent, 1),
    arrays: new Map<string, KernelArray>(),
    checks: new Map(),
    loops: loopOrigins(program, leaves),
    steps: steps.map((l) => l.id),
    memories: sharedMemories(program),
    variables: new Map(grid.variables),
  };
}

function orderedIn(
  statements: readonly Statement[],
  leaves: readonly LeafContext[],
): KernelContext["ordered"] {
  return new Map(
    flatMap(statements, (s) => {
      const updates = orderedUpdates(s, leaves);
      return updates === null ? [] : [[s.id, updates]];
    }),
  );
}

/** The reductions that invocations of a team have parts of. */
function teamsOf(
  { program, schedule, kernel }: KernelSource,
  used: readonly Statement[],
): ReadonlyMap<string, TeamReduction> {
  const occurrences = occurrencesOf(program, { root: kernel, places: schedule.places });
  return new Map(
    flatMap(used, (s) => {
      const team = teamReductionOf(s, occurrences);
      return team === undefined ? [] : [[s.id, team] as const];
    }),
  );
}

/** The lanes of a subgroup, if something is spread over them or combined within them. */
function lanesOf(
  layouts: ReadonlyMap<string, Layout>,
  teams: ReadonlyMap<string, TeamReduction>,
  limits: Limits,
): number | null {
  for (const layout of layouts.values()) {
    if (layout.kind === "box" && layout.deal !== null) return layout.deal.lanes;
  }
  const lanes = subgroupLanes(limits);
  return [...teams.values()].some((t) => isOfSubgroups(t, lanes)) ? lanes : null;
}

/** Over the grid loops, in row-major order. */
function linearWorkgroup(gridLoops: readonly Loop[]): Affine {
  return gridLoops.reduce<Affine>(
    (sum, loop) => add(scale(sum, loop.extent), loopIndex(loop)),
    constant(0),
  );
}

/** Tensors in storage that several invocations scatter into. */
function atomicTensors(
  program: Program,
  schedule: Schedule,
  leaves: readonly LeafContext[],
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { leaf, loops } of leaves) {
    const statement = statementOf(program, leaf.statement);
    const parallel = loops.some((l) => !isSequential(l.on) && l.extent > 1);
    if (!parallel || !isScatter(statement)) continue;
    const tensor = tensorOf(program, statement.write.tensor);
    if (placeOfTensor(schedule, tensor.name) === undefined) found.add(tensor.name);
  }
  return found;
}
