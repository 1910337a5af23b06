import { diagnose, type Report } from "../../diagnostics/diagnostic.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { BoundParameter, SizeBinding, Typed, TypedInlined } from "../names/typed.ts";
import { evaluateSize, solveDimensions, type ToldDimension } from "../size-expression.ts";
import { printExpression } from "../syntax/print-ast.ts";

/** What is known where a call stands. */
export interface BindingScope {
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  /** Tensors that may be read here. */
  readonly readable: ReadonlySet<string>;
  /** Tensors that a mistake affects. */
  readonly tainted: ReadonlySet<string>;
  /** The value of an expression that is the same for all iterations. */
  readonly constantOf: (e: Typed) => number | undefined;
  readonly report: Report;
}

/** A tensor that is passed; without extents where it has no shape. */
interface Passed {
  readonly parameter: BoundParameter;
  readonly extents: readonly number[] | undefined;
}

/** The sizes of an inlined definition by their names here, and the shapes that it declares. */
export interface BoundSizes {
  readonly sizes: ReadonlyMap<string, number>;
  readonly shapes: ReadonlyMap<string, readonly number[]>;
}

/**
 * Finds the sizes of an inlined definition: a dimension that is a name alone, or linear in one, is
 * that of the tensor that is passed; then all declared dimensions are compared with what is passed. Undefined after a
 * mistake, and where a tensor has no shape (yet).
 */
export function bindSizes(node: TypedInlined, scope: BindingScope): BoundSizes | undefined {
  const { binding } = node;
  if (!binding.parameters.every((p) => isReadable(p, scope))) return undefined;
  const passed = binding.parameters.map((parameter) => ({
    parameter,
    extents: extentsOf(parameter, scope),
  }));
  if (passed.some(({ extents }) => extents === undefined)) return undefined;
  const values = solve(binding, passed, scope);
  const agree = passed.map(({ parameter, extents = [] }) =>
    checkExtents(parameter, extents, values, scope.report),
  );
  if (agree.includes(false)) return undefined;
  const sizes = new Map<string, number>();
  for (const [name, here] of binding.sizes) {
    const value = values.get(name);
    if (value === undefined) {
      const data = { callee: binding.callee, size: name };
      scope.report(diagnose("TC2028", data, node.node.callee.span));
      return undefined;
    }
    sizes.set(here, value);
  }
  return declaredShapes(binding, sizes, values, scope.report);
}

/** The values that the arguments tell, by the names of the definition. */
function solve(
  binding: SizeBinding,
  passed: readonly Passed[],
  scope: BindingScope,
): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const [name, value] of binding.values) {
    const known = scope.constantOf(value);
    if (known !== undefined) values.set(name, known);
  }
  const told = flatMap(passed, ({ parameter, extents = [] }) =>
    flatMap(parameter.dimensions ?? [], (dimension, d): readonly ToldDimension[] => {
      const extent = extents[d];
      return extent === undefined ? [] : [{ dimension, extent }];
    }),
  );
  solveDimensions(told, values);
  return values;
}

function isReadable({ view }: BoundParameter, scope: BindingScope): boolean {
  if (scope.tainted.has(view.tensor)) return false;
  const readable = scope.readable.has(view.tensor);
  if (!readable) scope.report(diagnose("TC3008", { tensor: view.tensor, own: false }, view.span));
  return readable;
}

/** The extents of the dimensions that a view leaves open. */
function extentsOf(
  { view }: BoundParameter,
  { shapes, report }: BindingScope,
): readonly number[] | undefined {
  const shape = shapes.get(view.tensor);
  if (shape === undefined) report(diagnose("TC3012", { tensor: view.tensor }, view.span));
  return shape?.slice(view.leading.length);
}

/** Compares the extents of what is passed with the declared ones. */
function checkExtents(
  { name, dimensions = [], view }: BoundParameter,
  extents: readonly number[],
  values: ReadonlyMap<string, number>,
  report: Report,
): boolean {
  let agree = true;
  for (const [d, dimension] of dimensions.entries()) {
    const expected = evaluateSize(dimension, values);
    const found = extents[d];
    if (expected === undefined || found === undefined || expected === found) continue;
    agree = false;
    const data = {
      name,
      dimension: d,
      text: printExpression(dimension),
      first: expected,
      second: found,
    };
    const labels = [{ span: dimension.span, text: "declared here" }];
    report(diagnose("TC2014", data, view.span, { labels }));
  }
  return agree;
}

function declaredShapes(
  binding: SizeBinding,
  sizes: ReadonlyMap<string, number>,
  values: ReadonlyMap<string, number>,
  report: Report,
): BoundSizes | undefined {
  const shapes = new Map<string, readonly number[]>();
  for (const { tensor, dimensions } of binding.shapes) {
    const shape: number[] = [];
    for (const dimension of dimensions) {
      const value = evaluateSize(dimension, values);
      if (value === undefined) {
        const data = { callee: binding.callee, size: printExpression(dimension) };
        report(diagnose("TC2028", data, dimension.span));
        return undefined;
      }
      if (value <= 0) {
        report(diagnose("TC2013", { name: printExpression(dimension), value }, dimension.span));
        return undefined;
      }
      shape.push(value);
    }
    shapes.set(tensor, shape);
  }
  return { sizes, shapes };
}
