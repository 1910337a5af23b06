/** What lowering knows at one point of a kernel. */
import { type Affine, type Constraint, substitute } from "../../ir/affine.ts";
import type { FragmentProduct } from "../../ir/fragment-product.ts";
import type { AccumulatorLayout, Layout } from "../../ir/layout.ts";
import type { TeamReduction } from "../../ir/legality/team-reduction.ts";
import type { Program, Statement, Tensor } from "../../ir/program.ts";
import type { FragmentUse, Leaf, Schedule } from "../../ir/schedule.ts";
import type { ScalarType } from "../../support/scalar-type.ts";
import type { KernelArray, KernelExpression, Width } from "../kernel.ts";
import type { Origin } from "../origin.ts";
import type { Block } from "./block.ts";
import type { OrderedUpdates } from "./ordered-updates.ts";
import type { SharedMemory } from "./shared-memories.ts";
import type { IndexVariable } from "./variables.ts";

/** A reduction in fragments, with the fragments that have names so far. */
export interface FragmentState {
  readonly use: FragmentUse;
  readonly product: FragmentProduct;
  /** Of a workgroup. */
  readonly subgroups: number;
  /** Over the rows and the columns of results that are stored. */
  readonly loops: { readonly row: string; readonly column: string };
  /** What the lanes do with each result that they store. */
  readonly epilogue: readonly Leaf[];
  /** Of results, by what is added to. */
  readonly results: Map<string, string>;
  /** Of what is multiplied, in the block that loads it, by where it lies. */
  readonly factors: Map<Block, Map<string, string>>;
}

/** A bound of a statement's domain, and whether a leaf may run beyond it. */
export interface LeafCheck {
  readonly bound: Constraint;
  readonly dropped: boolean;
}

/** Facts about the kernel as a whole, and the arrays that it turns out to use. */
export interface KernelContext {
  readonly program: Program;
  readonly schedule: Schedule;
  readonly layouts: ReadonlyMap<string, Layout>;
  readonly accumulators: ReadonlyMap<string, AccumulatorLayout>;
  /** By statement, where its states come in order. */
  readonly ordered: ReadonlyMap<string, OrderedUpdates>;
  /** Tensors that some leaf of the kernel writes. */
  readonly written: ReadonlySet<string>;
  /** Reads that meet no write even outside of the domain: see separated-reads.ts. */
  readonly separated: ReadonlySet<string>;
  /** Tensors that are updated indivisibly. */
  readonly atomic: ReadonlySet<string>;
  /** To compare floats and select one is cheaper here than the functions that give the extreme one. */
  readonly selectsExtremes: boolean;
  /** The most bytes of a buffer that a kernel can bind. */
  readonly bindable: number;
  /** The lanes of a subgroup, if something is spread over them or combined within them. */
  readonly lanes: number | null;
  /** What the kernel does in fragments; null where it has none. */
  readonly fragments: FragmentState | null;
  /** By statement: the reductions that invocations of a team have parts of. */
  readonly teams: ReadonlyMap<string, TeamReduction>;
  /** Invocations per workgroup. */
  readonly workgroupSize: number;
  /** By array of registers that are spread over lanes: how often it was stored into. */
  readonly versions: Map<string, number>;
  /** Over the grid loops: the number of the workgroup. */
  readonly workgroup: Affine;
  readonly workgroups: number;
  readonly arrays: Map<string, KernelArray>;
  /** By tensor, the memory that it shares with other tensors of the caller. */
  readonly memories: ReadonlyMap<string, SharedMemory>;
  /** By phase and statement: what a leaf has to check, as far as its loops do not tell. */
  readonly checks: Map<string, readonly LeafCheck[]>;
  /** Where loops come from, by id. */
  readonly loops: ReadonlyMap<string, Origin>;
  /** What each step slot reads; lowering adds the offsets of views. */
  readonly steps: string[];
  /** Index variables by name; lowering adds quotients, slots and offsets. */
  readonly variables: Map<string, IndexVariable>;
}

/** The surroundings of one leaf instance. */
export interface Scope {
  readonly context: KernelContext;
  readonly statement: Statement;
  readonly block: Block;
  /** Loops around the leaf, as affine functions of index variables. */
  readonly loops: ReadonlyMap<string, Affine>;
  /** Dims and quotients of the statement, as affine functions of index variables. */
  readonly dims: ReadonlyMap<string, Affine>;
  /** All constraints of the domain hold here, so that unguarded reads are in bounds. */
  readonly exact: boolean;
  /** The vector loop around the leaf, whose iterations are components. */
  readonly lane: { readonly variable: string; readonly width: Width } | null;
  /** The two states in a monoid's expressions. */
  readonly state: {
    readonly left: readonly KernelExpression[];
    readonly right: readonly KernelExpression[];
  } | null;
}

/** The identifier of a component of a tensor, in plans and kernels alike; words are together. */
export function arrayName({ name, components, unpacked }: Tensor, component: number): string {
  return components.length === 1 || unpacked !== undefined ? name : `${name}.${component}`;
}

/** The identifiers of all arrays of a tensor. */
export function arrayNames(tensor: Tensor): readonly string[] {
  return [...new Set(tensor.components.map((_, c) => arrayName(tensor, c)))];
}

/** Registers an array of the kernel, which `make` gives, when it is used for the first time. */
export function useArray(context: KernelContext, id: string, make: () => KernelArray): string {
  if (!context.arrays.has(id)) context.arrays.set(id, make());
  return id;
}

/** A private or workgroup array, or a slice of scratch storage. */
export function boxArray(
  id: string,
  scalar: ScalarType,
  space: Extract<Layout, { kind: "box" }>["space"],
  elements: number,
  workgroups: number,
): KernelArray {
  const common = { id, scalar, access: "read_write" as const, atomic: false, width: 1 as const };
  if (space === "scratch") {
    return { ...common, space: "storage", length: elements * workgroups, buffer: id };
  }
  return { ...common, space: space === "lanes" ? "private" : space, length: elements };
}

/** True for a tensor in registers, of each invocation or spread over those of a subgroup. */
export function isInRegisters(layout: Layout | undefined): boolean {
  return layout?.kind === "box" && (layout.space === "private" || layout.space === "lanes");
}

/** A function of the statement's dims and quotients, as one of index variables. */
export function ofDims(scope: Scope, a: Affine): Affine {
  return substitute(a, (name) => scope.dims.get(name));
}

/** A function of loops, as one of index variables; a loop may have the name of a dim. */
export function ofLoops(scope: Scope, a: Affine): Affine {
  return substitute(a, (name) => scope.loops.get(name));
}
