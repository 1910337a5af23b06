/**
 * Kernel IR: what one dispatch does, close to WGSL but typed, closed and executable.
 *
 * ```
 * kernel     := name, arrays, workgroup size, grid, steps, body
 * statement  := declare variable = e        a named value; mutable ones can be assigned
 *             | assign variable = e
 *             | store array[e] = e          width 1, 2 or 4 adjacent elements
 *             | atomic array[e] op= e       indivisible; the array is atomic everywhere in the kernel
 *             | loop variable in 0..extent to e { statement* }     extent a literal, `to e` optional
 *             | if e { statement* } else { statement* }
 *             | barrier(memory)             all invocations of a workgroup must reach it together
 *             | exchange variable = e how   a named value that the lanes of a subgroup give each other
 *             | fragment name = fill | load  a matrix that a subgroup holds together
 *             | multiply name += left right  fragments, by the matrix unit
 *             | store-fragment array[e] = name
 * how         := broadcast of a lane | shuffle by a mask | reduce by an operator
 * e          := literal | variable | builtin | step slot | load array[e] | unary | binary | select
 *             | call | cast | vector(e...) | component(e, n) | pack(e...) | unpack(e, position)
 * ```
 * Index arithmetic is `uint32`, wraps modulo 2³² in between, and is in range where it is used.
 * Expressions are pure; a load has the value that the memory holds where the expression stands.
 * `select` evaluates both sides, so each load in it must be in bounds by itself.
 *
 * A subgroup is a block of `subgroupSize` consecutive invocations; `lane` is the place in it. An
 * exchange is a statement, so that all lanes are known to have computed what they give: like a barrier,
 * it stands where every invocation of the workgroup comes. So do statements about fragments, whose
 * indices all lanes of a subgroup agree about. Fragments have names as variables do, but are no values.
 */
import type { NarrowType, ScalarType } from "../support/scalar-type.ts";
import type { Origin, WithOrigin } from "./origin.ts";

/** Elements that one value holds: a scalar or a short vector. */
export type Width = 1 | 2 | 4;

/** The type of a value in a kernel. */
export interface KernelType {
  readonly scalar: ScalarType;
  readonly width: Width;
}

/** Memory that a kernel addresses by element. */
export interface KernelArray {
  /** Unique in the kernel, a valid identifier in no particular language. */
  readonly id: string;
  readonly scalar: ScalarType;
  readonly space: "storage" | "workgroup" | "private";
  /** Elements; of a view at most as many. */
  readonly length: number;
  /**
   * Of `length`, the first ones that are known to mean something, where there are others: the rest
   * may be padding.
   */
  readonly elements?: number;
  /** The length that it may be declared with instead, with padding: up to a whole vector. */
  readonly room?: number;
  /** For storage: which plan buffer is bound. */
  readonly buffer?: string;
  readonly access: "read" | "read_write";
  /** All accesses are indivisible. */
  readonly atomic: boolean;
  /** For storage: the element width under which the buffer is declared; every wider access has it. */
  readonly width: Width;
  /** The memory of a view: it may end within a vector. */
  readonly view?: true;
}

/** The most elements that an array can be declared with. */
export function roomOf({ length, room }: KernelArray): number {
  return room ?? length;
}

/** The array with its padding, if it has room for any. */
export function withPadding(array: KernelArray): KernelArray {
  const { length, elements = length } = array;
  return roomOf(array) === length ? array : { ...array, length: roomOf(array), elements };
}

/** The array declared under a width that divides its room. */
export function withWidth(array: KernelArray, width: Width): KernelArray {
  const isWhole = width === 1 || array.length % width === 0;
  return { ...(isWhole ? array : withPadding(array)), width };
}

/** Data arithmetic; see language.md for the meaning of division. Comparisons give `bool`. */
export type BinaryOperator =
  | "+"
  | "-"
  | "*"
  /** Floats: division. `uint32` index arithmetic: by a positive literal. */
  | "/"
  /** `uint32` index arithmetic only: by a positive literal. */
  | "%"
  /** Integers: toward minus infinity, 0 when the divisor is 0. */
  | "floorDiv"
  /** Integers: the remainder of `floorDiv`, 0 when the divisor is 0. float32: x - y*floor(x/y). */
  | "floorMod"
  | "min"
  | "max"
  | "<"
  | "<="
  | ">"
  | ">="
  | "=="
  | "!="
  | "and"
  | "or";

export type KernelExpression =
  | { readonly kind: "literal"; readonly value: number; readonly type: KernelType }
  | { readonly kind: "variable"; readonly name: string; readonly type: KernelType }
  | { readonly kind: "builtin"; readonly builtin: Builtin; readonly type: KernelType }
  | { readonly kind: "step"; readonly slot: number; readonly type: KernelType }
  | {
      readonly kind: "load";
      readonly array: string;
      /** In scalar elements, also for wide loads; then a multiple of the width. */
      readonly index: KernelExpression;
      readonly type: KernelType;
      /** The reads that it loads for. */
      readonly origin?: Origin;
    }
  | {
      readonly kind: "unary";
      readonly operator: "negate" | "not";
      readonly operand: KernelExpression;
      readonly type: KernelType;
    }
  | {
      readonly kind: "binary";
      readonly operator: BinaryOperator;
      readonly left: KernelExpression;
      readonly right: KernelExpression;
      readonly type: KernelType;
    }
  | {
      readonly kind: "select";
      readonly condition: KernelExpression;
      readonly whenTrue: KernelExpression;
      readonly whenFalse: KernelExpression;
      readonly type: KernelType;
    }
  | {
      readonly kind: "call";
      /** A builtin function of language.md. */
      readonly function: string;
      readonly arguments: readonly KernelExpression[];
      readonly type: KernelType;
    }
  /** Float to integer: toward zero, saturating. To bool: not equal to 0. */
  | {
      readonly kind: "cast";
      readonly operand: KernelExpression;
      /** The value is made one of this type after that: integers wrap, floats are rounded. */
      readonly narrow?: NarrowType;
      readonly type: KernelType;
    }
  /** One component is repeated over the width; otherwise there are as many as the width. */
  | {
      readonly kind: "vector";
      readonly components: readonly KernelExpression[];
      readonly type: KernelType;
    }
  | {
      readonly kind: "component";
      readonly vector: KernelExpression;
      readonly index: number;
      readonly type: KernelType;
    }
  /** The word of 2 or 4 narrow values, the first in the lowest bits: integers wrap, floats round. */
  | {
      readonly kind: "pack";
      readonly element: NarrowType;
      /** Scalars: float32 for float16, otherwise as the element is computed. */
      readonly parts: readonly KernelExpression[];
      /** `uint32`. */
      readonly type: KernelType;
    }
  /** One of the values of a word, by its position from 0. */
  | {
      readonly kind: "unpack";
      readonly element: NarrowType;
      readonly word: KernelExpression;
      readonly position: KernelExpression;
      readonly type: KernelType;
    };

/**
 * All are `uint32`; `local-index` is the flattened index of the invocation in its workgroup, `lane` that
 * in its subgroup, `subgroup` the number of that in the workgroup.
 */
export type Builtin =
  | "workgroup-x"
  | "workgroup-y"
  | "workgroup-z"
  | "local-index"
  | "lane"
  | "subgroup";

/** A matrix in the registers of a subgroup, by its part in a product: `result += left * right`. */
export interface FragmentType {
  readonly side: "left" | "right" | "result";
  readonly scalar: "float16" | "float32";
  readonly rows: number;
  readonly columns: number;
}

/** Where a matrix begins in an array, and how far apart its rows (or columns) are, in elements. */
export interface FragmentMemory {
  readonly array: string;
  /** The same in all lanes of a subgroup. */
  readonly index: KernelExpression;
  readonly pitch: number;
  /** Elements of a row are neighbours; otherwise those of a column. */
  readonly byRows: boolean;
}

type FragmentPart =
  /** Declares a fragment; one of all elements alike, or from memory. Results can be added to. */
  | {
      readonly kind: "fragment";
      readonly name: string;
      readonly type: FragmentType;
      readonly from:
        | { readonly kind: "fill"; readonly value: number }
        | ({ readonly kind: "load" } & FragmentMemory);
    }
  /** Adds the product of two fragments to a third. */
  | {
      readonly kind: "multiply";
      readonly name: string;
      readonly left: string;
      readonly right: string;
    }
  | ({ readonly kind: "store-fragment"; readonly name: string } & FragmentMemory);

export type FragmentStatement = FragmentPart & WithOrigin;

/** What each lane of a subgroup gets of the values that its lanes have. */
export type Exchange =
  /** That of one lane: a `uint32` below their number, the same in all lanes. */
  | { readonly kind: "broadcast"; readonly lane: KernelExpression }
  /** That of the lane whose number differs from its own in the bits of the mask. */
  | { readonly kind: "shuffle"; readonly mask: number }
  /** All values combined, in any order. */
  | { readonly kind: "reduce"; readonly operator: "+" | "*" | "min" | "max" | "and" | "or" };

/**
 * Each with what of the program it comes from. Loads in expressions have origins of their own; conditions
 * and barriers have none, nor has what names index arithmetic.
 */
export type KernelStatement = FragmentStatement | (PlainStatement & WithOrigin);

type PlainStatement =
  | {
      readonly kind: "declare";
      readonly name: string;
      readonly type: KernelType;
      readonly value: KernelExpression;
      readonly mutable: boolean;
    }
  | { readonly kind: "assign"; readonly name: string; readonly value: KernelExpression }
  | {
      readonly kind: "store";
      readonly array: string;
      readonly index: KernelExpression;
      readonly value: KernelExpression;
    }
  | {
      readonly kind: "atomic";
      readonly operator: "+" | "*" | "min" | "max" | "and" | "or";
      readonly array: string;
      readonly index: KernelExpression;
      readonly value: KernelExpression;
    }
  | {
      readonly kind: "loop";
      /** `uint32`, from 0. */
      readonly variable: string;
      readonly extent: number;
      /**
       * Iterations from this one on, a `uint32`, are not made. Index arithmetic of builtins, steps and
       * immutable variables, the same for all invocations of a workgroup.
       */
      readonly end?: KernelExpression;
      /** A wish that was not looked at yet: in blocks that begin where vectors of memory do. */
      readonly aligned?: true;
      readonly body: readonly KernelStatement[];
    }
  | {
      readonly kind: "if";
      readonly condition: KernelExpression;
      readonly then: readonly KernelStatement[];
      readonly else: readonly KernelStatement[];
    }
  | { readonly kind: "barrier"; readonly memory: "workgroup" | "storage" | "both" }
  | {
      readonly kind: "exchange";
      readonly name: string;
      readonly type: KernelType;
      readonly value: KernelExpression;
      readonly how: Exchange;
    };

export interface Kernel {
  readonly name: string;
  readonly arrays: readonly KernelArray[];
  /** Invocations per workgroup, one-dimensional. */
  readonly workgroupSize: number;
  /** Lanes of its subgroups, on which the kernel depends; absent where it does not. */
  readonly subgroupSize?: number;
  /** True where the device has subgroups of several sizes, of which the kernel asks for that one. */
  readonly asksForSize?: true;
  /** Workgroups per dimension. */
  readonly grid: readonly [number, number, number];
  /** The Repeat variable that each step slot reads. */
  readonly steps: readonly string[];
  /**
   * Of the loops that builtins and step slots number, by builtin and by Repeat variable, and of those that
   * variables number which are computed from several builtins, by variable.
   */
  readonly numbered?: Readonly<Record<string, Origin>>;
  readonly body: readonly KernelStatement[];
}
