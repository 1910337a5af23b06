/**
 * One kernel of a schedule as kernel IR.
 *
 * Requires a verified schedule and the barriers that it needs. Ensures: every instance of every
 * leaf is executed once (or once per member of a team, into private memory), in the order of the
 * tree, with loops of literal extent.
 */
import { type Affine, constant, variable } from "../../ir/affine.ts";
import { digitName } from "../../ir/layout.ts";
import { prefetchedCopies } from "../../ir/prefetched-copies.ts";
import { statementOf } from "../../ir/program.ts";
import {
  type Band,
  band,
  isLocal,
  type LeafContext,
  type Loop,
  localStrides,
  type ScheduleNode,
  type Sequence,
  teamSize,
} from "../../ir/schedule.ts";
import { defined, invariant } from "../../support/assert.ts";
import { asksForWidth, subgroupLanes } from "../../support/device-profile.ts";
import { flatMap } from "../../support/flat-map.ts";
import { builtinOf, compare, divideIndex, indexLiteral, indexType, moduloIndex } from "../build.ts";
import type { Kernel, KernelExpression, KernelStatement } from "../kernel.ts";
import { originOf } from "../origin.ts";
import { type Block, bind, nameSource, openBlock } from "./block.ts";
import { blockEdges } from "./block-edges.ts";
import { combineParts } from "./combine-parts.ts";
import { lowerFragments } from "./fragments.ts";
import { lowerFullTiles } from "./full-tiles.ts";
import { type Grid, gridOf } from "./grid.ts";
import { type KernelSource, kernelContext, loopIndex } from "./kernel-context.ts";
import { leafScope, lowerEdgeOfBlock, lowerLeaf } from "./leaf.ts";
import { numberedLoops } from "./origins.ts";
import { lowerPrefetching } from "./prefetch.ts";
import { arrayNames, isInRegisters, type KernelContext, type Scope } from "./scope.ts";

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
  const { kernel, host, program, limits } = source;
  const gridLoops = kernel.loops.filter((l) => l.on === "grid");
  const grid = gridOf(gridLoops, limits.limits.maxWorkgroupsPerDimension);
  const steps = host.filter((l) => l.extent > 1);
  const context = kernelContext(source, gridLoops, grid, steps);
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
  const fits = lanes === null || lanes === subgroupLanes(limits);
  invariant(fits, `${lanes} lanes on a device with other subgroups`);
  return {
    name: source.name,
    arrays: [...context.arrays.values()],
    workgroupSize: invocations,
    ...(lanes === null ? {} : { subgroupSize: lanes }),
    ...(lanes !== null && asksForWidth(limits) ? { asksForSize: true } : {}),
    grid: grid.extents,
    steps: context.steps,
    numbered: numberedLoops(context, grid),
    body: guarded(grid, block.statements),
  };
}

function guarded(grid: Grid, body: readonly KernelStatement[]): readonly KernelStatement[] {
  if (grid.guard === null) return body;
  const condition = compare("<", grid.guard.linear, indexLiteral(grid.guard.count));
  return [{ kind: "if", condition, then: body, else: [] }];
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
  const statement = statementOf(source.program, leaf.statement);
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
    from: originOf({ origin: context.loops.get(loop.id) }),
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
  const from = originOf({ origin: walk.context.loops.get(loop.id) });
  block.emit({ kind: "loop", variable: name, extent, ...mark, body: inner.statements, ...from });
}
