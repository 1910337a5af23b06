import { type Choices, isRecord } from "../../../src/support/mapping-file.ts";

/** Kernels of which a summary tells; more are counted. */
const mostKernels = 4;

/**
 * The choices of a mapping that say most of how its kernels work, a line for each kernel: `C: workgroup 8 × 16, points
 * 4 × 4, copies C.read0`. `options` is the JSON of all of them; a text that is none has no lines.
 */
export function choicesSummary(options: string): readonly string[] {
  const kernels = Object.entries(kernelsOf(options));
  const lines = kernels
    .slice(0, mostKernels)
    .map(([name, kernel]) => `${name}: ${isRecord(kernel) ? kernelText(kernel as Choices) : ""}`);
  const more = kernels.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}

function kernelsOf(options: string): Readonly<Record<string, unknown>> {
  try {
    const mapping: unknown = JSON.parse(options);
    return isRecord(mapping) && isRecord(mapping["kernels"]) ? mapping["kernels"] : {};
  } catch {
    return {};
  }
}

function kernelText({ axes, reduced, operands, team, unit, unroll }: Choices): string {
  const along = (field: string): readonly string[] => {
    const values = list(axes).map((axis) => (isRecord(axis) ? Number(axis[field] ?? 1) : 1));
    return values.every((value) => value === 1) ? [] : [`${field} ${values.join(" × ")}`];
  };
  const tiles = list(reduced).flatMap((sizes) => list(sizes));
  const copied = Object.entries(isRecord(operands) ? operands : {}).flatMap(([read, operand]) =>
    isRecord(operand) && operand["stage"] === "workgroup" ? [read] : [],
  );
  const parts = [
    ...(typeof unit === "string" && unit !== "none" ? [`unit ${unit}`] : []),
    ...along("workgroup"),
    ...along("points"),
    ...(Number(team ?? 1) > 1 ? [`team of ${String(team)}`] : []),
    ...(tiles.length === 0 ? [] : [`tiles ${tiles.join(", ")}`]),
    ...(unroll === undefined || unroll === 1 ? [] : [`unroll ${String(unroll)}`]),
    ...(copied.length === 0 ? [] : [`copies ${copied.join(", ")}`]),
  ];
  return parts.length === 0 ? "one invocation for each element" : parts.join(", ");
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
