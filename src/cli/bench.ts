import type { CompileRequest, HostTensors, Plan, Runtime, TimedPlan } from "./api.ts";
import { checkTargets } from "./check-targets.ts";
import { compileAsked } from "./compile-asked.ts";
import { type Context, type Job, readJob, sizesText } from "./context.ts";
import { type ExitKind, failed, type Outcome, success } from "./failure.ts";
import { bindInputs, knownNumbers, knownShapes, openInputs } from "./inputs.ts";
import { readJson, writeBytes } from "./read-files.ts";
import { plural } from "./reporter.ts";
import { onRuntime } from "./runtime-failure.ts";
import { duration, figure } from "./tell-times.ts";
import { refuseReference } from "./tune.ts";
import { rememberedOptions, withOptions } from "./tuned-options.ts";

/** What is timed; `tuned` where there is an answer. */
const benched = ["default", "tuned", "naive"] as const;

type Which = (typeof benched)[number];

/** Times as `--save` writes them and `--compare` reads them. */
export interface SavedTimes {
  readonly schema: 1;
  readonly def: string;
  readonly sizes: Readonly<Record<string, number>>;
  readonly adapter: string;
  readonly times: Readonly<Partial<Record<Which, TimedPlan>>>;
}

/** `tc-compile bench FILE`: times default, tuned and naive options in turns; compares with times that were kept. */
export async function bench(context: Context): Promise<Outcome<ExitKind>> {
  const { io, line } = context;
  const refused = refuseReference("bench", line.adapter);
  if (refused !== null) return refused;
  const writable = await checkTargets(io, line.save === null ? [] : [line.save]);
  if (!writable.ok) return writable;
  const base = line.compare === null ? null : await readTimes(context, line.compare);
  if (base !== null && !base.ok) return base;
  const job = await readJob(context);
  if (!job.ok) return job;
  return await onRuntime(context, (runtime) =>
    benchOn(context, runtime, job.value, base === null ? null : base.value),
  );
}

async function benchOn(
  context: Context,
  runtime: Runtime,
  job: Job,
  base: SavedTimes | null,
): Promise<Outcome<ExitKind>> {
  const { io, line, report } = context;
  const prepared = await prepare(context, job, runtime);
  if (!prepared.ok) return prepared;
  if (prepared.value === null) return success("source");
  const { plans, tensors, sizes } = prepared.value;
  const found = await runtime.timeInTurns(
    plans.map(({ plan }) => plan),
    tensors,
  );
  const times = Object.fromEntries(
    plans.flatMap(({ which }, n) => {
      const timed = found[n];
      return timed === undefined ? [] : [[which, timed] as const];
    }),
  ) as SavedTimes["times"];
  const def = plans[0]?.plan.name ?? "";
  const measured: SavedTimes = { schema: 1, def, sizes, adapter: runtime.adapterText, times };
  tellTimes(context, measured);
  if (line.save !== null) {
    const written = await writeBytes(io, line.save, `${JSON.stringify(measured, null, 2)}\n`);
    if (!written.ok) return written;
    report.note(`wrote ${line.save}`);
  }
  return base === null ? success("fine") : compareTimes(context, measured, base);
}

/** What is measured, with its inputs; null where the source has errors, which are then reported. */
async function prepare(
  context: Context,
  { source, file, outline, request: asked }: Job,
  runtime: Runtime,
): Promise<
  Outcome<{
    readonly plans: readonly { readonly which: Which; readonly plan: Plan }[];
    readonly tensors: HostTensors;
    readonly sizes: Readonly<Record<string, number>>;
  } | null>
> {
  const { io, line, report, tools } = context;
  const inputs = await openInputs(io, line.inputs, outline.inputs);
  if (!inputs.ok) return inputs;
  const request: CompileRequest = {
    ...asked,
    shapes: knownShapes(inputs.value),
    scalars: knownNumbers(inputs.value),
    profile: runtime.profile,
  };
  const plans: { which: Which; plan: Plan }[] = [];
  let sizes: Readonly<Record<string, number>> = {};
  const tunedRequest = async (): Promise<CompileRequest | null> => {
    const known = await rememberedOptions(context, runtime, source, { ...request, sizes });
    return known === null ? null : withOptions(request, known);
  };
  for (const which of benched) {
    const wanted = which === "tuned" ? await tunedRequest() : { ...request, options: which };
    if (wanted === null) continue;
    const compiled = compileAsked(() => tools.compile(source, wanted));
    if (!compiled.ok) return compiled;
    if (which === "default") report.diagnostics(compiled.value.diagnostics, source, file);
    if (!compiled.value.ok) {
      report.note(`${plural(report.counts().errors, "error")} in ${file}`);
      return success(null);
    }
    plans.push({ which, plan: compiled.value.plan });
    sizes = compiled.value.sizes;
  }
  const [first] = plans;
  if (first === undefined) return success(null);
  const bound = bindInputs(first.plan, inputs.value, Object.keys(sizes));
  if (!bound.ok) return bound;
  for (const note of bound.value.notes) report.note(`note: ${note}`);
  return success({ plans, tensors: bound.value.tensors, sizes });
}

function tellTimes({ report }: Context, { def, sizes, adapter, times }: SavedTimes): void {
  const first = times.default;
  for (const which of benched) {
    const timed = times[which];
    if (timed === undefined) continue;
    const ratio =
      first === undefined || which === "default" ? "" : `  ${figure(first.us / timed.us)}x`;
    const spread = `${duration(timed.us)} +- ${duration(timed.mad)}`;
    report.data(`${which.padEnd(8)} ${spread}, the median of ${timed.n}${ratio}\n`);
    report.record("timing", { def, which, ...timed, adapter });
  }
  const title = [def, sizesText(sizes)].filter((part) => part !== "").join(" ");
  report.note(`timed ${title} on ${adapter}`);
  if (times.tuned === undefined) {
    report.note("note: no tuned options are known here: tc-compile tune finds some");
  }
}

/** The times of a file that `--save` wrote. */
async function readTimes({ io }: Context, path: string): Promise<Outcome<SavedTimes>> {
  const read = await readJson(io, path);
  if (!read.ok) return read;
  const { schema, times } = (read.value ?? {}) as Partial<SavedTimes>;
  const isTimes =
    schema === 1 &&
    typeof times === "object" &&
    times !== null &&
    Object.values(times).every((one) => typeof one?.us === "number");
  if (isTimes) return success(read.value as SavedTimes);
  return failed(`${path} holds no times`, "write one with tc-compile bench FILE --save");
}

/** Exit 5 where one of the times has grown by more than it may, and by more than it varies. */
function compareTimes(
  { line, report }: Context,
  found: SavedTimes,
  base: SavedTimes,
): Outcome<ExitKind> {
  const other = differenceOf(found, base);
  if (other !== null) {
    return failed(
      `${line.compare} has times of ${other}`,
      "compare times of one definition, sizes and adapter: save them anew with --save",
    );
  }
  let worse = 0;
  for (const which of benched) {
    const [now, before] = [found.times[which], base.times[which]];
    if (now === undefined || before === undefined) continue;
    const grown = now.us / before.us - 1;
    const noise = 3 * (now.mad + before.mad);
    const lost = grown > line.failOver && now.us - before.us > noise;
    const word = grown > 0 ? "slower" : "faster";
    const text = `${which}: ${duration(before.us)} before, ${figure(100 * Math.abs(grown))}% ${word}`;
    report.note(lost ? `${text}: a regression` : text);
    worse += lost ? 1 : 0;
  }
  return success(worse > 0 ? "regression" : "fine");
}

/** What keeps two measurements from being compared; null if nothing does. */
function differenceOf(found: SavedTimes, base: SavedTimes): string | null {
  if (base.def !== found.def) return base.def;
  if (base.adapter !== found.adapter) return base.adapter;
  const sizes = sizesText(base.sizes);
  return sizes === sizesText(found.sizes) ? null : sizes;
}
