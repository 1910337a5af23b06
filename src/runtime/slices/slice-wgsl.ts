/**
 * The text of a kernel of which a dispatch executes some workgroups, those from a number on:
 *
 * ```
 * number = tc_first + the workgroup's place in the dispatch       x runs fastest, then y, then z
 * ```
 * Workgroups of a dispatch share no order, so those of several dispatches, one after the other, do the same. What the
 * kernel knows of its grid is literal in its text; only where it is in the grid comes from WebGPU.
 */
import type { PlanKernel } from "../../codegen/plan.ts";
import { RuntimeFault } from "../runtime-fault.ts";

const workgroup = "@builtin(workgroup_id) workgroup_id: vec3<u32>";

/** The parameters that an entry point may have: a printer that gives it others changes this, too. */
const parameters: readonly string[] = [
  workgroup,
  "@builtin(local_invocation_index) local_index: u32",
  "@builtin(subgroup_invocation_id) subgroup_invocation_id: u32",
  "@builtin(subgroup_id) subgroup_id: u32",
];

/** What the text gets besides: it must not have it before. */
const added = /@group\(1\)|\btc_(?:first|slice|number)\b/;

/**
 * The text with the number of the first workgroup as the uniform 0 of group 1; a dispatch of it has its workgroups along x.
 * @throws RuntimeFault `unsupported` for a text whose entry point is none of those that the compiler prints.
 */
export function sliceWgsl({ kernel, wgsl, entryPoint }: PlanKernel): string {
  const lines = wgsl.split("\n");
  const at = lines.findIndex((line) => line.startsWith(`fn ${entryPoint}(`));
  const head = lines[at] ?? "";
  const list = /\((.*)\) \{$/.exec(head)?.[1];
  const given = list === undefined || list === "" ? [] : list.split(", ");
  const isKnown =
    list !== undefined &&
    lines[at - 1]?.startsWith("@compute @workgroup_size(") === true &&
    given.every((one) => parameters.includes(one)) &&
    wgsl.split("@builtin(").length === given.length + 1 &&
    wgsl.split("@compute").length === 2 &&
    !added.test(wgsl);
  if (!isKnown) {
    throw new RuntimeFault(
      "unsupported",
      `kernel "${kernel.name}" cannot be launched in slices: its entry point "${entryPoint}" is none that this compiler prints`,
    );
  }
  const [x, y] = kernel.grid;
  // Without its number all workgroups do the same.
  const number = [
    "  let tc_number = tc_first + tc_slice.x;",
    `  let workgroup_id = vec3<u32>(tc_number % ${x}u, tc_number / ${x}u % ${y}u, tc_number / ${x * y}u);`,
  ];
  return [
    ...lines.slice(0, at - 1),
    "@group(1) @binding(0) var<uniform> tc_first: u32;",
    ...lines.slice(at - 1, at),
    head.replace(workgroup, workgroup.replace("workgroup_id:", "tc_slice:")),
    ...(given.includes(workgroup) ? number : []),
    ...lines.slice(at + 1),
  ].join("\n");
}
