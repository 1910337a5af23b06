/**
 * What the page shows of a source with each key: what is wrong with it, and what it becomes. Pure; runs in a worker.
 * Options are opaque here: whatever `compile` takes and gives.
 */
import { type PlanData, planData } from "../../../src/emit.ts";
import {
  type Compiled,
  type CompileRequest,
  check,
  compile,
  type DeviceProfile,
  type Diagnostic,
  type Outline,
  outline,
  printStage,
  type ReadSource,
  ranges,
  readSource,
  type StatementRanges,
} from "../../../src/index.ts";
import { textHash } from "../../../src/support/text-hash.ts";

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

/** What is known of a source before it is compiled. */
export interface CheckedView {
  readonly outline: Outline;
  readonly diagnostics: readonly Diagnostic[];
  readonly ranges: readonly StatementRanges[];
  /** The definition that is compiled, or would be; null where the source has none. */
  readonly def: string | null;
  /** Every size and compile-time parameter of the definition, and where its value is from. */
  readonly sizes: readonly SizeValue[];
}

/** Everything about one source, as plain data. */
export interface CompileAnswer extends CheckedView {
  /** Null where the source or the options have errors. */
  readonly compiled: CompiledView | null;
  /** Why options cannot be taken. */
  readonly optionsFault: string | null;
}

/** A compilation: what the page is told at once, and what more is made of when it asks. */
export interface Compilation {
  readonly answer: CompileAnswer;
  /** Null where {@link CompileAnswer.compiled} is. */
  readonly whole: Compiled | null;
}

/** A size, and who says so; `page`: nobody did, so the page chose one. */
export interface SizeValue {
  readonly name: string;
  readonly value: number | null;
  readonly from: "visitor" | "source" | "file" | "page";
}

/** What a kernel has to do at least, in one execution of the program. */
export type KernelWork = NonNullable<Compiled["plan"]["kernels"][number]["work"]>;

/** What compilation made; what is seldom looked at is in details.ts. */
export interface CompiledView {
  readonly plan: PlanData;
  /** The same for all sources that differ in nothing but comments, spaces and line breaks. */
  readonly meaning: string;
  readonly loops: string;
  readonly wgsl: string;
  /** JSON of all choices, whoever made them. */
  readonly options: string;
  /** What became of options that were given. */
  readonly notes: readonly string[];
  /** What each kernel has to do, by its name; null where that is not known. */
  readonly work: Readonly<Record<string, KernelWork | null>>;
}

/** Sizes and parameters that nothing says. */
const chosenSize = 32;
const chosenParameter = 4;

/** A source that was checked, with what was read of it. */
export interface CheckedSource {
  readonly found: CheckedView;
  readonly read: ReadSource;
  /** See {@link CompiledView}. */
  readonly meaning: string;
}

/** Compiles one definition of a source that was checked, after another one. Throws only where the compiler itself is at fault. */
export function compileChecked(
  job: CompileJob,
  checked: CheckedSource,
  previous: Compiled | null,
): Compilation {
  const { found, read, meaning } = checked;
  const loops: string[] = [];
  const result = attempt(job, read, { ...requestOf(job, found.def, found.sizes), previous }, loops);
  if (result.kind === "refused") {
    return { answer: { ...found, compiled: null, optionsFault: result.message }, whole: null };
  }
  const { compiled } = result;
  // Some mistakes show when a program is mapped.
  const later = compiled.diagnostics.filter((d) => isNew(d, found));
  const all = { ...found, diagnostics: [...found.diagnostics, ...later], optionsFault: null };
  if (!compiled.ok) return { answer: { ...all, compiled: null }, whole: null };
  return {
    answer: { ...all, compiled: viewOf(compiled, meaning, loops.join("")) },
    whole: compiled,
  };
}

/**
 * What is known without compiling, long before that is done with large programs: of the definition that is chosen, and
 * what is wrong with any of them.
 */
export function checkSource(job: CompileJob): CheckedSource {
  const read = readSource(job.source);
  const seen = outline(read);
  const def = chooseDefinition(seen, job.def);
  const sizes = sizesOf(job, read, seen, def);
  const request = requestOf(job, def, sizes);
  const inferred = ranges(read, pick(request));
  const known = sizes.flatMap(({ name, value }) => (value === null ? [] : [[name, value]]));
  const { diagnostics } = check(read, { sizes: Object.fromEntries(known) });
  const found = {
    outline: seen,
    // The page chooses sizes that nothing says; those of the other definitions are not needed yet.
    diagnostics: diagnostics.filter(({ code }) => code !== "TC2012"),
    ranges: inferred,
    def,
    sizes,
  };
  return { found, read, meaning: textHash(printStage({ stage: "ast", module: read.module })) };
}

function pick({ def, sizes = {}, shapes = {} }: CompileRequest): Parameters<typeof ranges>[1] {
  return { ...(def === undefined ? {} : { def }), sizes, shapes };
}

/** Without files the sizes that `check` is given, too: so all of it needs one analysis. */
function requestOf(
  job: CompileJob,
  def: string | null,
  sizes: readonly SizeValue[],
): CompileRequest {
  return {
    ...(def === null ? {} : { def }),
    sizes: Object.fromEntries(
      // Those of files are found again in their shapes, with what is wrong where files disagree.
      sizes.flatMap(({ name, value, from }) =>
        value === null || from === "file" ? [] : [[name, value]],
      ),
    ),
    shapes: job.shapes,
  };
}

type Attempt =
  | { readonly kind: "done"; readonly compiled: ReturnType<typeof compile> }
  | { readonly kind: "refused"; readonly message: string };

/** `loops` takes the text of the loops. */
function attempt(
  job: CompileJob,
  read: ReadSource,
  request: CompileRequest,
  loops: string[],
): Attempt {
  let options: CompileRequest["options"] = "default";
  if (job.options.trim() !== "") {
    try {
      options = JSON.parse(job.options) as Exclude<CompileRequest["options"], undefined>;
    } catch (error) {
      return { kind: "refused", message: `this is no JSON: ${messageOf(error)}` };
    }
  }
  try {
    const compiled = compile(read, {
      ...request,
      options,
      profile: job.profile,
      onStage: (result) => {
        if (result.stage === "schedule") loops.push(printStage(result));
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

function sizesOf(
  job: CompileJob,
  read: ReadSource,
  seen: Outline,
  def: string | null,
): readonly SizeValue[] {
  const definition = seen.definitions.find((d) => d.name === def);
  if (definition === undefined) return [];
  const fromFiles = sizesOfShapes(job, read, def);
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
function sizesOfShapes(
  job: CompileJob,
  read: ReadSource,
  def: string | null,
): ReadonlyMap<string, number> {
  if (Object.keys(job.shapes).length === 0) return new Map();
  const { module } = read;
  const definition = module.definitions.find((d) => d.name.name === def);
  const pairs = (definition?.parameters ?? []).flatMap(({ name, type }) =>
    (type.dimensions ?? []).flatMap((dimension, d): readonly (readonly [string, number])[] => {
      const extent = job.shapes[name.name]?.[d];
      return dimension.kind === "name" && extent !== undefined ? [[dimension.name, extent]] : [];
    }),
  );
  return new Map(pairs);
}

function viewOf(compiled: Compiled, meaning: string, loops: string): CompiledView {
  const { plan, options, repairs, unusedChoices } = compiled;
  return {
    plan: planData(withoutBodies(plan)),
    meaning,
    loops,
    wgsl: plan.kernels.map((k) => k.wgsl).join("\n"),
    options: `${JSON.stringify(options, null, 2)}\n`,
    work: Object.fromEntries(plan.kernels.map((k) => [k.kernel.name, k.work ?? null])),
    notes: [
      ...repairs.map((r) => `${r.path}: ${r.asked} is not possible here, ${r.used} is used`),
      ...unusedChoices.map((path) => `${path}: nothing asks for it here`),
    ],
  };
}

/** The plan as it is run: where its text comes from is found when it is asked for, since that takes as long as printing it. */
function withoutBodies(plan: Compiled["plan"]): Compiled["plan"] {
  const kernels = plan.kernels.map((k) => ({ ...k, kernel: { ...k.kernel, body: [] } }));
  return { ...plan, kernels };
}
