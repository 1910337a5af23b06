/**
 * What is made of a compilation when the page asks for it, since it takes as long as the compilation itself: not with each
 * key. Pure; runs in a worker.
 */
import { printModule, printTypes } from "../../../src/emit.ts";
import {
  baselineProfile,
  type Compiled,
  type Decision,
  type DeviceProfile,
  deviceFamilies,
  estimate,
  facts,
  namedProfiles,
  printFacts,
} from "../../../src/index.ts";
import { type Product, productOf } from "../cost/product-of.ts";
import {
  type CheckedSource,
  type CheckedView,
  type Compilation,
  type CompileJob,
  checkSource,
  compileChecked,
} from "./compile-source.ts";
import { type Links, linksOf } from "./links.ts";
import { isSameText, moveLinks } from "./move-links.ts";

/** A module that runs the kernels, and its types. */
export interface HostCode {
  readonly js: string;
  readonly dts: string;
}

/** What kernels ask of a device. */
export interface Facts {
  /** As a table. */
  readonly text: string;
  /** The device that the estimates are for. */
  readonly device: string;
  /** By kernel, how long it would take there, and what it would wait for. */
  readonly estimates: Readonly<Record<string, { readonly us: number; readonly bound: string }>>;
}

/** What may be asked of a compilation. */
export interface DetailAnswers {
  /** How source, loops and WGSL belong together. */
  readonly links: Links;
  readonly host: HostCode;
  /** What was chosen, and from what; where there was no choice it is left out. */
  readonly knobs: readonly Decision[];
  readonly facts: Facts;
  /** The greatest matrix product of the program. */
  readonly product: Product | null;
}

/** Answers what is asked of a job: of the latest that was compiled at once, of another one after compiling it. */
export interface Compilations {
  /**
   * `tell` hears what is known of a source before it is compiled; null where nobody wants it any more by then, as
   * `isDropped` says.
   */
  compile(
    job: CompileJob,
    tell: (found: CheckedView) => void,
    isDropped: () => Promise<boolean>,
  ): Promise<Compilation["answer"] | null>;
  /** Null where the job does not compile. */
  detail<Kind extends keyof DetailAnswers>(kind: Kind, job: CompileJob): DetailAnswers[Kind] | null;
}

const makers: {
  readonly [Kind in keyof DetailAnswers]: (
    compiled: Compiled,
    job: CompileJob,
    /** The text that was compiled. */
    source: string,
  ) => DetailAnswers[Kind];
} = {
  links: (compiled, job, source) => moveLinks(linksOf(compiled), source, job.source),
  host: ({ plan }) => {
    const producer = { producer: "the playground of tc-wgsl" };
    return { js: printModule(plan, producer), dts: printTypes(plan, producer) };
  },
  knobs: ({ decisions }) =>
    decisions.filter(({ values, value }) => values.some((other) => other !== value)),
  product: ({ program }) => productOf(program),
  facts: ({ plan }, { profile }) => factsOf(plan, profileOf(profile)),
};

/** The latest compilation. */
interface Latest {
  readonly job: CompileJob;
  readonly made: Compilation;
  /** The text that was compiled: the job's, or one of the same meaning. */
  readonly source: string;
}

/**
 * What a source becomes if nothing but comments, spaces and line breaks tells it from the latest one; else null.
 */
function reused(job: CompileJob, { found, meaning }: CheckedSource, latest: Latest): Latest | null {
  const { answer, whole } = latest.made;
  const isSame =
    answer.compiled?.meaning === meaning &&
    isSameText(job.source, latest.source) &&
    answer.def === found.def &&
    JSON.stringify({ ...job, source: "" }) === JSON.stringify({ ...latest.job, source: "" });
  // Something that showed when it was mapped has a place in the other text.
  if (!isSame || answer.diagnostics.length !== found.diagnostics.length) return null;
  const moved = { ...found, compiled: answer.compiled, optionsFault: null };
  return { job, made: { answer: moved, whole }, source: latest.source };
}

/** Remembers the latest compilation. */
export function createCompilations(): Compilations {
  let latest: Latest | null = null;
  let previous: Compiled | null = null;
  const compile = (job: CompileJob, checked: CheckedSource): Latest => {
    latest = (latest === null ? null : reused(job, checked, latest)) ?? {
      job,
      made: compileChecked(job, checked, previous),
      source: job.source,
    };
    previous = latest.made.whole ?? previous;
    return latest;
  };
  return {
    compile: async (job, tell, isDropped) => {
      const checked = checkSource(job);
      tell(checked.found);
      return (await isDropped()) ? null : compile(job, checked).made.answer;
    },
    detail: (kind, job) => {
      const isLatest = latest !== null && JSON.stringify(latest.job) === JSON.stringify(job);
      const { made, source } =
        isLatest && latest !== null ? latest : compile(job, checkSource(job));
      return made.whole === null ? null : makers[kind](made.whole, job, source);
    },
  };
}

function profileOf(profile: CompileJob["profile"]): DeviceProfile {
  return typeof profile === "string" ? (namedProfiles[profile] ?? baselineProfile) : profile;
}

function factsOf(plan: Compiled["plan"], profile: DeviceProfile): Facts {
  const kernels = facts(plan, profile);
  const family = kernels[0]?.family ?? "gpu";
  const figures = deviceFamilies[family];
  return {
    text: printFacts(kernels),
    device: figures.device,
    estimates: Object.fromEntries(
      kernels.map((k) => {
        const { seconds, bound } = estimate(k, figures);
        return [k.kernel, { us: seconds * 1e6, bound }];
      }),
    ),
  };
}
