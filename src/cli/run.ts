import type {
  CompileRequest,
  HostTensor,
  HostTensors,
  Plan,
  Runtime,
  Verification,
} from "./api.ts";
import { type Context, type Job, readJob, sizesText } from "./context.ts";
import { type ExitKind, failed, type Outcome, success } from "./failure.ts";
import { bindInputs, knownNumbers, knownShapes, openInputs } from "./inputs.ts";
import { writeNpy } from "./npy.ts";
import { preview, shapeText } from "./preview.ts";
import { writeBytes } from "./read-files.ts";
import { plural } from "./reporter.ts";
import { runtimeFailure } from "./runtime-failure.ts";

/** The most elements that a record of an output carries as numbers. */
const mostValues = 1000;

/**
 * `tc-compile run FILE`: compiles one definition for the adapter, executes it, shows and writes its
 * outputs, and compares them with the reference if that is asked for.
 */
export async function run(context: Context): Promise<Outcome<ExitKind>> {
  const { line, tools } = context;
  const job = await readJob(context);
  if (!job.ok) return job;
  if (line.adapter === "reference") return await runOn(context, job.value, null);
  let runtime: Runtime;
  try {
    runtime = await tools.openRuntime({ adapter: line.adapter });
  } catch (error) {
    return runtimeFailure(error);
  }
  try {
    return await runOn(context, job.value, runtime);
  } catch (error) {
    return runtimeFailure(error);
  } finally {
    runtime.dispose();
  }
}

/** Runs on a device, or with the reference where there is none. */
async function runOn(
  context: Context,
  job: Job,
  runtime: Runtime | null,
): Promise<Outcome<ExitKind>> {
  const { io, line, report, tools } = context;
  const { source, file, outline } = job;
  const inputs = await openInputs(io, line.inputs, outline.inputs);
  if (!inputs.ok) return inputs;
  const profile = job.request.profile ?? runtime?.profile;
  const request: CompileRequest = {
    ...job.request,
    shapes: knownShapes(inputs.value),
    scalars: knownNumbers(inputs.value),
    ...(profile === undefined ? {} : { profile }),
  };
  const compiled = tools.compile(source, request);
  report.diagnostics(compiled.diagnostics, source, file);
  if (!compiled.ok) {
    report.note(`${plural(report.counts().errors, "error")} in ${file}`);
    return success("source");
  }
  for (const note of compiled.notes ?? []) report.note(`note: ${note}`);
  const { plan, sizes } = compiled;
  const bound = bindInputs(plan, inputs.value, Object.keys(sizes));
  if (!bound.ok) return bound;
  for (const note of bound.value.notes) report.note(`note: ${note}`);
  const missing = unknownOutput(plan, Object.keys(line.outs));
  if (missing !== null) return missing;
  const { tensors } = bound.value;
  const started = io.now();
  const outputs =
    runtime === null ? tools.interpret(source, tensors, request) : await runtime.run(plan, tensors);
  const where = runtime?.adapterText ?? "the float64 reference";
  showOutputs(context, plan, outputs, where);
  const ran = [plan.name, sizesText(sizes), `on ${where}`].filter((part) => part !== "");
  report.note(`ran ${ran.join(" ")}`);
  report.detail(`${plural(plan.kernels.length, "kernel")}, ${Math.round(io.now() - started)} ms`);
  const written = await writeOutputs(context, plan, outputs);
  if (!written.ok) return written;
  return line.verify ? verify(context, job, request, tensors, outputs) : success("fine");
}

function unknownOutput(
  plan: Plan,
  names: readonly string[],
): { readonly ok: false; readonly failure: ReturnType<typeof failed>["failure"] } | null {
  const known = outputsOf(plan).map((buffer) => buffer.name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return null;
  return failed(`${plan.name} has no output ${unknown}`, `its outputs are ${known.join(", ")}`);
}

function outputsOf(plan: Plan): Plan["buffers"] {
  return plan.buffers.filter(({ role }) => role === "output" || role === "inout");
}

function showOutputs({ report }: Context, plan: Plan, outputs: HostTensors, adapter: string): void {
  for (const { name, type } of outputsOf(plan)) {
    const { data, shape } = tensorOf(outputs, name);
    report.data(`${name}  ${type}  ${shapeText(shape)}\n${preview(type, shape, data)}\n`);
    const values = data.length <= mostValues ? { values: [...data] } : {};
    report.record("output", { def: plan.name, name, dtype: type, shape, adapter, ...values });
  }
}

function tensorOf(tensors: HostTensors, name: string): HostTensor {
  const tensor = Object.hasOwn(tensors, name) ? tensors[name] : undefined;
  if (tensor === undefined) throw new Error(`the run gave no output ${name}`);
  return tensor;
}

async function writeOutputs(
  { io, line, report }: Context,
  plan: Plan,
  outputs: HostTensors,
): Promise<Outcome<null>> {
  for (const { name, type } of outputsOf(plan)) {
    const path = Object.hasOwn(line.outs, name) ? line.outs[name] : undefined;
    if (path === undefined) continue;
    const { data, shape } = tensorOf(outputs, name);
    const done = await writeBytes(io, path, writeNpy(type, shape, data));
    if (!done.ok) return done;
    report.note(`wrote ${path}`);
  }
  return success(null);
}

function verify(
  { line, report, tools }: Context,
  { source }: Job,
  request: CompileRequest,
  inputs: HostTensors,
  outputs: HostTensors,
): Outcome<ExitKind> {
  const found = tools.verify(source, inputs, outputs, request, line.verifyBudgetMs);
  report.record("verification", { ...found });
  const [first] = found.wrong;
  if (first !== undefined) {
    const place = `${first.tensor}[${first.index.join(", ")}]`;
    return failed(
      `wrong result: ${place} is ${first.found}, the reference ${first.expected} ` +
        `(allowed difference ${first.allowed.toExponential(2)}); compared ${extent(found)}`,
      "report it as a bug, with the source and the output of tc-compile info",
      "wrong",
    );
  }
  if (found.compared + found.ambiguous === 0 && found.total > 0) {
    return failed(
      `the reference takes longer than ${line.verifyBudgetMs / 1000} s: nothing was compared`,
      "give more time with --verify-budget, or smaller sizes",
    );
  }
  report.note(`verified ${extent(found)}${worstText(found)}`);
  return success("fine");
}

function worstText({ compared, worst }: Verification): string {
  return compared === 0 ? "" : `: at most ${(100 * worst).toFixed(1)} % of the error allowed`;
}

function extent({ compared, ambiguous, total }: Verification): string {
  const ties = ambiguous === 0 ? "" : `; rounding may decide ${ambiguous} either way`;
  if (compared === total) return `all ${plural(total, "element")}`;
  const part = `${compared} of ${plural(total, "element")}`;
  const whole = compared + ambiguous === total;
  return whole ? part + ties : `a sample of ${part} (the budget was spent)${ties}`;
}
