import { own } from "../support/own.ts";
import type {
  CompileRequest,
  HostTensor,
  HostTensors,
  KnownOptions,
  Plan,
  RunTimes,
  Runtime,
} from "./api.ts";
import { checkTargets } from "./check-targets.ts";
import { compileAsked } from "./compile-asked.ts";
import { type Context, type Job, readJob, sizesText } from "./context.ts";
import { type ExitKind, failed, type Outcome, success } from "./failure.ts";
import { bindInputs, knownNumbers, knownShapes, openInputs, shapeNotes } from "./inputs.ts";
import { writeNpy } from "./npy.ts";
import { tellDecisions, warnOfOptions } from "./option-warnings.ts";
import { preview, shapeText } from "./preview.ts";
import { startProgress } from "./progress.ts";
import { writeBytes } from "./read-files.ts";
import { plural } from "./reporter.ts";
import { onRuntime } from "./runtime-failure.ts";
import { tellNonfinite } from "./tell-nonfinite.ts";
import { checkTimed, measureTimes, tellTimes } from "./tell-times.ts";
import { withNextOptions, withTunedOptions } from "./tuned-options.ts";
import { refuseVerification, verifyOutputs } from "./verify-outputs.ts";

/**
 * `tc-compile run FILE`: compiles one definition for the adapter, executes it, shows and writes its
 * outputs, and compares them with the reference if that is asked for.
 */
export async function run(context: Context): Promise<Outcome<ExitKind>> {
  const { line } = context;
  const refused = refuseVerification(line);
  if (refused !== null) return refused;
  const { outs, dumps, trace } = line;
  const paths = [
    ...Object.values(outs),
    ...Object.values(dumps),
    ...(trace === null ? [] : [trace]),
  ];
  const writable = await checkTargets(context.io, paths);
  if (!writable.ok) return writable;
  const job = await readJob(context);
  if (!job.ok) return job;
  const timed = checkTimed(line);
  if (!timed.ok) return timed;
  if (line.adapter === "reference") return await runOn(context, job.value, null);
  return await onRuntime(context, (runtime) => runOn(context, job.value, runtime));
}

/** A compiled definition with the tensors that it takes. */
interface Prepared {
  readonly source: string;
  readonly request: CompileRequest;
  /** Before tuned options took the place of what it asks for. */
  readonly asked: CompileRequest;
  readonly plan: Plan;
  readonly sizes: Readonly<Record<string, number>>;
  readonly tensors: HostTensors;
  /** Milliseconds of the compiler. */
  readonly compileMs: number;
}

/** Runs on a device, or with the reference where there is none. */
async function runOn(
  context: Context,
  job: Job,
  runtime: Runtime | null,
): Promise<Outcome<ExitKind>> {
  const prepared = await prepare(context, job, runtime);
  if (!prepared.ok) return prepared;
  return prepared.value === null
    ? success("source")
    : await execute(context, prepared.value, runtime);
}

/** Compiles and reads the inputs; null where the source has errors, which are then reported. */
async function prepare(
  context: Context,
  { source, file, outline, request: asked }: Job,
  runtime: Runtime | null,
): Promise<Outcome<Prepared | null>> {
  const { io, line, report, tools } = context;
  const inputs = await openInputs(io, line.inputs, outline.inputs);
  if (!inputs.ok) return inputs;
  const profile = asked.profile ?? runtime?.profile;
  const known: CompileRequest = {
    ...asked,
    shapes: knownShapes(inputs.value),
    scalars: knownNumbers(inputs.value),
    ...(profile === undefined ? {} : { profile }),
    ...(Object.keys(line.dumps).length === 0 ? {} : { temporaries: Object.keys(line.dumps) }),
  };
  const tuned =
    runtime === null ? success(known) : await withTunedOptions(context, runtime, source, known);
  if (!tuned.ok) return tuned;
  const request = tuned.value;
  const begun = io.now();
  const asking = compileAsked(() => tools.compile(source, request));
  if (!asking.ok) return asking;
  const compiled = asking.value;
  const compileMs = io.now() - begun;
  report.diagnostics(compiled.diagnostics, source, file);
  if (!compiled.ok) {
    for (const note of shapeNotes(inputs.value)) report.note(`note: ${note}`);
    report.note(`${plural(report.counts().errors, "error")} in ${file}`);
    return success(null);
  }
  warnOfOptions(report, compiled);
  tellDecisions(report, line.verbose, compiled);
  const { plan, sizes } = compiled;
  const bound = bindInputs(plan, inputs.value, Object.keys(sizes));
  if (!bound.ok) return bound;
  for (const note of bound.value.notes) report.note(`note: ${note}`);
  const missing = unknownOutput(plan, Object.keys(line.outs));
  if (missing !== null) return missing;
  const { tensors } = bound.value;
  return success({
    ...{ source, request, plan, sizes, tensors, compileMs },
    asked: { ...known, sizes },
  });
}

/** What a device made of a plan. */
interface Launched {
  readonly times: RunTimes | null;
  readonly outputs: HostTensors;
  /** Milliseconds until there were outputs. */
  readonly ms: number;
}

async function launch(
  { io, line }: Context,
  { plan, tensors }: Prepared,
  runtime: Runtime,
): Promise<Launched> {
  const times = await measureTimes(line, runtime, plan, tensors);
  const started = io.now();
  const progress = startProgress(io, line);
  const outputs = await runtime.run(plan, tensors, progress.step).finally(progress.end);
  return { times, outputs, ms: io.now() - started };
}

/** By the reference, where there is no device. */
function interpretPlainly(
  { io, tools }: Context,
  { source, request, tensors }: Prepared,
): Launched {
  const started = io.now();
  const outputs = tools.interpret(source, tensors, request);
  return { times: null, outputs, ms: io.now() - started };
}

/** Where options that tuning found do not run, the next best ones that are known do, else the default. */
async function launchSomehow(
  context: Context,
  prepared: Prepared,
  runtime: Runtime,
): Promise<Launched & { readonly prepared: Prepared }> {
  const { source, asked } = prepared;
  const isTuned = context.line.tune || asked.options === "tuned";
  const refused: KnownOptions[] = [];
  for (let own = prepared; ; ) {
    const { def, options = "default" } = own.request;
    try {
      return { prepared: own, ...(await launch(context, own, runtime)) };
    } catch (error) {
      if (!isTuned || options === "default") throw error;
      refused.push({ options, alternative: def === asked.def ? null : (def ?? null) });
      const fault = { error, refused };
      const request = await withNextOptions(context, runtime, source, asked, fault);
      const compiled = context.tools.compile(source, request);
      if (!compiled.ok) throw error;
      own = { ...own, request, plan: compiled.plan };
    }
  }
}

async function execute(
  context: Context,
  asked: Prepared,
  runtime: Runtime | null,
): Promise<Outcome<ExitKind>> {
  const { line, report } = context;
  const { source, sizes, tensors, compileMs } = asked;
  const { prepared, times, outputs, ms } =
    runtime === null
      ? { prepared: asked, ...interpretPlainly(context, asked) }
      : await launchSomehow(context, asked, runtime);
  const { request, plan } = prepared;
  const where = runtime?.adapterText ?? "the float64 reference";
  showOutputs(context, plan, outputs);
  const ran = [plan.name, sizesText(sizes), `on ${where}`].filter((part) => part !== "");
  report.note(`ran ${ran.join(" ")}`);
  report.detail(`${plural(plan.kernels.length, "kernel")}, ${Math.round(ms)} ms`);
  const written = await writeOutputs(context, plan, outputs);
  if (!written.ok) return written;
  recordOutputs(context, plan, outputs, where);
  if (times !== null) {
    const told = await tellTimes(context, plan, where, times, compileMs);
    if (!told.ok) return told;
  }
  if (line.findNonfinite) tellNonfinite(context, source, request, tensors, outputs);
  if (!line.verify) return success("fine");
  return verifyOutputs(context, source, request, tensors, outputs);
}

function unknownOutput(
  plan: Plan,
  names: readonly string[],
): { readonly ok: false; readonly failure: ReturnType<typeof failed>["failure"] } | null {
  const known = outputsOf(plan).map((buffer) => buffer.name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return null;
  return failed(
    `${plan.name} has no output ${unknown}`,
    `its outputs are ${known.join(", ")}; --dump ${unknown} writes a temporary of that name`,
  );
}

function outputsOf(plan: Plan): Plan["buffers"] {
  return plan.buffers.filter(({ role }) => role === "output" || role === "inout");
}

function showOutputs({ report }: Context, plan: Plan, outputs: HostTensors): void {
  for (const { name, type } of outputsOf(plan)) {
    const { data, shape } = tensorOf(outputs, name);
    report.data(`${name}  ${type}  ${shapeText(shape)}\n${preview(type, shape, data)}\n`);
  }
}

/** A record of each output; elements are left out of those that are longer than asked for. */
function recordOutputs(
  { line, report }: Context,
  plan: Plan,
  outputs: HostTensors,
  adapter: string,
): void {
  for (const { name, type } of outputsOf(plan)) {
    const { data, shape } = tensorOf(outputs, name);
    report.record("output", {
      def: plan.name,
      name,
      dtype: type,
      shape,
      adapter,
      count: data.length,
      ...(data.length <= line.values ? { values: [...data] } : {}),
      ...fileOf(line, name),
    });
  }
}

/** The file that a tensor is to be written to, if it is. */
function fileOf({ outs, dumps }: Context["line"], name: string): { readonly file?: string } {
  const file = own(outs, name) ?? own(dumps, name);
  return file === undefined ? {} : { file };
}

function tensorOf(tensors: HostTensors, name: string): HostTensor {
  const tensor = own(tensors, name);
  if (tensor === undefined) throw new Error(`the run gave no output ${name}`);
  return tensor;
}

async function writeOutputs(
  { io, line, report }: Context,
  plan: Plan,
  outputs: HostTensors,
): Promise<Outcome<null>> {
  for (const { name, type } of outputsOf(plan)) {
    const { file: path } = fileOf(line, name);
    if (path === undefined) continue;
    const { data, shape } = tensorOf(outputs, name);
    const done = await writeBytes(io, path, writeNpy(type, shape, data));
    if (!done.ok) return done;
    report.note(`wrote ${path}`);
  }
  return success(null);
}
