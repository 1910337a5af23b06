import type { CompileRequest, KnownOptions, Runtime } from "./api.ts";
import { compileAsked } from "./compile-asked.ts";
import type { Context } from "./context.ts";
import { failed, type Outcome, success } from "./failure.ts";
import { tuneAndShow } from "./tune-and-show.ts";

/**
 * A request with the options that `--options tuned` and `--tune` stand for: those that are remembered for the device,
 * or were found just now. As it is where neither was asked for, and where the source has errors.
 */
export async function withTunedOptions(
  context: Context,
  runtime: Runtime,
  source: string,
  request: CompileRequest,
): Promise<Outcome<CompileRequest>> {
  const { line, tools } = context;
  if (!line.tune && request.options !== "tuned") return success(request);
  const plain = { ...request, options: "default" };
  const compiled = compileAsked(() => tools.compile(source, plain));
  if (!compiled.ok) return compiled;
  if (!compiled.value.ok) return success(plain);
  const { sizes, plan } = compiled.value;
  const asked = { ...request, sizes };
  if (line.tune) return success(withOptions(request, await tuned(context, runtime, source, asked)));
  const known = await rememberedOptions(context, runtime, source, asked);
  if (known !== null) return success(withOptions(request, known));
  return failed(
    `no tuned options are known for ${plan.name} on ${runtime.adapterText}`,
    `find some with tc-compile tune ${request.file}, or write --options default`,
  );
}

/** The best options that are remembered, null where none are; what cannot be read of the records is told. */
export async function rememberedOptions(
  { line, report }: Context,
  runtime: Runtime,
  source: string,
  request: CompileRequest,
  refused: readonly KnownOptions[] = [],
): Promise<KnownOptions | null> {
  const { known, notes } = await runtime.tuned(source, request, line.db, refused);
  for (const note of notes)
    report.warning("options", note, "tc-compile db prune drops what cannot be read");
  return known;
}

/**
 * A request with what takes the place of options that tuning found and that do not run on the device: the next best ones
 * that are known, else the default. Says so.
 * @throws the error itself, where that is no fault of options.
 */
export async function withNextOptions(
  context: Context,
  runtime: Runtime,
  source: string,
  request: CompileRequest,
  { error, refused }: { readonly error: unknown; readonly refused: readonly KnownOptions[] },
): Promise<CompileRequest> {
  const isFault = error instanceof Error && "kind" in error && error.kind !== "argument";
  if (!isFault) throw error;
  const known = await rememberedOptions(context, runtime, source, request, refused);
  const next = known === null ? "the default takes" : "the next best ones that are known take";
  context.report.note(
    `note: tuned options do not run here (${error.message}): ${next} their place`,
  );
  return known === null ? { ...request, options: "default" } : withOptions(request, known);
}

/** A request with options that are known. */
export function withOptions(request: CompileRequest, known: KnownOptions): CompileRequest {
  const { options, alternative } = known;
  return { ...request, options, ...(alternative === null ? {} : { def: alternative }) };
}

async function tuned(
  context: Context,
  runtime: Runtime,
  source: string,
  request: CompileRequest,
): Promise<KnownOptions> {
  const { line } = context;
  // Whoever runs something waits for it: a few variants, unless more was asked for.
  const effort = line.effort ?? (line.budgetMs === null ? "refine" : null);
  const { events } = await tuneAndShow(
    { ...context, line: { ...line, effort } },
    runtime,
    source,
    request,
  );
  const last = events.at(-1);
  if (last?.type !== "done") throw new Error("tuning ended without a result");
  return last.result;
}
