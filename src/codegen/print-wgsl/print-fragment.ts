/**
 * WGSL text of matrices that subgroups hold: the types and functions that
 * `chromium_experimental_subgroup_matrix` enables. WGSL names columns before rows.
 */
import { assertNever } from "../../support/assert.ts";
import type { FragmentMemory, FragmentStatement, FragmentType } from "../kernel.ts";
import { type PrintContext, printWgslExpression } from "./print-expression.ts";
import { scalarLiteral, wgslType } from "./wgsl-literals.ts";

function typeText({ side, scalar, rows, columns }: FragmentType): string {
  return `subgroup_matrix_${side}<${wgslType(scalar, 1)}, ${columns}, ${rows}>`;
}

function order({ byRows }: FragmentMemory): string {
  return byRows ? "row_major" : "col_major";
}

/** The array and where the matrix begins in it. */
function place({ array, index }: FragmentMemory, context: PrintContext): string {
  return `&${context.names.of("array", array)}, ${printWgslExpression(index, context)}`;
}

function printFragment(
  { name, type, from }: FragmentStatement & { kind: "fragment" },
  context: PrintContext,
): string {
  const text = typeText(type);
  const keyword = type.side === "result" ? "var" : "let";
  const value =
    from.kind === "fill"
      ? `${text}(${from.value === 0 ? "" : scalarLiteral(from.value, type.scalar)})`
      : `subgroupMatrixLoad<${text}, ${order(from)}>(${place(from, context)}, ${from.pitch}u)`;
  return `${keyword} ${context.names.of("variable", name)} = ${value};`;
}

/** One line: a statement about fragments. */
export function printFragmentStatement(s: FragmentStatement, context: PrintContext): string {
  const nameOf = (name: string): string => context.names.of("variable", name);
  switch (s.kind) {
    case "fragment":
      return printFragment(s, context);
    case "multiply": {
      const [sum, left, right] = [s.name, s.left, s.right].map(nameOf);
      return `${sum} = subgroupMatrixMultiplyAccumulate(${left}, ${right}, ${sum});`;
    }
    case "store-fragment": {
      const at = place(s, context);
      return `subgroupMatrixStore<${order(s)}>(${at}, ${nameOf(s.name)}, ${s.pitch}u);`;
    }
    default:
      return assertNever(s);
  }
}
