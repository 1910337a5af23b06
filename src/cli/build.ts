import { join, normalize } from "node:path";
import { baselineProfile, type DeviceProfile, namedProfiles } from "../support/device-profile.ts";
import type { CompileRequest, Plan } from "./api.ts";
import { compileAsked } from "./compile-asked.ts";
import { type Context, readJob, sizesText } from "./context.ts";
import { type ExitKind, failed, type Outcome, success } from "./failure.ts";
import type { StageName } from "./flags.ts";
import { withLockedOptions } from "./locked-options.ts";
import { tellDecisions, warnOfOptions } from "./option-warnings.ts";
import { writeBytes } from "./read-files.ts";
import { plural } from "./reporter.ts";
import { onRuntime } from "./runtime-failure.ts";
import { withTunedOptions } from "./tuned-options.ts";

/** A text that a build makes, and the name of a file for it. */
interface Artifact {
  readonly stage: StageName;
  readonly file: string;
  readonly text: string;
}

/** What a compilation made. */
interface Made {
  readonly plan: Plan | null;
  /** Texts by stage. */
  readonly stages: ReadonlyMap<string, string>;
  readonly profile: DeviceProfile | undefined;
}

/** `tc-compile [build] FILE`: compiles one definition and writes what `--emit` names. */
export async function build(context: Context): Promise<Outcome<ExitKind>> {
  const { line, report, tools } = context;
  const wanted = wantedStages(line.emit, line.output);
  const kept = keepSource(line.files, line.output);
  if (!kept.ok) return kept;
  const job = await readJob(context);
  if (!job.ok) return job;
  const { source, file } = job.value;
  const locked = await withLockedOptions(context, source, job.value.request);
  if (!locked.ok) return locked;
  const tuned = await tunedForHere(context, source, locked.value);
  if (!tuned.ok) return tuned;
  const request = tuned.value;
  // Stages are printed when they are made: a compilation that fails has shown the ones before.
  const stages = new Map<string, string>();
  const module = wanted.find((stage) => stage === "js" || stage === "dts");
  if (module !== undefined && Object.keys(line.layouts).length > 0) {
    return failed(
      `--emit ${module}: modules take dense tensors only`,
      "leave --layout out, or write --emit wgsl or --emit json",
    );
  }
  const compiled = compileAsked(() =>
    tools.compile(source, {
      ...request,
      layouts: line.layouts,
      onStage: (name, text) => {
        if (wanted.some((stage) => stage === name)) stages.set(name, text());
      },
    }),
  );
  if (!compiled.ok) return compiled;
  const result = compiled.value;
  report.diagnostics(result.diagnostics, source, file);
  const name = result.ok ? result.plan.name : (request.def ?? "module");
  const plan = result.ok ? result.plan : null;
  const artifacts = wanted.flatMap((stage) =>
    artifactsOf(context, stage, name, { plan, stages, profile: request.profile }),
  );
  if (!result.ok) {
    report.note(`${plural(report.counts().errors, "error")} in ${file}`);
    if (line.output === null) show(context, name, artifacts);
    return success("source");
  }
  warnOfOptions(report, result);
  tellDecisions(report, line.verbose, result);
  const written = await deliver(context, name, artifacts);
  if (!written.ok) return written;
  const sizes = sizesText(result.sizes);
  const kernels = plural(result.plan.kernels.length, "kernel");
  const note = `${name}${sizes === "" ? "" : `  ${sizes}`}  ${kernels}${written.value}`;
  tellEnd(context, note);
  return success("fine");
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

/** What to make where nothing is said: what the name of the file tells, else WGSL. */
function wantedStages(emit: readonly StageName[], output: string | null): readonly StageName[] {
  if (emit.length > 0) return emit;
  const told = endings.find(([ending]) => output?.endsWith(ending) === true);
  return [told?.[1] ?? "wgsl"];
}

/** The table; all of the facts are lines of JSON. */
function factsOf(
  { tools, report }: Context,
  name: string,
  plan: Plan,
  profile: DeviceProfile | undefined,
): readonly Artifact[] {
  const { text, records } = tools.facts(plan, profile);
  for (const record of records) report.record("facts", { def: name, facts: record });
  return [{ stage: "facts", file: `${name}.facts.txt`, text }];
}

function artifactsOf(
  context: Context,
  stage: StageName,
  name: string,
  { plan, stages, profile }: Made,
): readonly Artifact[] {
  const { tools } = context;
  if (plan !== null && stage === "wgsl") {
    const several = plan.kernels.length > 1;
    return plan.kernels.map((kernel, n) => ({
      stage,
      file: `${name}${several ? `.${n}` : ""}.wgsl`,
      text: kernel.wgsl,
    }));
  }
  if (stage === "js" || stage === "dts" || stage === "json") {
    if (plan === null) return [];
    const ending = stage === "dts" ? "d.ts" : stage;
    return [{ stage, file: `${name}.${ending}`, text: tools.emit(plan, stage) }];
  }
  if (stage === "facts") return plan === null ? [] : factsOf(context, name, plan, profile);
  const text = stages.get(stage);
  const file = `${name}.${stage}.${stage === "options" ? "json" : "txt"}`;
  return text === undefined ? [] : [{ stage, file, text }];
}

/** Shows or writes artifacts; the files as they are told to people. */
async function deliver(
  context: Context,
  name: string,
  artifacts: readonly Artifact[],
): Promise<Outcome<string>> {
  const { io, line } = context;
  const [first] = artifacts;
  if (line.output === null || first === undefined) {
    show(context, name, artifacts);
    return success("");
  }
  const single = !line.output.endsWith("/") && (await isFile(context, line.output));
  if (single && artifacts.length > 1) {
    return failed(
      `${artifacts.length} files do not fit into ${line.output}`,
      "give -o a folder, or --emit js or json for all in one file",
    );
  }
  const paths: string[] = [];
  for (const artifact of artifacts) {
    const path = single ? line.output : join(line.output, artifact.file);
    const done = await writeBytes(io, path, ended(artifact.text));
    if (!done.ok) return done;
    paths.push(path);
    context.report.record("output", { def: name, stage: artifact.stage, file: path });
  }
  return success(`  ${paths.join("  ")}`);
}

/** Whether `-o` means a file: what is there already says it, else an ending in its name. */
async function isFile({ io }: Context, path: string): Promise<boolean> {
  const there = await io.kindOf(path);
  return there === "nothing" ? /[^/\\.]\.\w+$/.test(path) : there === "file";
}

function show({ report }: Context, name: string, artifacts: readonly Artifact[]): void {
  for (const { stage, file, text } of artifacts) {
    if (artifacts.length > 1) report.data(`// ---- ${file}\n`);
    report.data(ended(text));
    report.record("output", { def: name, stage, name: file, text });
  }
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
