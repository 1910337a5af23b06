/**
 * Kernel IR to WGSL.
 *
 * Purpose: the text of one kernel, in the form that Tint compiles without index clamps and loop
 *   guards, because it can prove the ranges: literal loop bounds with step 1, index arithmetic with
 *   `+ * / % min` on the local index and on workgroup numbers below their literal counts, arrays of
 *   literal lengths but for views, everything inline in the entry point but functions on values.
 * Requires: a kernel that `verifyKernel` accepts.
 * Ensures: binding `n` of group 0 is the kernel's `n`th storage array; with `table` the step slots
 *   follow as uniforms. Equal kernels give equal texts. All names in the text are safe.
 */

import { defined } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { Builtin, Kernel, KernelArray, KernelExpression } from "../kernel.ts";
import type { PlanKernel } from "../plan.ts";
import {
  isFragmentStatement,
  someKernelExpression,
  statementExpressions,
  statementsOf,
} from "../walk-kernel.ts";
import { type Polyfill, polyfillName, polyfillTexts } from "./polyfills.ts";
import { builtinName, type PrintContext, stepName } from "./print-expression.ts";
import { type PrintedLine, printWgslStatements } from "./print-statement.ts";
import { wgslType } from "./wgsl-literals.ts";
import { type WgslNames, wgslNames } from "./wgsl-names.ts";

/** The text of a kernel, and what is needed to run it. */
export type PrintedKernel = Pick<PlanKernel, "wgsl" | "entryPoint" | "bindings">;

/** The lines of a kernel's text, with what each is of. */
export interface PrintedLines {
  readonly entryPoint: string;
  /** Those of the frame around the statements are of a builtin, or of nothing. */
  readonly lines: readonly (PrintedLine | FrameLine)[];
  readonly names: WgslNames;
}

interface FrameLine {
  readonly text: string;
  readonly of: Builtin | null;
}

/** The element type of an array in memory: bools are words, atomic floats their bits. */
function elementType(array: KernelArray): string {
  if (array.atomic) return `atomic<${array.scalar === "int32" ? "i32" : "u32"}>`;
  return wgslType(array.scalar === "bool" ? "uint32" : array.scalar, array.width);
}

function printSteps(kernel: Kernel, context: PrintContext, bindings: number): readonly string[] {
  const { stepIndices } = context;
  if (kernel.steps.length === 0) return [];
  if (stepIndices === "table") {
    return kernel.steps.map((_, slot) => {
      const name = stepName(stepIndices, slot);
      return `@group(0) @binding(${bindings + slot}) var<uniform> ${name}: u32;`;
    });
  }
  const members = kernel.steps.map((_, slot) => `s${slot}: u32`).join(", ");
  return [`struct TcSteps { ${members} }`, "var<immediate> tc_steps: TcSteps;"];
}

function printGlobals(kernel: Kernel, context: PrintContext): readonly string[] {
  const storage = kernel.arrays.filter((array) => array.space === "storage");
  const shared = kernel.arrays.filter((array) => array.space === "workgroup");
  const name = (array: KernelArray): string => context.names.of("array", array.id);
  return [
    ...storage.map(
      (array, n) =>
        `@group(0) @binding(${n}) var<storage, ${array.access}> ${name(array)}: ${arrayType(array)};`,
    ),
    ...printSteps(kernel, context, storage.length),
    ...shared.map((array) => `var<workgroup> ${name(array)}: ${arrayType(array)};`),
  ];
}

/** WGSL has no arrays without elements; a buffer is never smaller than a word. */
function arrayType(array: KernelArray): string {
  // What is bound of a view may be shorter.
  if (array.view === true) return `array<${elementType(array)}>`;
  return `array<${elementType(array)}, ${Math.max(1, array.length / array.width)}>`;
}

/** The numbers of the workgroup and of the lane, in ranges that Tint knows. */
function printBuiltins(
  words: ReadonlySet<string>,
  { grid, subgroupSize = 1, workgroupSize }: Kernel,
): readonly FrameLine[] {
  const subgroups = Math.ceil(workgroupSize / subgroupSize);
  const values = [
    // Where it is 0 always, only drivers that shall not know that are told of it.
    { of: "workgroup-x", id: "workgroup_id.x", extent: Math.max(2, grid[0]) },
    { of: "workgroup-y", id: "workgroup_id.y", extent: grid[1] },
    { of: "workgroup-z", id: "workgroup_id.z", extent: grid[2] },
    { of: "lane", id: "subgroup_invocation_id", extent: subgroupSize },
    { of: "subgroup", id: "subgroup_id", extent: subgroups },
  ] as const;
  return flatMap(values, ({ of, id, extent }): readonly FrameLine[] => {
    const name = builtinName(of);
    if (!words.has(name)) return [];
    return [{ text: `  let ${name} = min(${id}, ${Math.max(1, extent) - 1}u);`, of }];
  });
}

/** Lines of the frame that are of nothing in particular; some texts have several. */
function frame(texts: readonly string[]): readonly FrameLine[] {
  return flatMap(texts, (text) => text.split("\n").map((line) => ({ text: line, of: null })));
}

/** The words in a text that may be names of builtin values, or of special ones. */
function wordsIn(lines: readonly { readonly text: string }[]): ReadonlySet<string> {
  const text = lines.map((line) => line.text).join("\n");
  return new Set(text.match(/\b(?:workgroup|local|subgroup|tc)_\w+/g));
}

/** Infinity and NaN from bits in a variable: as constants they would be errors. */
function printSpecials(words: ReadonlySet<string>): readonly string[] {
  const specials = [
    ["tc_inf", "0x7f800000u", "f32", ""],
    ["tc_nan", "0x7fc00000u", "f32", ""],
    ["tc_inf_half", "0x7c00u", "vec2<f16>", ".x"],
    ["tc_nan_half", "0x7e00u", "vec2<f16>", ".x"],
  ] as const;
  return flatMap(
    specials.filter(([name]) => words.has(name)),
    ([name, bits, type, part]) => [
      `  var ${name}_bits = ${bits};`,
      `  let ${name} = bitcast<${type}>(${name}_bits)${part};`,
    ],
  );
}

/** The parameters of the entry point: only the builtin values that the body uses. */
function printParameters(words: ReadonlySet<string>): string {
  const parameters = [
    ["workgroup_id", "@builtin(workgroup_id) workgroup_id: vec3<u32>"],
    ["local_index", "@builtin(local_invocation_index) local_index: u32"],
    ["subgroup_invocation_id", "@builtin(subgroup_invocation_id) subgroup_invocation_id: u32"],
    ["subgroup_id", "@builtin(subgroup_id) subgroup_id: u32"],
  ] as const;
  return parameters
    .filter(([name]) => words.has(name))
    .map(([, declaration]) => declaration)
    .join(", ");
}

function isHalf(e: KernelExpression): boolean {
  return e.type.scalar === "float16";
}

/** True if the text of a kernel has float16 values or arrays in it. */
function usesHalf(kernel: Kernel): boolean {
  if (kernel.arrays.some((array) => array.scalar === "float16")) return true;
  for (const s of statementsOf(kernel)) {
    if (s.kind === "fragment" && s.type.scalar === "float16") return true;
    if (statementExpressions(s).some((e) => someKernelExpression(e, isHalf))) return true;
  }
  return false;
}

/** True if subgroups hold matrices in a kernel. */
function usesFragments(kernel: Kernel): boolean {
  return statementsOf(kernel).some(isFragmentStatement);
}

/**
 * The WGSL of a kernel. `stepIndices` says how step slots arrive: as members of the immediate data
 * or as uniforms that are bound with dynamic offsets; see `Plan.stepIndices`.
 */
export function printWgsl(kernel: Kernel, stepIndices: "immediate" | "table"): PrintedKernel {
  const { lines, entryPoint } = printWgslLines(kernel, stepIndices);
  const bindings = kernel.arrays
    .filter((array) => array.space === "storage")
    .map(({ id, buffer, access }) => ({ buffer: defined(buffer, "buffer of", id), access }));
  return { wgsl: `${lines.map((line) => line.text).join("\n")}\n`, entryPoint, bindings };
}

/** The lines of {@link printWgsl}. */
export function printWgslLines(kernel: Kernel, stepIndices: "immediate" | "table"): PrintedLines {
  const names = wgslNames();
  const used = new Map<string, { readonly polyfill: Polyfill; readonly width: 1 | 2 | 4 }>();
  const context: PrintContext = {
    names,
    arrays: new Map(kernel.arrays.map((array) => [array.id, array])),
    stepIndices,
    multiples: new Map(),
    usePolyfill: (polyfill, width) => {
      const name = polyfillName(polyfill, width);
      used.set(name, { polyfill, width });
      return name;
    },
  };
  const entryPoint = names.of("kernel", kernel.name);
  const globals = printGlobals(kernel, context);
  const locals = kernel.arrays
    .filter((array) => array.space === "private")
    .map((array) => `  var ${names.of("array", array.id)}: ${arrayType(array)};`);
  const statements = printWgslStatements(kernel.body, "  ", context);
  const inside = wordsIn(statements);
  const builtins = printBuiltins(inside, kernel);
  const words = new Set([...inside, ...wordsIn(builtins)]);
  const size = kernel.asksForSize === true ? ` @subgroup_size(${kernel.subgroupSize})` : "";
  const before = [
    ...(usesHalf(kernel) ? ["enable f16;"] : []),
    ...(kernel.subgroupSize === undefined ? [] : ["enable subgroups;"]),
    ...(kernel.asksForSize === true ? ["enable subgroup_size_control;"] : []),
    ...(usesFragments(kernel) ? ["enable chromium_experimental_subgroup_matrix;"] : []),
    ...(kernel.steps.length > 0 && stepIndices === "immediate"
      ? ["requires immediate_address_space;"]
      : []),
    ...globals,
    "",
    ...flatMap(polyfillTexts([...used.values()]), (text) => [text, ""]),
    `@compute @workgroup_size(${kernel.workgroupSize})${size}`,
    `fn ${entryPoint}(${printParameters(words)}) {`,
    ...printSpecials(words),
    ...locals,
  ];
  return {
    entryPoint,
    lines: [...frame(before), ...builtins, ...statements, ...frame(["}"])],
    names,
  };
}
