import type { CompileRequest, DefinitionOutline, Plan, Validator } from "./api.ts";
import { type Context, sizesText } from "./context.ts";
import { failed, type Outcome, success } from "./failure.ts";
import { tellDecisions, warnOfOptions } from "./option-warnings.ts";
import { readOptions, readProfiles, type SourceFile } from "./read-files.ts";
import { plural } from "./reporter.ts";
import { runtimeFailure } from "./runtime-failure.ts";

/**
 * Compiles definitions and lets a WGSL compiler check the code, without a device. Reports what the
 * compilation has to say; what the WGSL compiler refuses is our own bug, a failure of kind
 * `internal` with all that a report of it needs.
 */
export async function validate(
  context: Context,
  { file, source }: SourceFile,
  definitions: readonly DefinitionOutline[],
): Promise<Outcome<null>> {
  const { io, line, tools } = context;
  const options = await readOptions(io, line);
  if (!options.ok) return options;
  const profiles = await readProfiles(io, line);
  if (!profiles.ok) return profiles;
  const [profile] = profiles.value;
  let validator: Validator;
  try {
    validator = await tools.openValidator();
  } catch (error) {
    const { failure } = runtimeFailure(error);
    return failed(failure.message, "install the package, or leave --validate out", failure.exit);
  }
  try {
    for (const definition of definitions) {
      const request: CompileRequest = {
        file,
        def: definition.name,
        sizes: ownSizes(definition, definitions, line.sizes),
        options: options.value,
        ...(profile === undefined ? {} : { profile }),
      };
      const done = await validateOne(context, validator, source, request);
      if (!done.ok) return done;
    }
    return success(null);
  } finally {
    validator.dispose();
  }
}

/** The sizes of flags without those that only other definitions have. */
function ownSizes(
  own: DefinitionOutline,
  all: readonly DefinitionOutline[],
  sizes: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> {
  const has = (one: DefinitionOutline, name: string): boolean =>
    one.sizes.includes(name) || one.parameters.includes(name);
  const kept = Object.entries(sizes).filter(
    ([name]) => has(own, name) || !all.some((other) => has(other, name)),
  );
  return Object.fromEntries(kept);
}

async function validateOne(
  { line, report, tools }: Context,
  validator: Validator,
  source: string,
  request: CompileRequest,
): Promise<Outcome<null>> {
  const compiled = tools.compile(source, request);
  report.diagnostics(compiled.diagnostics, source, request.file);
  if (!compiled.ok) return success(null);
  warnOfOptions(report, compiled);
  tellDecisions(report, line.verbose, compiled);
  const { plan, sizes } = compiled;
  const fault = await validator.validate(plan);
  const kernels = plan.kernels.length;
  if (fault === null) {
    report.record("validation", { file: request.file, def: plan.name, sizes, kernels });
    const at = sizesText(sizes);
    report.note(`valid ${plan.name}${at === "" ? "" : ` ${at}`}: ${plural(kernels, "kernel")}`);
    return success(null);
  }
  return failed(
    `internal error: the WGSL of ${plan.name} is not valid: ${fault}`,
    "report it as a bug, with the source and what follows",
    "internal",
    {
      options: JSON.stringify(Object.fromEntries(compiled.decisions.map((d) => [d.path, d.value]))),
      sizes: sizesText(sizes),
      wgsl: wgslOf(plan),
    },
  );
}

function wgslOf(plan: Plan): string {
  return plan.kernels.map(({ wgsl }) => wgsl).join("\n");
}
