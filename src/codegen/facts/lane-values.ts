/**
 * Values of index expressions for all invocations of a workgroup at once, without any data: what the
 * builtins, loops and steps decide is exact, what memory decides is unknown.
 */
import { remember } from "../../support/remember.ts";
import type { Kernel, KernelExpression } from "../kernel.ts";
import { type Binary, binarySemantics, castSemantics } from "../scalar-semantics.ts";

/** One number for all lanes, one for each, or null where data decide. */
export type Lanes = number | Float64Array | null;

/** What expressions are evaluated against. */
export interface LaneScope {
  readonly kernel: Pick<Kernel, "workgroupSize" | "subgroupSize">;
  readonly variables: Map<string, Lanes>;
  readonly group: readonly [number, number, number];
  /** By slot; null for offsets of views, which only the caller knows. */
  readonly steps: readonly (number | null)[];
}

const localIndices: (kernel: LaneScope["kernel"]) => Float64Array = remember(({ workgroupSize }) =>
  Float64Array.from({ length: workgroupSize }, (_, n) => n),
);

function mapLanes(a: Lanes, apply: (x: number) => number): Lanes {
  if (a === null) return null;
  return typeof a === "number" ? apply(a) : a.map(apply);
}

function zipLanes(a: Lanes, b: Lanes, apply: Binary): Lanes {
  if (a === null || b === null) return null;
  if (typeof a === "number") return mapLanes(b, (y) => apply(a, y));
  if (typeof b === "number") return mapLanes(a, (x) => apply(x, b));
  return a.map((x, n) => apply(x, b[n] as number));
}

function builtinLanes(e: KernelExpression & { kind: "builtin" }, scope: LaneScope): Lanes {
  const { workgroupSize, subgroupSize = workgroupSize } = scope.kernel;
  switch (e.builtin) {
    case "local-index":
      return localIndices(scope.kernel);
    case "lane":
      return mapLanes(localIndices(scope.kernel), (n) => n % subgroupSize);
    case "subgroup":
      return mapLanes(localIndices(scope.kernel), (n) => Math.floor(n / subgroupSize));
    case "workgroup-x":
      return scope.group[0];
    case "workgroup-y":
      return scope.group[1];
    case "workgroup-z":
      return scope.group[2];
  }
}

/** `and` and `or` may be known although a side is not. */
function shortCircuit(operator: "and" | "or", a: Lanes, b: Lanes): Lanes {
  const deciding = operator === "or" ? 1 : 0;
  if (a === deciding || b === deciding) return deciding;
  const known = binarySemantics(operator, "bool");
  return known === undefined ? null : zipLanes(a, b, known);
}

function binaryLanes(e: KernelExpression & { kind: "binary" }, scope: LaneScope): Lanes {
  const a = lanesOf(e.left, scope);
  const b = lanesOf(e.right, scope);
  if (e.operator === "and" || e.operator === "or") return shortCircuit(e.operator, a, b);
  const apply = binarySemantics(e.operator, e.left.type.scalar);
  return apply === undefined ? null : zipLanes(a, b, apply);
}

function selectLanes(e: KernelExpression & { kind: "select" }, scope: LaneScope): Lanes {
  const condition = lanesOf(e.condition, scope);
  if (condition === null) return null;
  if (typeof condition === "number") {
    return lanesOf(condition !== 0 ? e.whenTrue : e.whenFalse, scope);
  }
  const yes = lanesOf(e.whenTrue, scope);
  const no = lanesOf(e.whenFalse, scope);
  if (yes === null || no === null) return null;
  const at = (side: number | Float64Array, n: number): number =>
    typeof side === "number" ? side : (side[n] as number);
  return condition.map((c, n) => (c !== 0 ? at(yes, n) : at(no, n)));
}

/** The value of a scalar expression that is no float: floats never choose an address by themselves. */
export function lanesOf(e: KernelExpression, scope: LaneScope): Lanes {
  const { scalar, width } = e.type;
  if (width !== 1 || scalar === "float32" || scalar === "float16") return null;
  switch (e.kind) {
    case "literal":
      return castSemantics(scalar, scalar)(e.value);
    case "variable":
      return scope.variables.get(e.name) ?? null;
    case "builtin":
      return builtinLanes(e, scope);
    case "step":
      return scope.steps[e.slot] ?? null;
    case "binary":
      return binaryLanes(e, scope);
    case "select":
      return selectLanes(e, scope);
    case "cast":
      return mapLanes(
        lanesOf(e.operand, scope),
        castSemantics(e.operand.type.scalar, scalar, e.narrow),
      );
    case "unary":
      return e.operator === "not" ? mapLanes(lanesOf(e.operand, scope), (x) => 1 - x) : null;
    case "load":
    case "call":
    case "vector":
    case "component":
    case "pack":
    case "unpack":
      return null;
  }
}
