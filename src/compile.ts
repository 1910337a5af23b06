/**
 * The pipeline: source text to a plan, one line per pass. Pure: the same request gives the same
 * text on every machine.
 */

import { generatorVersion } from "./codegen/generator.ts";
import type { Plan, PlanKernel } from "./codegen/plan.ts";
import { callersTensorLimits } from "./codegen/tensor-limits.ts";
import { type Diagnostic, diagnose, sortDiagnostics } from "./diagnostics/diagnostic.ts";
import { noSpan } from "./diagnostics/span.ts";
import {
  analyse,
  analysePrepared,
  loweredOf,
  type ReadSource,
  sourceFor,
} from "./frontend/analyse.ts";
import type { Definition, Module } from "./frontend/syntax/ast.ts";
import { applyLayouts, padTensors } from "./ir/apply-layouts.ts";
import { indexWidthDiagnostics } from "./ir/index-width.ts";
import { keepTensors } from "./ir/keep-tensors.ts";
import type { Decision, Mapped, Repair } from "./ir/mapping/map-program.ts";
import { findTensor, type Program } from "./ir/program.ts";
import { type KeptKernels, planProgram } from "./plan-program.ts";
import { checkOptions, checkSizes, type OptionNames } from "./support/check-call-shape.ts";
import { baselineProfile, type DeviceProfile, namedProfiles } from "./support/device-profile.ts";
import { keptFrom } from "./support/kept.ts";
import {
  type Mapping,
  mappingFault,
  mappingVersion,
  type PolicyName,
  policyNames,
} from "./support/mapping-file.ts";
import { optionKinds } from "./support/option-kinds.ts";
import { own } from "./support/own.ts";
import { rowMajorStrides } from "./support/scalar-type.ts";
import { shorten } from "./support/shorten.ts";
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
  /**
   * How the program is mapped to the device: a policy (`default`; `naive`, one thread per element, nothing
   * fused or tiled; `apart`, a kernel for each statement; `together`, as few kernels as are legal; `plain`), or a
   * mapping, of which the `policy` chooses what it does not say.
   */
  readonly options?: PolicyName | Mapping;
  /** A named profile (`baseline` when left out) or one that a runtime made of its device. */
  readonly profile?: DeviceProfile | string;
  /**
   * The compilation before, of much the same source; null for the first of several. Kernels that are in both are not made
   * again, which changes nothing but the time.
   */
  readonly previous?: Compiled | null;
  /** Called after each stage, in the order of {@link StageResult}; `printStage` prints one. */
  readonly onStage?: (result: StageResult) => void;
}

const requestNames: OptionNames<CompileRequest> = {
  def: optionKinds.def,
  sizes: true,
  options: true,
  profile: optionKinds.profile,
  symbolic: optionKinds.symbolic,
  shapes: optionKinds.shapes,
  layouts: optionKinds.layouts,
  shared: optionKinds.shared,
  padded: optionKinds.padded,
  temporaries: optionKinds.temporaries,
  previous: {
    is: (value) => typeof value === "object",
    wanted: "what `compile` gave before, or null",
  },
  onStage: optionKinds.onStage,
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

/** What a stage made; `options` are the complete mapping. */
export type StageResult =
  | { readonly stage: "ast"; readonly module: Module }
  | { readonly stage: "program"; readonly program: Program }
  | { readonly stage: "options"; readonly options: Mapping }
  /** With what the program was before, and the decisions that made it another. */
  | {
      readonly stage: "schedule";
      readonly program: Program;
      readonly mapped: Mapped;
      readonly decisions: readonly Decision[];
    }
  | { readonly stage: "kernel" | "wgsl"; readonly kernels: readonly PlanKernel[] };

/** A compiled definition. */
export interface Compiled {
  readonly ok: true;
  readonly plan: Plan;
  /** What the source means, before any rewrite: what `interpret` runs. */
  readonly program: Program;
  /** The rewritten program and the schedule that the plan executes. */
  readonly mapped: Mapped;
  readonly sizes: Readonly<Record<string, number>>;
  /** The complete mapping: compiling with it gives the same plan, whatever our policies become. */
  readonly options: Mapping;
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
export function lowerSource(source: string | ReadSource, request: CompileRequest = {}): Lowered {
  const asked = {
    ...(request.def === undefined ? {} : { definition: request.def }),
    ...(request.sizes === undefined ? {} : { sizes: request.sizes }),
    ...(request.shapes === undefined ? {} : { shapes: request.shapes }),
  };
  const { checked, diagnostics, module } =
    typeof source === "string" ? analyse(source, asked) : analysePrepared(source, asked);
  request.onStage?.({ stage: "ast", module });
  const symbolic = symbolicNames(request);
  if (symbolic.length > 0) {
    const { span } = definitionOf(module, request)?.name ?? { span: noSpan };
    const refused = diagnose("TC5005", { names: symbolic }, span);
    const others = diagnostics.filter((d) => d.code !== "TC2012");
    return { ok: false, diagnostics: sortDiagnostics([...others, refused]) };
  }
  if (checked === undefined) return { ok: false, diagnostics };
  const program = keepTensors(loweredOf(checked), request.temporaries ?? []);
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
  const named = own(namedProfiles, profile);
  if (named !== undefined) return named;
  const known = Object.keys(namedProfiles).join(", ");
  throw new RangeError(`no profile is called \`${shorten(profile)}\`; there are ${known}`);
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
  throw new RangeError(`layout of "${shorten(applied.tensor)}": ${applied.fault}`);
}

/**
 * Refuses options that are none; they come from files and from callers without types.
 * @throws RangeError.
 */
export function checkChoices(options: CompileRequest["options"]): void {
  mappingIn(options);
}

/** The mapping that a request asks for. */
function mappingIn(options: CompileRequest["options"]): Mapping {
  const policy = policyNames.find((name) => name === (options === undefined ? "default" : options));
  if (policy !== undefined) return { version: mappingVersion, policy };
  // Mappings come from files and from callers without types.
  const fault = mappingFault(options);
  if (fault === null && typeof options === "object") return options;
  const isObject = typeof options === "object" && options !== null;
  const what = isObject ? (fault ?? "") : `got ${JSON.stringify(options)}`;
  throw new RangeError(`options are ${policyNames.join(", ")}, or a mapping: ${what}`);
}

/** What compilations leave to the next one, while somebody has them. */
const reusable = new WeakMap<Compiled, Reusable>();

interface Reusable extends KeptKernels {
  /** The profile and the policy: kernels of others are others. */
  readonly device: string;
}

/** What the compilation before leaves; undefined for one that stands alone, which keeps nothing either. */
function keptFor({ previous }: CompileRequest, device: string): Reusable | undefined {
  if (previous === undefined) return undefined;
  const last = previous === null ? undefined : reusable.get(previous);
  const { chosen, lowered } = last?.device === device ? last : {};
  return { device, chosen: keptFrom(chosen?.now), lowered: keptFrom(lowered?.now) };
}

/**
 * Compiles one definition for one set of sizes. Never throws on bad source; an unknown profile name
 * is a RangeError, and so are options that are none, layouts that a tensor cannot have, and tensors to
 * keep that there are not.
 */
export function compile(source: string | ReadSource, request: CompileRequest = {}): CompileResult {
  const prepared = sourceFor("compile", source);
  checkOptions("compile", request, requestNames);
  checkSizes("compile", request.sizes);
  const lowered = lowerSource(prepared, request);
  if (!lowered.ok) return lowered;
  const profile = profileOf(request.profile);
  const placed = withLayouts(lowered.program, request, profile);
  const program = request.padded === true ? padTensors(placed) : placed;
  const large = callersTensorLimits(program, profile);
  if (large.length > 0)
    return { ok: false, diagnostics: sortDiagnostics([...lowered.diagnostics, ...large]) };
  const wanted = mappingIn(request.options);
  const kept = keptFor(request, JSON.stringify([profile, wanted.policy]));
  const planned = planProgram(program, profile, wanted, kept);
  const { plan, mapped, decisions, repairs, unused, refused } = planned;
  const mapping: Mapping = { ...planned.mapping, generator: generatorVersion };
  request.onStage?.({ stage: "options", options: mapping });
  request.onStage?.({ stage: "schedule", program, mapped, decisions });
  request.onStage?.({ stage: "kernel", kernels: plan.kernels });
  request.onStage?.({ stage: "wgsl", kernels: plan.kernels });
  if (refused.length > 0)
    return { ok: false, diagnostics: sortDiagnostics([...lowered.diagnostics, ...refused]) };
  const compiled: Compiled = {
    ok: true,
    plan,
    program: lowered.program,
    mapped,
    sizes: lowered.sizes,
    options: mapping,
    decisions,
    repairs,
    unusedChoices: unused,
    diagnostics: lowered.diagnostics,
  };
  if (kept !== undefined) reusable.set(compiled, kept);
  return compiled;
}
