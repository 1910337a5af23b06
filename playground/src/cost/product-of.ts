import type { Compiled } from "../../../src/index.ts";

/** A matrix product of float32 in a program: result(row, column) += left(row, depth) * right(depth, column). */
export interface Product {
  /** The tensor that it makes. */
  readonly name: string;
  /** Whether the program is this product and nothing else. */
  readonly isAll: boolean;
  readonly rows: number;
  readonly columns: number;
  readonly depth: number;
  /** Whether each tensor has the indices in the order above; otherwise it lies the other way round. */
  readonly isStraight: {
    readonly left: boolean;
    readonly right: boolean;
    readonly result: boolean;
  };
}

type Program = Compiled["program"];
type Statement = Program["statements"][number];
type Access = Pick<Statement["reads"][number], "tensor" | "index">;

/** The greatest matrix product among the statements of a program; null where there is none. */
export function productOf(program: Program): Product | null {
  const found = program.statements.flatMap((s) => productOfStatement(program, s) ?? []);
  const volume = ({ rows, columns, depth }: Product): number => rows * columns * depth;
  return found.reduce<Product | null>(
    (most, one) => (most === null || volume(one) > volume(most) ? one : most),
    null,
  );
}

function productOfStatement(program: Program, s: Statement): Product | null {
  const extents = extentsOf(s);
  const [left, right] = factorsOf(s);
  const [depth, more] = s.reduction?.dims ?? [];
  if (extents === null || extents.size !== 3 || !left || !right) return null;
  if (depth === undefined || more !== undefined || !isSum(s)) return null;
  const [ofLeft, ofRight, ofResult] = [left, right, s.write].map((access) =>
    matrixIndices(program, access, extents),
  );
  const row = ofLeft?.find((name) => name !== depth);
  const column = ofRight?.find((name) => name !== depth);
  if (!ofLeft || !ofRight || !ofResult || !row || !column || row === column) return null;
  const isOf = (own: readonly string[], one: string, other: string): boolean =>
    own.includes(one) && own.includes(other);
  if (!isOf(ofLeft, row, depth) || !isOf(ofRight, depth, column) || !isOf(ofResult, row, column)) {
    return null;
  }
  const extent = (name: string): number => extents.get(name) ?? 0;
  return {
    ...{ name: s.write.tensor, isAll: program.statements.length === 1 },
    ...{ rows: extent(row), columns: extent(column), depth: extent(depth) },
    isStraight: {
      left: ofLeft[0] === row,
      right: ofRight[0] === depth,
      result: ofResult[0] === row,
    },
  };
}

/** The extents of dims that count from 0; null where a dim, or what is computed of all, depends on others. */
function extentsOf({ loops, domain }: Statement): ReadonlyMap<string, number> | null {
  if (loops.length > 0 || domain.guards.length > 0 || domain.quotients.length > 0) return null;
  const isPlain = domain.dims.every(
    ({ lower, upper }) =>
      lower.terms.length === 0 && lower.constant === 0 && upper.terms.length === 0,
  );
  return isPlain ? new Map(domain.dims.map(({ name, upper }) => [name, upper.constant])) : null;
}

/** The two reads that are multiplied; none where it is anything else. */
function factorsOf({ body, reads }: Statement): readonly (Access | null)[] {
  const [product, more] = body;
  if (more !== undefined || product?.kind !== "binary" || product.operator !== "*") return [];
  return [product.left, product.right].map((side) => {
    const read = side.kind === "read" ? reads[side.read] : undefined;
    return read !== undefined && read.guard.length === 0 ? read : null;
  });
}

/** Whether it is a sum that starts from 0. */
function isSum({ reduction }: Statement): boolean {
  if (reduction === null || !reduction.projected) return false;
  const { monoid, init } = reduction;
  const [start, more] = init ?? [];
  const isZero = start === undefined || (start.kind === "literal" && start.value === 0);
  const [sum, others] = monoid.combine;
  const isPlus = sum?.kind === "binary" && sum.operator === "+" && others === undefined;
  return isPlus && isZero && more === undefined;
}

/** The dims that index a whole matrix of float32, each by itself; null for any other tensor or access. */
function matrixIndices(
  { tensors }: Program,
  { tensor, index }: Access,
  extents: ReadonlyMap<string, number>,
): readonly string[] | null {
  const declared = tensors.find(({ name }) => name === tensor);
  const isFloats = declared?.components.join() === "float32" && declared.stored === undefined;
  if (declared === undefined || !isFloats || declared.layout !== undefined) return null;
  const names = index.flatMap((one, d) => {
    if (one.kind !== "affine" || one.affine.constant !== 0) return [];
    const [term, more] = one.affine.terms;
    if (term === undefined || more !== undefined || term.coefficient !== 1) return [];
    return declared.shape[d] === extents.get(term.variable) ? [term.variable] : [];
  });
  const isMatrix = index.length === 2 && names.length === 2 && names[0] !== names[1];
  return isMatrix ? names : null;
}
