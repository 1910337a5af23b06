/**
 * Schedules: in what order, by which invocations and through which memory a program is executed.
 *
 * ```
 * schedule := root node, places
 * node     := sequence of nodes | band of loops over a node | leaf
 * loop     := id, extent, bands?, full?, prefetch?, aligned?, on: host | grid | workgroup | subgroup
 *           | lane | vector | fragment | unroll | serial
 * leaf     := statement, phase, binding: each dim = affine function of the loops around it
 * place    := target, space, at which loop, fold?, pad?, unit?
 * ```
 * A loop runs from 0 to its extent. A leaf binds every dim of its statement to an affine function
 * of the loops around it (`i = 8*io + ii`, `t = w - i`), so tiles, skews and shifts are loops and
 * nothing else; the statement's domain guards what the binding covers too much. This is the inverse
 * of the usual map from instances to time; both are the same linear relation, and this direction is
 * what code generation needs. A loop that a leaf does not use repeats the leaf: that is how a
 * producer is computed again by everyone who needs it.
 *
 * A band whose first loop is on the grid is a *kernel*: one dispatch. Sequences and host loops
 * stand above kernels. Inside, `workgroup`, `subgroup` and `lane` loops together choose the
 * invocation: an invocation's local index is the sum over the local loops around a leaf of
 * `stride * loop`, with the strides of {@link localStrides}. The team of a node is the block of
 * consecutive invocations that share the local loops around it. A leaf that does not use its whole
 * team is run by the first of the team only, unless what it writes is placed in private memory:
 * then all of the team run it, each for its own copy.
 *
 * Loops on `fragment` are a tile of a sum of products that a matrix unit computes at once, and hold the
 * accumulator in a fragment. In a kernel with such loops a subgroup stands wherever otherwise an
 * invocation does: its local index is the number of the subgroup.
 *
 * Local loops that only reduced dims use may stand around an update and not around its init and
 * finish: they deal the reduction to the team. Each invocation adds up a part, and the parts are
 * combined before finish, for the whole team: within subgroups first, where a lane loop of as many
 * iterations as subgroups have lanes is among them.
 */
import { type MatrixUnit, matrixUnitName } from "../support/device-profile.ts";
import { flatMap } from "../support/flat-map.ts";
import { remember } from "../support/remember.ts";
import { type Affine, printAffine } from "./affine.ts";

/** Who runs the iterations of a loop. */
export type Level =
  /** One after the other, in dispatches of their own. */
  | "host"
  /** Each by a workgroup of its own. */
  | "grid"
  /** Each by an invocation of its own, or by a subgroup or a lane of one. */
  | "workgroup"
  | "subgroup"
  | "lane"
  /** Each in a component of a vector; at most 4. */
  | "vector"
  /** All at once, by the matrix unit of a subgroup. */
  | "fragment"
  /** One after the other, written out. */
  | "unroll"
  /** One after the other. */
  | "serial";

export interface Loop {
  /** Unique in the schedule. */
  readonly id: string;
  readonly extent: number;
  readonly on: Level;
  /**
   * Of one of the two innermost grid loops with several iterations: workgroups are numbered in bands of
   * so many iterations of it, and within a band along it first. Left out: along the innermost loop
   * first, and one after the other along this.
   */
  readonly bands?: number;
  /**
   * Of a grid loop: workgroups whose iterations of all loops are in these ranges run a text of their
   * own, in which no guard stands that the ranges imply. Left out: all iterations.
   */
  readonly full?: FullTiles;
  /**
   * Of a serial loop that begins with copies to workgroup memory: those of the next iteration are loaded
   * into registers before the rest of this one, and stored behind it. Left out: each iteration copies
   * what it needs.
   */
  readonly prefetch?: true;
  /**
   * Of a serial loop inside of a kernel: its iterations are written in blocks that begin where vectors
   * of memory begin, whatever a row that it goes along begins at, so that what it loads is loaded in
   * vectors. They are the same, in the same order.
   */
  readonly aligned?: true;
}

/** Iterations of a grid loop, half-open: `lo <= n < hi`. */
export interface FullTiles {
  readonly lo: number;
  readonly hi: number;
}

/**
 * What part of a reduction a leaf does: `init` sets the accumulator, `update` adds one instance,
 * `finish` projects it and stores the element. Statements without a reduction, and scatters, are
 * `whole`; other reductions have one leaf of each of the three.
 */
export type Phase = "whole" | "init" | "update" | "finish";

export interface Leaf {
  readonly kind: "leaf";
  readonly statement: string;
  readonly phase: Phase;
  /** Every dim of the statement; `init` and `finish` leave out the reduced ones. */
  readonly binding: ReadonlyMap<string, Affine>;
}

export interface Band {
  readonly kind: "band";
  readonly loops: readonly Loop[];
  readonly child: ScheduleNode;
}

export interface Sequence {
  readonly kind: "sequence";
  readonly children: readonly ScheduleNode[];
}

export type ScheduleNode = Sequence | Band | Leaf;

/** What a place holds. */
export type PlaceTarget =
  | { readonly kind: "tensor"; readonly tensor: string }
  /** The running state of a reduction that has init, update and finish leaves. */
  | { readonly kind: "accumulator"; readonly statement: string };

/**
 * Where values live. `storage` is a buffer; `scratch` a slice of a buffer for each workgroup. `lanes`
 * are registers of a subgroup: along the dimension that a lane loop moves through, element `e` of the
 * box is in register `floor(e / lanes)` of lane `e mod lanes`, and other lanes get it by a broadcast.
 * `fragment`, for accumulators only, are registers of a subgroup that its matrix unit works on.
 */
export type Space = "storage" | "scratch" | "workgroup" | "private" | "lanes" | "fragment";

/** How a sum of products is laid on a matrix unit: which dims are its rows, columns and depth. */
export interface FragmentUse {
  readonly unit: MatrixUnit;
  /** Invocations of a subgroup. */
  readonly lanes: number;
  readonly row: string;
  readonly column: string;
  /** A reduced dim. */
  readonly depth: string;
}

/**
 * A place is allocated anew for each iteration of the loop `at` (null: once in the kernel, or once
 * in the plan for storage), lanes once for all iterations of a lane loop, and holds the part of its target that the leaves inside touch. Tensors
 * without a place live whole in storage, accumulators without one in private memory.
 */
export interface Place {
  readonly target: PlaceTarget;
  readonly space: Space;
  readonly at: string | null;
  /**
   * In storage: the tensor has `slots` copies, and what iteration `t` of the program loop writes
   * goes to slot `(t - lower + 1) mod slots`. 1 is in place (and needs no fold), 2 a double buffer,
   * the trip count + 1 a history. The loop body writes the whole tensor in one statement.
   * In workgroup memory: the boxes of successive iterations of `at`, which is `loop`, take turns in
   * `slots` places, so that one iteration may be written while others still read that before.
   */
  readonly fold: { readonly loop: string; readonly slots: number } | null;
  /** Workgroup memory only: elements after each row that hold nothing, against bank conflicts. */
  readonly pad?: number;
  /** Of an accumulator in fragments, and of nothing else. */
  readonly unit?: FragmentUse;
}

export interface Schedule {
  readonly root: ScheduleNode;
  readonly places: readonly Place[];
}

/** A band, or its child when there are no loops. */
export function band(loops: readonly Loop[], child: ScheduleNode): ScheduleNode {
  return loops.length === 0 ? child : { kind: "band", loops, child };
}

/** A sequence, or its only child; sequences inside are opened. */
export function sequence(children: readonly ScheduleNode[]): ScheduleNode {
  const flat = flatMap(children, (c) => (c.kind === "sequence" ? c.children : [c]));
  const [first] = flat;
  return flat.length === 1 && first !== undefined ? first : { kind: "sequence", children: flat };
}

/** True for the levels whose iterations run at the same time in one workgroup. */
export function isLocal(level: Level): boolean {
  return level === "workgroup" || level === "subgroup" || level === "lane";
}

/** True for the levels whose iterations run one after the other in one invocation or on the host. */
export function isSequential(level: Level): boolean {
  return ["host", "serial", "unroll", "vector", "fragment"].includes(level);
}

/** True for a node that becomes one dispatch. */
export function isKernel(node: ScheduleNode): boolean {
  return node.kind === "band" && node.loops[0]?.on === "grid";
}

/** A leaf with the loops around it, outermost first, and its place in the order of leaves. */
export interface LeafContext {
  readonly leaf: Leaf;
  readonly loops: readonly Loop[];
  /** Child numbers from the root: of sequences; a band adds none. */
  readonly path: readonly number[];
  /** For each number in `path`, how many of `loops` are around that sequence. */
  readonly depths: readonly number[];
}

/** All leaves in textual order. */
export const eachLeaf: (node: ScheduleNode) => readonly LeafContext[] = remember((node) => {
  const found: LeafContext[] = [];
  addLeaves(node, { loops: [], path: [], depths: [] }, found);
  return found;
});

function addLeaves(
  node: ScheduleNode,
  around: Omit<LeafContext, "leaf">,
  found: LeafContext[],
): void {
  const { loops, path, depths } = around;
  if (node.kind === "leaf") found.push({ leaf: node, loops, path, depths });
  else if (node.kind === "band") {
    addLeaves(node.child, { loops: [...loops, ...node.loops], path, depths }, found);
  } else {
    for (const [i, child] of node.children.entries()) {
      const inside = { loops, path: [...path, i], depths: [...depths, loops.length] };
      addLeaves(child, inside, found);
    }
  }
}

/** The kernels in the order of their first dispatch, with the host loops around each. */
export function* eachKernel(
  node: ScheduleNode,
  host: readonly Loop[] = [],
): Generator<{ readonly kernel: Band; readonly host: readonly Loop[] }> {
  if (node.kind === "band") {
    if (isKernel(node)) yield { kernel: node, host };
    else yield* eachKernel(node.child, [...host, ...node.loops]);
  } else if (node.kind === "sequence") {
    for (const child of node.children) yield* eachKernel(child, host);
  }
}

/** How many invocations work on one iteration of the local loops around a node: its team. */
export function teamSize(node: ScheduleNode): number {
  switch (node.kind) {
    case "leaf":
      return 1;
    case "sequence":
      return Math.max(1, ...node.children.map(teamSize));
    case "band": {
      const local = node.loops.filter((l) => isLocal(l.on));
      return local.reduce((product, l) => product * Math.max(1, l.extent), teamSize(node.child));
    }
  }
}

/**
 * What each local loop of a kernel contributes to the local index: the product of the local extents
 * after it in its band and of the team of the band's child.
 */
export function localStrides(kernel: ScheduleNode): ReadonlyMap<string, number> {
  const strides = new Map<string, number>();
  const visit = (node: ScheduleNode): void => {
    if (node.kind === "sequence") node.children.forEach(visit);
    if (node.kind !== "band") return;
    let stride = teamSize(node.child);
    for (const loop of [...node.loops].reverse()) {
      if (!isLocal(loop.on)) continue;
      strides.set(loop.id, stride);
      stride *= Math.max(1, loop.extent);
    }
    visit(node.child);
  };
  visit(kernel);
  return strides;
}

/** What a local loop tells of the local index: `floor(index / stride) mod extent`. */
export interface Digit {
  readonly stride: number;
  readonly extent: number;
}

/**
 * The digits of the local index that the local loops among some nested loops are, by loop; null when
 * these are not all digits of a mixed radix number, the last of stride 1. Loops elsewhere with equal
 * digits then have equal values in every invocation.
 */
export function localDigits(
  loops: readonly Loop[],
  strides: ReadonlyMap<string, number>,
): ReadonlyMap<string, Digit> | null {
  const local = loops
    .filter((l) => isLocal(l.on) && l.extent > 1)
    .map((l) => ({ id: l.id, extent: l.extent, stride: strides.get(l.id) ?? 0 }))
    .sort((a, b) => a.stride - b.stride);
  let size = 1;
  for (const { stride, extent } of local) {
    if (stride !== size) return null;
    size *= extent;
  }
  return new Map(local.map(({ id, stride, extent }) => [id, { stride, extent }]));
}

/** The place of a tensor; undefined when it lives whole in storage. */
export function placeOfTensor(schedule: Schedule, tensor: string): Place | undefined {
  return schedule.places.find((p) => p.target.kind === "tensor" && p.target.tensor === tensor);
}

/** How the accumulator of a statement lies in fragments; undefined where it does not. */
export function fragmentUseOf(schedule: Schedule, statement: string): FragmentUse | undefined {
  const of = ({ target }: Place): boolean =>
    target.kind === "accumulator" && target.statement === statement;
  return schedule.places.find(of)?.unit;
}

/** The whole schedule as text, for `--emit schedule` and goldens. */
export function printSchedule(schedule: Schedule): string {
  return `${scheduleLines(schedule)
    .map((line) => line.text)
    .join("\n")}\n`;
}

/** A line of a schedule's text, and the leaf or band that it is of; null for others. */
export interface ScheduleLine {
  readonly text: string;
  readonly of: Leaf | Band | null;
}

/** The lines of {@link printSchedule}. */
export function scheduleLines(schedule: Schedule): readonly ScheduleLine[] {
  const lines: ScheduleLine[] = [];
  const visit = (node: ScheduleNode, indent: string): void => {
    if (node.kind === "leaf") {
      const dims = [...node.binding].map(([d, a]) => `${d} = ${printAffine(a)}`);
      const phase = node.phase === "whole" ? "" : `.${node.phase}`;
      lines.push({ text: `${indent}${node.statement}${phase}(${dims.join(", ")})`, of: node });
    } else if (node.kind === "band") {
      lines.push({ text: `${indent}${node.loops.map(printLoop).join(", ")}`, of: node });
      visit(node.child, `${indent}  `);
    } else {
      lines.push({ text: `${indent}sequence`, of: null });
      for (const child of node.children) visit(child, `${indent}  `);
    }
  };
  visit(schedule.root, "");
  for (const place of schedule.places) lines.push({ text: printPlace(place), of: null });
  return lines;
}

function printLoop({ id, extent, on, bands, full, prefetch, aligned }: Loop): string {
  const marks = [
    bands === undefined ? "" : ` in bands of ${bands}`,
    full === undefined ? "" : `, full tiles in ${full.lo}..${full.hi}`,
    prefetch === undefined ? "" : " prefetching",
    aligned === undefined ? "" : ", aligned",
  ];
  return `${on} ${id} in 0..${extent}${marks.join("")}`;
}

function printPlace({ target, space, at, fold, pad = 0, unit }: Place): string {
  const what = target.kind === "tensor" ? target.tensor : `accumulator of ${target.statement}`;
  const where = at === null ? "" : ` at ${at}`;
  const slots = fold === null ? "" : `, ${fold.slots} slots over ${fold.loop}`;
  const padded = pad === 0 ? "" : `, rows ${pad} longer`;
  const by =
    unit === undefined
      ? ""
      : `, ${matrixUnitName(unit.unit)} over ${unit.row}, ${unit.column}, ${unit.depth}`;
  return `place ${what} in ${space}${where}${slots}${padded}${by}`;
}
