import { normalize } from "node:path";
import { baselineProfile, namedProfiles } from "../support/device-profile.ts";
import type { CompileRequest, CompileResult } from "./api.ts";
import { artifactsOf, deliver, isOfModule, show } from "./artifacts.ts";
import type { CommandLine } from "./command-line.ts";
import { compileAsked } from "./compile-asked.ts";
import { type Context, type Job, readJob, sizesText } from "./context.ts";
import { type ExitKind, failed, type Outcome, success } from "./failure.ts";
import type { StageName } from "./flags.ts";
import { withLockedOptions } from "./locked-options.ts";
import { tellDecisions, warnOfOptions } from "./option-warnings.ts";
import { plural } from "./reporter.ts";
import { onRuntime } from "./runtime-failure.ts";
import { withTunedOptions } from "./tuned-options.ts";

/** `tc-compile [build] FILE`: compiles one definition and writes what `--emit` names. */
export async function build(context: Context): Promise<Outcome<ExitKind>> {
  const { line, report } = context;
  const kept = keepSource(line.files, line.output);
  if (!kept.ok) return kept;
  const job = await readJob(context);
  if (!job.ok) return job;
  const { source, file, profiles } = job.value;
  const wanted = wantedStages(line, profiles.length > 1);
  if (!wanted.ok) return wanted;
  const requests = await requestsFor(context, job.value);
  if (!requests.ok) return requests;
  const [{ def, profile }] = requests.value;
  // Stages are printed when they are made: a compilation that fails has shown the ones before.
  const stages = new Map<string, string>();
  const compiled = compileEach(context, source, requests.value, (name, text) => {
    if (wanted.value.some((stage) => stage === name)) stages.set(name, text());
  });
  if (!compiled.ok) return compiled;
  const { failure, results } = compiled.value;
  report.diagnostics(failure ?? results[0]?.result.diagnostics ?? [], source, file);
  const plans = failure === null ? results.map((r) => ({ ...r, plan: r.result.plan })) : [];
  const name = plans[0]?.plan.name ?? def ?? "module";
  const artifacts = wanted.value.flatMap((stage) =>
    artifactsOf(context, stage, name, { plans, stages, profile }),
  );
  if (failure !== null) {
    report.note(`${plural(report.counts().errors, "error")} in ${file}`);
    if (line.output === null) show(context, name, artifacts);
    return success("source");
  }
  for (const { result } of results) {
    warnOfOptions(report, result);
    tellDecisions(report, line.verbose, result);
  }
  const written = await deliver(context, name, artifacts);
  if (!written.ok) return written;
  tellEnd(context, `${noteOf(results)}${written.value}`);
  return success("fine");
}

/** A compilation without errors. */
interface Built {
  /** The name of its profile. */
  readonly profile: string;
  readonly result: Extract<CompileResult, { ok: true }>;
}

/** What is asked for: once, or for each of several profiles. */
async function requestsFor(
  context: Context,
  { source, request, profiles }: Job,
): Promise<Outcome<readonly [CompileRequest, ...CompileRequest[]]>> {
  const [, ...others] = profiles;
  if (others.length > 0 && request.options === "tuned") {
    return failed(
      "--options tuned is for the device of this machine",
      "name no --profile, or write --locked: there is an entry for each profile",
    );
  }
  const first = await withKnownOptions(context, source, request);
  if (!first.ok) return first;
  const requests: [CompileRequest, ...CompileRequest[]] = [first.value];
  for (const profile of others) {
    const next = await withKnownOptions(context, source, { ...request, profile });
    if (!next.ok) return next;
    requests.push(next.value);
  }
  return success(requests);
}

async function withKnownOptions(
  context: Context,
  source: string,
  request: CompileRequest,
): Promise<Outcome<CompileRequest>> {
  const locked = await withLockedOptions(context, source, request);
  return locked.ok ? await tunedForHere(context, source, locked.value) : locked;
}

/** Compiles for each profile; what is wrong with the source, which ends that, is `failure`. */
function compileEach(
  { line, tools }: Context,
  source: string,
  requests: readonly CompileRequest[],
  onStage: Exclude<CompileRequest["onStage"], undefined>,
): Outcome<{
  readonly results: readonly Built[];
  readonly failure: CompileResult["diagnostics"] | null;
}> {
  const results: Built[] = [];
  for (const request of requests) {
    const asked = { ...request, layouts: line.layouts, onStage };
    const compiled = compileAsked(() => tools.compile(source, asked));
    if (!compiled.ok) return compiled;
    const result = compiled.value;
    if (!result.ok) return success({ results, failure: result.diagnostics });
    const profile = request.profile?.name ?? baselineProfile.name;
    const [first] = results;
    if (first !== undefined && first.result.plan.name !== result.plan.name) {
      const names = [first, { profile, result }].map(
        (r) => `${r.result.plan.name} for ${r.profile}`,
      );
      return failed(`a module has one algorithm, not ${names.join(" and ")}`, "build one for each");
    }
    results.push({ profile, result });
  }
  return success({ results, failure: null });
}

/** What was compiled, in a line. */
function noteOf(results: readonly Built[]): string {
  const [first] = results;
  if (first === undefined) return "";
  const { plan, sizes } = first.result;
  const text = sizesText(sizes);
  const counts = results.map(({ profile, result }) => {
    const kernels = plural(result.plan.kernels.length, "kernel");
    return results.length === 1 ? kernels : `${profile}: ${kernels}`;
  });
  return `${plan.name}${text === "" ? "" : `  ${text}`}  ${counts.join("  ")}`;
}

/** With `--options tuned`: what is remembered for the device of this machine, which it is compiled for. */
async function tunedForHere(
  context: Context,
  source: string,
  request: CompileRequest,
): Promise<Outcome<CompileRequest>> {
  if (request.options !== "tuned") return success(request);
  return await onRuntime(context, (runtime) =>
    withTunedOptions(context, runtime, source, { profile: runtime.profile, ...request }),
  );
}

/** What is taken where no profile is named. */
const profileNote = `for ${baselineProfile.name}, any device; --profile ${Object.keys(namedProfiles)
  .filter((name) => name !== baselineProfile.name)
  .join(", ")}`;

/** What was made, and for what if nobody said. */
function tellEnd({ line, report }: Context, note: string): void {
  if (line.output === null) report.detail(note);
  else report.note(note);
  if (line.profile === null) report.note(profileNote);
}

/** Code must not replace a source text, this one or another. */
function keepSource(files: readonly string[], output: string | null): Outcome<null> {
  if (output === null) return success(null);
  const same = files.some((file) => file !== "-" && normalize(file) === normalize(output));
  if (!same && !output.endsWith(".tc")) return success(null);
  return failed(`-o ${output} would replace a source`, "give a folder, or a name such as mm.wgsl");
}

const endings: readonly (readonly [string, StageName])[] = [
  [".d.ts", "dts"],
  [".js", "js"],
  [".mjs", "js"],
  [".json", "json"],
];

/** What to make; where nothing is said what the name of the file tells, else WGSL, for several profiles a module. */
function wantedStages(
  { emit, output, layouts }: CommandLine,
  isForSeveral: boolean,
): Outcome<readonly StageName[]> {
  const told = endings.find(([ending]) => output?.endsWith(ending) === true)?.[1];
  const usual = isForSeveral && output?.endsWith(".wgsl") !== true ? "js" : "wgsl";
  const wanted = emit.length > 0 ? emit : [told ?? usual];
  const module = wanted.find(isOfModule);
  if (module !== undefined && Object.keys(layouts).length > 0) {
    return failed(
      `--emit ${module}: modules take dense tensors only`,
      "leave --layout out, or write --emit wgsl or --emit json",
    );
  }
  const single = isForSeveral ? wanted.find((stage) => !isOfModule(stage)) : undefined;
  if (single === undefined) return success(wanted);
  return failed(`--emit ${single} is of one profile`, "name one --profile, or write --emit js,dts");
}
