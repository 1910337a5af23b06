/**
 * What the page shows of a source: all that the compiler can say in one go. Pure; runs in a worker.
 * Options are opaque here: whatever `compile` takes and gives.
 */
import { type PlanData, planData, printModule, printTypes } from "../../../src/emit.ts";
import {
  baselineProfile,
  type Compiled,
  type CompileRequest,
  check,
  compile,
  type DeviceProfile,
  type Diagnostic,
  facts,
  namedProfiles,
  type Outline,
  outline,
  printFacts,
  printStage,
  ranges,
  type StatementRanges,
} from "../../../src/index.ts";

import { type Links, linksOf } from "./links.ts";

/** What to compile. */
export interface CompileJob {
  readonly source: string;
  /** The definition that the visitor chose; null: the one that no other calls. */
  readonly def: string | null;
  /** What the visitor has set; the rest comes from the source, or is chosen here. */
  readonly sizes: Readonly<Record<string, number>>;
  /** Of inputs that come from files. */
  readonly shapes: Readonly<Record<string, readonly number[]>>;
  /** JSON text of options; empty: the default. */
  readonly options: string;
  readonly profile: DeviceProfile | string;
}

/** Everything about one source, as plain data. */
export interface CompileAnswer {
  readonly outline: Outline;
  readonly diagnostics: readonly Diagnostic[];
  readonly ranges: readonly StatementRanges[];
  /** The definition that was compiled, or would be; null where the source has none. */
  readonly def: string | null;
  /** Every size and compile-time parameter of the definition, and where its value is from. */
  readonly sizes: readonly SizeValue[];
  /** Null where the source or the options have errors. */
  readonly compiled: CompiledView | null;
  /** Why options cannot be taken. */
  readonly optionsFault: string | null;
  readonly ms: number;
}

/** A size, and who says so; `page`: nobody did, so the page chose one. */
export interface SizeValue {
  readonly name: string;
  readonly value: number | null;
  readonly from: "visitor" | "source" | "file" | "page";
}

/** What a kernel has to do at least, in one execution of the program. */
export type KernelWork = NonNullable<Compiled["plan"]["kernels"][number]["work"]>;

/** What compilation made, as texts. */
export interface CompiledView {
  readonly plan: PlanData;
  readonly program: string;
  readonly loops: string;
  readonly kernels: string;
  readonly wgsl: string;
  readonly js: string;
  readonly dts: string;
  /** JSON of the answers that differ from the default. */
  readonly options: string;
  /** JSON of all answers. */
  readonly allOptions: string;
  /** What became of options that were given. */
  readonly notes: readonly string[];
  /** What each kernel has to do, by its name; null where that is not known. */
  readonly work: Readonly<Record<string, KernelWork | null>>;
  /** How source, loops and WGSL belong together. */
  readonly links: Links;
}

/** Sizes and parameters that nothing says. */
const chosenSize = 32;
const chosenParameter = 4;

/** What the kernels of a source ask of a device, as a table; empty where it does not compile. */
export function factsText(job: CompileJob): string {
  const seen = outline(job.source);
  const def = chooseDefinition(seen, job.def);
  const result = attempt(job, requestOf(job, def, sizesOf(job, seen, def)), new Map());
  if (result.kind === "refused" || !result.compiled.ok) return "";
  const { profile } = job;
  const known = typeof profile === "string" ? (namedProfiles[profile] ?? baselineProfile) : profile;
  return printFacts(facts(result.compiled.plan, known));
}

/** Compiles one definition of a source. Throws only where the compiler itself is at fault. */
export function compileSource(job: CompileJob): CompileAnswer {
  const start = performance.now();
  const seen = outline(job.source);
  const def = chooseDefinition(seen, job.def);
  const sizes = sizesOf(job, seen, def);
  const request = requestOf(job, def, sizes);
  const base = { outline: seen, def, sizes };
  const stages = new Map<string, string>();
  const result = attempt(job, request, stages);
  const finish = (
    rest: Pick<CompileAnswer, "diagnostics" | "compiled" | "optionsFault">,
  ): CompileAnswer => {
    const inferred = ranges(job.source, pick(request));
    return { ...base, ...rest, ranges: inferred, ms: performance.now() - start };
  };
  if (result.kind === "refused") {
    const { diagnostics } = check(job.source, { sizes: request.sizes ?? {} });
    return finish({ diagnostics, compiled: null, optionsFault: result.message });
  }
  const { compiled } = result;
  if (!compiled.ok) {
    // Mistakes in the other definitions, too.
    const { diagnostics } = check(job.source, { sizes: request.sizes ?? {} });
    const all = [...compiled.diagnostics, ...diagnostics.filter((d) => isNew(d, compiled))];
    return finish({ diagnostics: all, compiled: null, optionsFault: null });
  }
  const view = viewOf(compiled, stages);
  return finish({ diagnostics: compiled.diagnostics, compiled: view, optionsFault: null });
}

function pick({ def, sizes = {}, shapes = {} }: CompileRequest): Parameters<typeof ranges>[1] {
  return { ...(def === undefined ? {} : { def }), sizes, shapes };
}

function requestOf(
  job: CompileJob,
  def: string | null,
  sizes: readonly SizeValue[],
): CompileRequest {
  return {
    ...(def === null ? {} : { def }),
    sizes: Object.fromEntries(
      sizes.flatMap(({ name, value, from }) =>
        value !== null && (from === "visitor" || from === "page") ? [[name, value]] : [],
      ),
    ),
    shapes: job.shapes,
  };
}

type Attempt =
  | { readonly kind: "done"; readonly compiled: ReturnType<typeof compile> }
  | { readonly kind: "refused"; readonly message: string };

function attempt(job: CompileJob, request: CompileRequest, stages: Map<string, string>): Attempt {
  let options: CompileRequest["options"] = "default";
  if (job.options.trim() !== "") {
    try {
      options = JSON.parse(job.options) as Exclude<CompileRequest["options"], undefined>;
    } catch (error) {
      return { kind: "refused", message: `this is no JSON: ${messageOf(error)}` };
    }
  }
  try {
    const compiled = compile(job.source, {
      ...request,
      options,
      profile: job.profile,
      onStage: (result) => {
        // Of the kernels' text, `kernel` and `wgsl`, only what is shown is printed.
        if (result.stage !== "ast") stages.set(result.stage, printStage(result));
      },
    });
    return { kind: "done", compiled };
  } catch (error) {
    if (job.options.trim() !== "" && (error instanceof RangeError || error instanceof TypeError)) {
      return { kind: "refused", message: error.message };
    }
    throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isNew(
  found: Diagnostic,
  { diagnostics }: { diagnostics: readonly Diagnostic[] },
): boolean {
  return !diagnostics.some(
    (d) =>
      d.code === found.code && d.span.start === found.span.start && d.span.end === found.span.end,
  );
}

/** The chosen definition if the source still has it, else the last one that no other calls. */
function chooseDefinition({ definitions }: Outline, chosen: string | null): string | null {
  if (chosen !== null && definitions.some((d) => d.name === chosen)) return chosen;
  const called = new Set(definitions.flatMap((d) => d.calls.filter((name) => name !== d.name)));
  const uncalled = definitions.filter((d) => !called.has(d.name));
  return (uncalled.at(-1) ?? definitions.at(-1))?.name ?? null;
}

function sizesOf(job: CompileJob, seen: Outline, def: string | null): readonly SizeValue[] {
  const definition = seen.definitions.find((d) => d.name === def);
  if (definition === undefined) return [];
  const fromFiles = sizesOfShapes(job, def);
  const value = (name: string, fallback: number): SizeValue => {
    const own = Object.hasOwn(job.sizes, name) ? job.sizes[name] : undefined;
    if (own !== undefined) return { name, value: own, from: "visitor" };
    const shaped = fromFiles.get(name);
    if (shaped !== undefined) return { name, value: shaped, from: "file" };
    const written = Object.hasOwn(seen.sizes, name) ? seen.sizes[name] : undefined;
    if (written !== undefined) return { name, value: written, from: "source" };
    return { name, value: fallback, from: "page" };
  };
  return [
    ...definition.sizes.map((name) => value(name, chosenSize)),
    ...definition.parameters.map((name) => value(name, chosenParameter)),
  ];
}

/** The sizes that the shapes of files say: dimensions that are declared by a name alone. */
function sizesOfShapes(job: CompileJob, def: string | null): ReadonlyMap<string, number> {
  if (Object.keys(job.shapes).length === 0) return new Map();
  const { module } = check(job.source, def === null ? {} : { def });
  const definition = module.definitions.find((d) => d.name.name === def);
  const pairs = (definition?.parameters ?? []).flatMap(({ name, type }) =>
    (type.dimensions ?? []).flatMap((dimension, d): readonly (readonly [string, number])[] => {
      const extent = job.shapes[name.name]?.[d];
      return dimension.kind === "name" && extent !== undefined ? [[dimension.name, extent]] : [];
    }),
  );
  return new Map(pairs);
}

function viewOf(compiled: Compiled, stages: ReadonlyMap<string, string>): CompiledView {
  const { plan, options, repairs, unusedChoices } = compiled;
  const producer = { producer: "the playground of tc-wgsl" };
  return {
    plan: planData(plan),
    program: stages.get("program") ?? "",
    loops: stages.get("schedule") ?? "",
    kernels: stages.get("kernel") ?? "",
    wgsl: stages.get("wgsl") ?? "",
    js: printModule(plan, producer),
    dts: printTypes(plan, producer),
    options: `${JSON.stringify(options, null, 2)}\n`,
    allOptions: stages.get("options") ?? "",
    work: Object.fromEntries(plan.kernels.map((k) => [k.kernel.name, k.work ?? null])),
    links: linksOf(compiled),
    notes: [
      ...repairs.map((r) => `${r.path}: ${r.asked} is not possible here, ${r.used} is used`),
      ...unusedChoices.map((path) => `${path}: nothing asks for it here`),
    ],
  };
}
