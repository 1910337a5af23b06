/**
 * The pipeline: source text to a plan, one line per pass. Pure: the same request gives the same
 * text on every machine.
 */

import type { Plan, PlanKernel } from "./codegen/plan.ts";
import { callersTensorLimits } from "./codegen/tensor-limits.ts";
import { type Diagnostic, diagnose, sortDiagnostics } from "./diagnostics/diagnostic.ts";
import { noSpan } from "./diagnostics/span.ts";
import { analyse } from "./frontend/analyse.ts";
import { lower } from "./frontend/lower/lower.ts";
import type { Definition, Module } from "./frontend/syntax/ast.ts";
import { applyLayouts, padTensors } from "./ir/apply-layouts.ts";
import {
  type Decider,
  type Decision,
  decider,
  defaultOptions,
  fuseValues,
  type Options,
  optionsOf,
  type Repair,
} from "./ir/decisions.ts";
import { indexWidthDiagnostics } from "./ir/index-width.ts";
import { keepTensors } from "./ir/keep-tensors.ts";
import { findTensor, type Program } from "./ir/program.ts";
import type { Schedule } from "./ir/schedule.ts";
import { planProgram } from "./plan-program.ts";
import {
  checkOptions,
  checkSizes,
  checkSourceText,
  type OptionNames,
} from "./support/check-call-shape.ts";
import { baselineProfile, type DeviceProfile, namedProfiles } from "./support/device-profile.ts";
import { rowMajorStrides } from "./support/scalar-type.ts";
import type { OffsetMultiple } from "./support/strided-view.ts";

/** What to compile, and for what. */
export interface CompileRequest {
  /** The definition; may be left out when the source has one. */
  readonly def?: string;
  /** Sizes and compile-time parameters by name; they win over shapes, those over `#! sizes`. */
  readonly sizes?: Readonly<Record<string, number>>;
  /** Sizes that are to stay open: refused, until one compilation serves all their values. */
  readonly symbolic?: readonly string[] | Readonly<Record<string, SymbolicRange>>;
  /** Shapes of inputs by name. */
  readonly shapes?: Readonly<Record<string, readonly number[]>>;
  /**
   * How inputs and results lie in memory, by name, where they are views: not dense, or not at the
   * start of what is bound. The plan runs for tensors that lie so, and for no others.
   */
  readonly layouts?: Readonly<Record<string, LayoutInput>>;
  /**
   * Sets of tensors that lie in one buffer, of which one is written. Each has a layout with an
   * offset, and no two have an element in common.
   */
  readonly shared?: readonly (readonly string[])[];
  /**
   * True where the memory of every tensor without a layout goes on to a multiple of 16 bytes, and
   * holds nothing else there: then kernels may read and write whole vectors, and buffers of the plan
   * say the `bytes` that they take. False by default: no plan touches a byte after the elements.
   */
  readonly padded?: boolean;
  /** Temporaries that are to be outputs, too, by name: what they hold in the end. */
  readonly temporaries?: readonly string[];
  /** `default`: the heuristic; `naive`: one thread per element, nothing fused or tiled. */
  readonly options?: "default" | "naive" | Options;
  /** A named profile (`baseline` when left out) or one that a runtime made of its device. */
  readonly profile?: DeviceProfile | string;
  /** Called after each stage, in the order of {@link StageResult}; `printStage` prints one. */
  readonly onStage?: (result: StageResult) => void;
}

const requestNames: OptionNames<CompileRequest> = {
  def: true,
  sizes: true,
  options: true,
  profile: true,
  symbolic: true,
  shapes: true,
  layouts: true,
  shared: true,
  padded: true,
  temporaries: true,
  onStage: true,
};

/** A layout of which parts may be left out. */
export interface LayoutInput {
  /** In elements, one per dimension; those of a row-major tensor by default. */
  readonly strides?: readonly number[];
  /**
   * The first element in memory lies where the caller says when it runs, at a multiple of so many
   * elements; without this, at the start of what is bound.
   */
  readonly offsetMultiple?: OffsetMultiple | null;
}

/** What is known of a size that stays open. */
export interface SymbolicRange {
  readonly min?: number;
  readonly max?: number;
  readonly multipleOf?: number;
}

/** What a stage made; `options` are the answers to all decisions. */
export type StageResult =
  | { readonly stage: "ast"; readonly module: Module }
  | { readonly stage: "program"; readonly program: Program }
  | { readonly stage: "options"; readonly options: Options }
  | { readonly stage: "schedule"; readonly schedule: Schedule }
  | { readonly stage: "kernel" | "wgsl"; readonly kernels: readonly PlanKernel[] };

/** A compiled definition. */
export interface Compiled {
  readonly ok: true;
  readonly plan: Plan;
  /** What the source means, before any rewrite: what `interpret` runs. */
  readonly program: Program;
  /** The rewritten program and the schedule that the plan executes. */
  readonly mapped: { readonly program: Program; readonly schedule: Schedule };
  readonly sizes: Readonly<Record<string, number>>;
  /** The answers that differ from the default: compiling with them gives the same plan. */
  readonly options: Options;
  readonly decisions: readonly Decision[];
  /** Answers of the given options that were not legal here. */
  readonly repairs: readonly Repair[];
  /** Paths of the given options that no decision has here. */
  readonly unusedChoices: readonly string[];
  /** Warnings. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The plan, or why there is none. */
export type CompileResult =
  | Compiled
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** A definition as an IR program, or why there is none. */
export type Lowered =
  | {
      readonly ok: true;
      readonly program: Program;
      readonly sizes: Readonly<Record<string, number>>;
      readonly diagnostics: readonly Diagnostic[];
    }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** The front half of {@link compile}: text to a program. Never throws on bad source. */
export function lowerSource(source: string, request: CompileRequest = {}): Lowered {
  const { checked, diagnostics, module } = analyse(source, {
    ...(request.def === undefined ? {} : { definition: request.def }),
    ...(request.sizes === undefined ? {} : { sizes: request.sizes }),
    ...(request.shapes === undefined ? {} : { shapes: request.shapes }),
  });
  request.onStage?.({ stage: "ast", module });
  const symbolic = symbolicNames(request);
  if (symbolic.length > 0) {
    const { span } = definitionOf(module, request)?.name ?? { span: noSpan };
    const refused = diagnose("TC5005", { names: symbolic }, span);
    const others = diagnostics.filter((d) => d.code !== "TC2012");
    return { ok: false, diagnostics: sortDiagnostics([...others, refused]) };
  }
  if (checked === undefined) return { ok: false, diagnostics };
  const program = keepTensors(lower(checked), request.temporaries ?? []);
  request.onStage?.({ stage: "program", program });
  const wide = indexWidthDiagnostics(program);
  if (wide.length > 0)
    return { ok: false, diagnostics: sortDiagnostics([...diagnostics, ...wide]) };
  const sizes = Object.fromEntries(checked.sizes.map((s) => [s.name, s.value]));
  return { ok: true, program, sizes, diagnostics };
}

function symbolicNames({ symbolic = [] }: CompileRequest): readonly string[] {
  return Array.isArray(symbolic) ? symbolic : Object.keys(symbolic);
}

/** The definition that is asked for, as it is written. */
function definitionOf({ definitions }: Module, { def }: CompileRequest): Definition | undefined {
  return definitions.find((d) => def === undefined || d.name.name === def);
}

/**
 * The profile that is asked for: `baseline` if none is.
 * @throws RangeError for a name that none has.
 */
export function profileOf(profile: DeviceProfile | string = baselineProfile): DeviceProfile {
  if (typeof profile !== "string") return profile;
  const named = namedProfiles[profile];
  if (named !== undefined) return named;
  const known = Object.keys(namedProfiles).join(", ");
  throw new RangeError(`no profile is called \`${profile}\`; there are ${known}`);
}

/** The program with the layouts that are asked for; throws RangeError for those that it cannot have. */
function withLayouts(
  program: Program,
  { layouts = {}, shared = [] }: CompileRequest,
  profile: DeviceProfile,
): Program {
  const given = Object.entries(layouts);
  if (given.length === 0 && shared.length === 0) return program;
  const whole = given.map(([name, { strides, offsetMultiple = null }]) => {
    const shape = findTensor(program, name)?.shape ?? [];
    return [name, { strides: strides ?? rowMajorStrides(shape), offsetMultiple }] as const;
  });
  const { float16 } = profile.features;
  const applied = applyLayouts(program, { layouts: Object.fromEntries(whole), shared, float16 });
  if (applied.ok) return applied.program;
  throw new RangeError(`layout of "${applied.tensor}": ${applied.fault}`);
}

/** The plainest answer: the first value, but a full workgroup. */
function naiveChoice(decision: Decision): Decision["default"] {
  const wide = decision.path.endsWith(".workgroup");
  return (wide ? decision.values.at(-1) : decision.values[0]) ?? decision.default;
}

/**
 * Refuses options that are none; they come from files and from callers without types.
 * @throws RangeError.
 */
export function checkChoices(options: CompileRequest["options"]): void {
  if (options === undefined || options === "default" || options === "naive") return;
  const given: unknown = options;
  const fields: { readonly [field in keyof Options]?: unknown } = Object(given);
  const { version, choices, fuse } = fields;
  if (fuse !== undefined && !fuseValues.some((v) => v === fuse)) {
    throw new RangeError(`options: \`fuse\` is ${fuseValues.join(", ")}, got ${String(fuse)}`);
  }
  if (version === 1 && typeof choices === "object" && choices !== null) return;
  throw new RangeError('options are "default", "naive" or { version: 1, choices: { ... } }');
}

function deciderOf(options: CompileRequest["options"]): Decider {
  checkChoices(options);
  if (options === "naive") return decider(defaultOptions, naiveChoice);
  if (options === undefined || options === "default") return decider(defaultOptions);
  return decider(options);
}

/**
 * Compiles one definition for one set of sizes. Never throws on bad source; an unknown profile name
 * is a RangeError, and so are options that are none, layouts that a tensor cannot have, and tensors to
 * keep that there are not.
 */
export function compile(source: string, request: CompileRequest = {}): CompileResult {
  checkSourceText("compile", source);
  checkOptions("compile", request, requestNames);
  checkSizes("compile", request.sizes);
  const lowered = lowerSource(source, request);
  if (!lowered.ok) return lowered;
  const profile = profileOf(request.profile);
  const placed = withLayouts(lowered.program, request, profile);
  const program = request.padded === true ? padTensors(placed) : placed;
  const large = callersTensorLimits(program, profile);
  if (large.length > 0)
    return { ok: false, diagnostics: sortDiagnostics([...lowered.diagnostics, ...large]) };
  const planned = planProgram(program, profile, deciderOf(request.options));
  const { plan, mapped, asked, repairs, refused } = planned;
  request.onStage?.({ stage: "options", options: allAnswers(planned) });
  request.onStage?.({ stage: "schedule", schedule: mapped.schedule });
  request.onStage?.({ stage: "kernel", kernels: plan.kernels });
  request.onStage?.({ stage: "wgsl", kernels: plan.kernels });
  if (refused.length > 0)
    return { ok: false, diagnostics: sortDiagnostics([...lowered.diagnostics, ...refused]) };
  return {
    ok: true,
    plan,
    program: lowered.program,
    mapped,
    sizes: lowered.sizes,
    options: optionsOf(planned),
    decisions: asked.map((a) => a.decision),
    repairs,
    unusedChoices: unusedChoices(request.options, planned, repairs),
    diagnostics: lowered.diagnostics,
  };
}

/** Options that say every answer, the defaults too: they pin a mapping whatever the heuristic. */
function allAnswers(answers: Pick<Decider, "asked">): Options {
  const pairs = answers.asked.map((a) => [a.decision.path, a.answer] as const);
  return { version: 1, choices: Object.fromEntries(pairs) };
}

/** Choices for paths that no decision has; those of decisions that are not asked now are repairs. */
function unusedChoices(
  options: CompileRequest["options"],
  answers: Pick<Decider, "asked">,
  repairs: readonly Repair[],
): readonly string[] {
  if (options === undefined || typeof options === "string") return [];
  const asked = answers.asked.map((a) => a.decision.path);
  const known = new Set([...asked, ...repairs.map(({ path }) => path)]);
  return Object.keys(options.choices).filter((path) => !known.has(path));
}
