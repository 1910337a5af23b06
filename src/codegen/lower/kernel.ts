/**
 * One kernel of a schedule as kernel IR.
 *
 * Requires a verified schedule and the barriers that it needs. Ensures: every instance of every
 * leaf is executed once (or once per member of a team, into private memory), in the order of the
 * tree, with loops of literal extent.
 */
import { type Affine, add, constant, scale, variable } from "../../ir/affine.ts";
import {
  accumulatorLayoutOf,
  digitName,
  kernelLeaves,
  type Layout,
  layoutOf,
} from "../../ir/layout.ts";
import { occurrencesOf } from "../../ir/legality/occurrence.ts";
import type { BarrierSite } from "../../ir/legality/synchronise.ts";
import { type TeamReduction, teamReductionOf } from "../../ir/legality/team-reduction.ts";
import { prefetchedCopies } from "../../ir/prefetched-copies.ts";
import {
  findStatement,
  findTensor,
  isScatter,
  type Program,
  type Statement,
} from "../../ir/program.ts";
import {
  type Band,
  band,
  isLocal,
  isSequential,
  type LeafContext,
  type Loop,
  localStrides,
  placeOfTensor,
  type Schedule,
  type ScheduleNode,
  type Sequence,
  teamSize,
} from "../../ir/schedule.ts";
import { defined, invariant } from "../../support/assert.ts";
import { type DeviceProfile, subgroupLanes } from "../../support/device-profile.ts";
import { flatMap } from "../../support/flat-map.ts";
import { builtinOf, compare, divideIndex, indexLiteral, indexType, moduloIndex } from "../build.ts";
import type { Kernel, KernelArray, KernelExpression, KernelStatement } from "../kernel.ts";
import { type Block, bind, nameSource, openBlock } from "./block.ts";
import { blockEdges } from "./block-edges.ts";
import { combineParts, isOfSubgroups } from "./combine-parts.ts";
import { fragmentsOf, lowerFragments } from "./fragments.ts";
import { lowerFullTiles } from "./full-tiles.ts";
import { type Grid, gridOf } from "./grid.ts";
import { leafScope, lowerEdgeOfBlock, lowerLeaf } from "./leaf.ts";
import { orderedUpdates } from "./ordered-updates.ts";
import { lowerPrefetching } from "./prefetch.ts";
import { arrayNames, isInRegisters, type KernelContext, type Scope } from "./scope.ts";
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
  readonly profile: DeviceProfile;
}

/** Where the walk through the tree is. */
interface Position {
  readonly loops: ReadonlyMap<string, Affine>;
  readonly lane: Scope["lane"];
  /** Invocations that share the local loops around: the team. */
  readonly team: number;
  readonly block: Block;
}

interface Walk {
  readonly source: KernelSource;
  readonly context: KernelContext;
  readonly strides: ReadonlyMap<string, number>;
  /** What a workgroup has of what the local loops count: invocations, with fragments subgroups. */
  readonly teams: number;
  /** Not the updates themselves, but what stands before or behind those of a block. */
  readonly edge: "before" | "behind" | null;
}

/** Lowers one kernel. */
export function lowerKernel(source: KernelSource): Kernel {
  const { kernel, host, program, profile } = source;
  const gridLoops = kernel.loops.filter((l) => l.on === "grid");
  const grid = gridOf(gridLoops, profile.limits.maxWorkgroupsPerDimension);
  const steps = host.filter((l) => l.extent > 1);
  const context = contextOf(source, gridLoops, grid, steps);
  const walk: Walk = {
    source,
    context,
    strides: localStrides(kernel),
    teams: teamSize(kernel),
    edge: null,
  };
  const invocations = walk.teams * (context.fragments?.use.lanes ?? 1);
  const reserved = new Set(flatMap(program.tensors, arrayNames));
  const block = openBlock(nameSource(reserved));
  for (const [id, { range, expression: value }] of grid.computed) {
    context.variables.set(id, { range, expression: bind(block, id, value) });
  }
  const loops = new Map<string, Affine>();
  for (const loop of host) bindStep(context, steps, loop, loops);
  for (const loop of gridLoops) loops.set(loop.id, loopIndex(loop));
  const inner: ScheduleNode = {
    kind: "band",
    loops: kernel.loops.filter((l) => l.on !== "grid"),
    child: kernel.child,
  };
  lowerFullTiles(context, gridLoops, block, (known, into) => {
    const start = { loops, lane: null, team: walk.teams, block: into };
    lowerNode({ ...walk, context: known }, inner, start);
  });
  const { lanes } = context;
  const { subgroups } = profile;
  const fits = lanes === null || (subgroups?.min === lanes && subgroups.max === lanes);
  invariant(fits, `${lanes} lanes on a device with other subgroups`);
  return {
    name: source.name,
    arrays: [...context.arrays.values()],
    workgroupSize: invocations,
    ...(lanes === null ? {} : { subgroupSize: lanes }),
    grid: grid.extents,
    steps: context.steps,
    body: guarded(grid, block.statements),
  };
}

function guarded(grid: Grid, body: readonly KernelStatement[]): readonly KernelStatement[] {
  if (grid.guard === null) return body;
  const condition = compare("<", grid.guard.linear, indexLiteral(grid.guard.count));
  return [{ kind: "if", condition, then: body, else: [] }];
}

/** A loop with one iteration is the constant 0. */
function loopIndex(loop: Loop): Affine {
  return loop.extent <= 1 ? constant(0) : variable(loop.id);
}

function bindStep(
  context: KernelContext,
  steps: readonly Loop[],
  loop: Loop,
  loops: Map<string, Affine>,
): void {
  loops.set(loop.id, loopIndex(loop));
  const slot = steps.indexOf(loop);
  if (slot < 0) return;
  const expression: KernelExpression = { kind: "step", slot, type: indexType };
  context.variables.set(loop.id, { range: { lo: 0, hi: loop.extent - 1 }, expression });
}

function contextOf(
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
  const tensors = new Set(flatMap(used, (s) => [s.write.tensor, ...s.reads.map((r) => r.tensor)]));
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
    selectsExtremes: source.profile.costs.choice < source.profile.costs.extreme,
    bindable: source.profile.limits.maxBindingBytes,
    lanes: fragments?.use.lanes ?? lanesOf(layouts, teams, source.profile),
    fragments,
    teams,
    workgroupSize: teamSize(kernel),
    versions: new Map<string, number>(),
    workgroup,
    workgroups: gridLoops.reduce((product, l) => product * l.extent, 1),
    arrays: new Map<string, KernelArray>(),
    checks: new Map(),
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
  profile: DeviceProfile,
): number | null {
  for (const layout of layouts.values()) {
    if (layout.kind === "box" && layout.deal !== null) return layout.deal.lanes;
  }
  const lanes = subgroupLanes(profile);
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
    const statement = defined(findStatement(program, leaf.statement), leaf.statement);
    const parallel = loops.some((l) => !isSequential(l.on) && l.extent > 1);
    if (!parallel || !isScatter(statement)) continue;
    const tensor = defined(findTensor(program, statement.write.tensor), statement.write.tensor);
    if (placeOfTensor(schedule, tensor.name) === undefined) found.add(tensor.name);
  }
  return found;
}

function lowerNode(walk: Walk, node: ScheduleNode, position: Position): void {
  switch (node.kind) {
    case "leaf":
      lowerLeafOfTeam(walk, node, position);
      return;
    case "sequence":
      for (const [i, child] of node.children.entries()) {
        waitBefore(walk, node, i, position.block);
        lowerNode(walk, child, position);
      }
      return;
    case "band":
      lowerBand(walk, node, position);
  }
}

/** The barrier before a child of a sequence, if there is one. */
function waitBefore({ source }: Walk, sequence: Sequence, child: number, block: Block): void {
  const site = source.barriers.find(
    (b) => b.kind === "before-child" && b.sequence === sequence && b.child === child,
  );
  if (site !== undefined) block.emit({ kind: "barrier", memory: site.memory });
}

/** Statements that only the first of a team runs, unless each has its own copy of the result. */
function lowerLeafOfTeam(walk: Walk, leaf: LeafContext["leaf"], position: Position): void {
  const { context, source } = walk;
  if (walk.edge !== null) {
    const { loops, lane, block } = position;
    lowerEdgeOfBlock(leafScope(context, leaf, loops, lane, block), walk.edge);
    return;
  }
  if (context.fragments !== null) {
    lowerFragments(context, context.fragments, leaf, position.loops, position.block);
    return;
  }
  const statement = defined(findStatement(source.program, leaf.statement), leaf.statement);
  const layout = context.layouts.get(statement.write.tensor);
  const isPrivate = isInRegisters(layout);
  const intoAccumulator = leaf.phase === "init" || leaf.phase === "update";
  const lower = (block: Block): void => {
    lowerLeaf(context, leaf, position.loops, position.lane, block);
  };
  if (leaf.phase === "finish" && context.teams.has(statement.id)) {
    combineParts(leafScope(context, leaf, position.loops, position.lane, position.block));
  }
  if (position.team === 1 || isPrivate || intoAccumulator) lower(position.block);
  else emitIf(position.block, firstOfTeam(walk, position.team), lower);
}

function firstOfTeam(walk: Walk, team: number): KernelExpression {
  return compare("==", memberOf(walk, team), indexLiteral(0));
}

/** The number of the invocation in its team. */
function memberOf(walk: Walk, team: number): KernelExpression {
  const local = localIndex(walk);
  return team === walk.teams ? local : moduloIndex(local, team);
}

/** What the local loops count. */
function localIndex({ context }: Walk): KernelExpression {
  return builtinOf(context.fragments === null ? "local-index" : "subgroup");
}

function emitIf(block: Block, condition: KernelExpression, fill: (inner: Block) => void): void {
  const inner = block.inner("condition");
  fill(inner);
  block.emit({ kind: "if", condition, then: inner.statements, else: [] });
}

function lowerBand(walk: Walk, node: Band, position: Position): void {
  if (node.loops.some((l) => l.extent === 0)) return;
  const local = node.loops.filter((l) => isLocal(l.on));
  const share = local.reduce((product, l) => product * l.extent, 1);
  if (share === 1) {
    lowerLoops(walk, node, 0, position);
    return;
  }
  const child = teamSize(node.child);
  const needed = share * child;
  invariant(needed <= position.team, "a band needs more invocations than its team has");
  for (const loop of local) if (loop.extent > 1) bindLocal(walk, loop, position.team, needed);
  const inside = (block: Block): void =>
    lowerLoops(walk, node, 0, { ...position, block, team: child });
  if (needed === position.team) inside(position.block);
  else {
    const condition = compare("<", memberOf(walk, position.team), indexLiteral(needed));
    emitIf(position.block, condition, inside);
  }
}

function lowerLoops(walk: Walk, node: Band, depth: number, position: Position): void {
  const loop = node.loops[depth];
  if (loop === undefined) {
    lowerNode(walk, node.child, position);
    return;
  }
  const into = (index: Affine, change: Partial<Position> = {}): void => {
    const loops = new Map(position.loops).set(loop.id, index);
    const stride = walk.strides.get(loop.id);
    if (stride !== undefined) loops.set(digitName({ stride, extent: loop.extent }), index);
    lowerLoops(walk, node, depth + 1, { ...position, loops, ...change });
  };
  // A fragment is named by its first element.
  if (loop.extent === 1 || loop.on === "fragment") into(constant(0));
  else if (isLocal(loop.on)) into(variable(loop.id));
  else if (loop.on === "unroll") {
    for (let n = 0; n < loop.extent; n++) into(constant(n));
  } else if (loop.on === "vector") {
    const width = loop.extent;
    invariant(width === 2 || width === 4, `a vector loop of extent ${width}`);
    const range = { lo: 0, hi: width - 1 };
    // A wide access is addressed by its first component.
    walk.context.variables.set(loop.id, { range, expression: indexLiteral(0) });
    into(variable(loop.id), { lane: { variable: loop.id, width } });
  } else if (loop.prefetch === true) lowerPipeline(walk, node, loop, position);
  else {
    const rest = band(node.loops.slice(depth + 1), node.child);
    lowerSerial(walk, loop, position.block, (index, change) => {
      const inner = { ...position, ...change, loops: new Map(position.loops).set(loop.id, index) };
      betweenEdges(walk, loop, rest, inner, () => into(index, change));
    });
  }
}

/** Lowers what is inside of an iteration between what stands around blocks of updates there. */
function betweenEdges(
  walk: Walk,
  loop: Loop,
  inside: ScheduleNode,
  position: Position,
  lower: () => void,
): void {
  const edges = blockEdges(walk.context, loop, inside);
  for (const edge of edges) lowerNode({ ...walk, edge: "before" }, edge, position);
  lower();
  for (const edge of edges) lowerNode({ ...walk, edge: "behind" }, edge, position);
}

/** A loop that prefetches, the last one of its band. */
function lowerPipeline(walk: Walk, node: Band, loop: Loop, position: Position): void {
  const { context, source } = walk;
  const parts = prefetchedCopies(context.program, context.schedule, node);
  invariant(typeof parts !== "string", `loop ${loop.id} cannot prefetch`);
  const { sequence, copies } = parts;
  const at = (index: Affine, block: Block): Position => {
    return { ...position, block, loops: new Map(position.loops).set(loop.id, index) };
  };
  lowerPrefetching({
    loop,
    parts,
    barriers: source.barriers,
    block: position.block,
    variables: context.variables,
    copy: (index, block, waits) => {
      for (const [i, child] of sequence.children.slice(0, copies).entries()) {
        if (waits) waitBefore(walk, sequence, i, block);
        lowerNode(walk, child, at(index, block));
      }
    },
    compute: (index, block) => {
      const inside = at(index, block);
      betweenEdges(walk, loop, sequence, inside, () => {
        for (const [i, child] of sequence.children.entries()) {
          if (i > copies) waitBefore(walk, sequence, i, block);
          if (i >= copies) lowerNode(walk, child, inside);
        }
      });
    },
  });
}

/** A local loop of a band that needs so many invocations, the first ones of the team around. */
function bindLocal(walk: Walk, loop: Loop, team: number, needed: number): void {
  const stride = defined(walk.strides.get(loop.id), "stride of", loop.id);
  const isOutermost = stride * loop.extent === needed;
  // Where the team is a multiple of what is inside, the digit is one of the local index, too.
  const isDigit = team % (stride * loop.extent) === 0;
  if (loop.on === "lane" && loop.extent === walk.context.lanes && stride === 1 && isDigit) {
    // Not computed: on a device that numbers lanes otherwise, it still is who exchanges with whom.
    const range = { lo: 0, hi: loop.extent - 1 };
    walk.context.variables.set(loop.id, { range, expression: builtinOf("lane") });
    return;
  }
  const local = isDigit ? localIndex(walk) : memberOf(walk, team);
  const digit = divideIndex(local, stride);
  const isReduced = isOutermost && (!isDigit || team === walk.teams);
  const expression = isReduced ? digit : moduloIndex(digit, loop.extent);
  walk.context.variables.set(loop.id, { range: { lo: 0, hi: loop.extent - 1 }, expression });
}

function lowerSerial(
  walk: Walk,
  loop: Loop,
  block: Block,
  into: (index: Affine, change: Partial<Position>) => void,
): void {
  invariant(loop.on === "serial", `a ${loop.on} loop inside a kernel`);
  const inner = block.inner("loop");
  const name = inner.names.fresh(loop.id);
  walk.context.variables.set(name, {
    range: { lo: 0, hi: loop.extent - 1 },
    expression: { kind: "variable", name, type: indexType },
  });
  into(variable(name), { block: inner });
  const site = walk.source.barriers.find((b) => b.kind === "loop-end" && b.loop === loop.id);
  if (site !== undefined) inner.emit({ kind: "barrier", memory: site.memory });
  const mark = loop.aligned === true ? ({ aligned: true } as const) : {};
  const { extent } = loop;
  block.emit({ kind: "loop", variable: name, extent, ...mark, body: inner.statements });
}
