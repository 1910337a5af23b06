/**
 * What is made of a compilation when the page asks for it, since it takes as long as the compilation itself: not with each
 * key. Pure; runs in a worker.
 */
import { printModule, printTypes } from "../../../src/emit.ts";
import {
  baselineProfile,
  type Compiled,
  type DeviceProfile,
  deviceFamilies,
  estimate,
  facts,
  namedProfiles,
  printFacts,
} from "../../../src/index.ts";
import { type Compilation, type CompileJob, compileSource } from "./compile-source.ts";
import { type Links, linksOf } from "./links.ts";

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
  readonly facts: Facts;
}

/** Answers what is asked of a job: of the latest that was compiled at once, of another one after compiling it. */
export interface Compilations {
  compile(job: CompileJob, tell: Parameters<typeof compileSource>[1]): Compilation["answer"];
  /** Null where the job does not compile. */
  detail<Kind extends keyof DetailAnswers>(kind: Kind, job: CompileJob): DetailAnswers[Kind] | null;
}

const makers: {
  readonly [Kind in keyof DetailAnswers]: (
    compiled: Compiled,
    job: CompileJob,
  ) => DetailAnswers[Kind];
} = {
  links: linksOf,
  host: ({ plan }) => {
    const producer = { producer: "the playground of tc-wgsl" };
    return { js: printModule(plan, producer), dts: printTypes(plan, producer) };
  },
  facts: ({ plan }, { profile }) => factsOf(plan, profileOf(profile)),
};

/** Remembers the latest compilation. */
export function createCompilations(): Compilations {
  let latest: { readonly key: string; readonly whole: Compiled | null } | null = null;
  const compile: Compilations["compile"] = (job, tell) => {
    const { answer, whole } = compileSource(job, tell);
    latest = { key: JSON.stringify(job), whole };
    return answer;
  };
  return {
    compile,
    detail: (kind, job) => {
      if (latest?.key !== JSON.stringify(job)) compile(job, undefined);
      const whole = latest?.whole ?? null;
      return whole === null ? null : makers[kind](whole, job);
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
