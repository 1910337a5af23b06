import { version } from "../../package.json";
import { type ModulePlans, planData, printModule, printTypes } from "../emit.ts";
import {
  applyFixes,
  baselineProfile,
  check,
  compile,
  type Diagnostic,
  facts,
  findNonfinite,
  format,
  type InterpretRequest,
  interpret,
  type Mapping,
  outline,
  type Plan,
  type PolicyName,
  passesOf,
  printFacts,
  printPasses,
  printStage,
  records,
  render,
  verify,
} from "../index.ts";
import type * as api from "./api.ts";
import { timeInTurns } from "./time-in-turns.ts";

/**
 * Points that the reference with error bounds computes in a millisecond on a slow machine: budgets
 * are counted in points, so that the same command compares the same elements everywhere.
 */
const pointsPerMs = 2_500;

/** The compiler of this package, and the device of this machine. */
export const toolchain: api.Toolchain = {
  version,
  outline,
  check: (source, { def, sizes }) =>
    check(source, { sizes, ...(def === undefined ? {} : { def }) }).diagnostics,
  compile: (source, request) => {
    const { def, temporaries, layouts, shapes, profile, onStage } = request;
    const result = compile(source, {
      sizes: sizesOf(source, request),
      // The command line has checked what a file of options holds.
      options: (request.options ?? "default") as PolicyName | Mapping,
      ...(def === undefined ? {} : { def }),
      ...(temporaries === undefined ? {} : { temporaries }),
      ...(layouts === undefined ? {} : { layouts }),
      ...(shapes === undefined ? {} : { shapes }),
      ...(profile === undefined ? {} : { profile }),
      onStage: (stage) => onStage?.(stage.stage, () => printStage(stage)),
    });
    if (result.ok) onStage?.("passes", () => printPasses(passesOf(result, profile)));
    return result;
  },
  interpret: (source, inputs, request) => interpret(source, inputs, callOf(source, request)),
  verify: (source, inputs, outputs, request, { budgetMs, rtol, atol }) =>
    verify(source, inputs, outputs, {
      ...callOf(source, request),
      maxPoints: budgetMs * pointsPerMs,
      ...(rtol === null ? {} : { rtol }),
      ...(atol === null ? {} : { atol }),
    }),
  findNonfinite: (source, inputs, outputs, request, budgetMs) => {
    const maxPoints = budgetMs * pointsPerMs;
    return findNonfinite(source, inputs, { ...callOf(source, request), outputs, maxPoints });
  },
  // What commands hand back is what `check` and `compile` gave them.
  explanations,
  facts: (plan, profile = baselineProfile) => {
    const found = facts(plan as Plan, profile);
    return { text: printFacts(found), records: found };
  },
  emit: (plans, form) => {
    const print = form === "js" ? printModule : printTypes;
    return print(plans as ModulePlans, { producer: `tc-wgsl ${version}` });
  },
  emitData: (plan) => `${JSON.stringify(planData(plan as Plan), null, 2)}\n`,
  format,
  fix: (source, diagnostics) => applyFixes(source, diagnostics as readonly Diagnostic[]),
  render: (diagnostics, options) => render(diagnostics as readonly Diagnostic[], options),
  records: (diagnostics, options) => records(diagnostics as readonly Diagnostic[], options),
  openRuntime,
  lockedOptions: async (lock, source, request) =>
    (await import("./tuning-tools.ts")).lockedOptions(lock, source, request),
  lockText: async (before, result, source, profile) =>
    (await import("./tuning-tools.ts")).lockText(before, result, source, profile),
  openRecords: async (path) => await (await import("./tuning-tools.ts")).openRecords(path),
  tuningReport: async (events, environment, reuse) =>
    (await import("./tuning-tools.ts")).tuningReport(events, environment, reuse),
  openValidator,
  serve,
};

/** The sizes of flags, and the integer inputs that have to be known to compile. */
function sizesOf(source: string, request: api.CompileRequest): Readonly<Record<string, number>> {
  const { scalars = {}, sizes, def } = request;
  const { definitions } = outline(source);
  const definition = definitions.find((d) => d.name === def || definitions.length === 1);
  const known = Object.entries(scalars).filter(([name]) => definition?.parameters.includes(name));
  return { ...Object.fromEntries(known), ...sizes };
}

function callOf(source: string, request: api.CompileRequest): InterpretRequest {
  const { file, def, temporaries } = request;
  return {
    sizes: sizesOf(source, request),
    file,
    ...(def === undefined ? {} : { def }),
    ...(temporaries === undefined ? {} : { temporaries }),
  };
}

/** Loaded only when a command needs a device, so that the others start fast. */
async function openRuntime(request: api.RuntimeRequest): Promise<api.Runtime> {
  const node = await import("../node.ts");
  const runtime = await node.openRuntime(request);
  return {
    adapterText: node.adapterText(runtime.adapter),
    profile: runtime.profile,
    run: async (plan, inputs, onStep) => {
      const compiling = (done: number, total: number): void =>
        onStep?.(`compiling pipelines: ${done} of ${total}`);
      compiling(0, plan.kernels.length);
      // The plan is one that `compile` made.
      const loaded = await runtime.load(plan as Plan, { onCompiled: compiling });
      onStep?.("first run, in which some drivers compile kernels once more");
      const outputs = await loaded.run(inputs);
      const read = Object.entries(outputs).map(
        async ([name, tensor]): Promise<readonly [string, api.HostTensor]> => [
          name,
          { data: await tensor.read(), shape: tensor.shape },
        ],
      );
      return Object.fromEntries(await Promise.all(read));
    },
    time: async (plan, inputs) => {
      const loaded = await runtime.load(plan as Plan);
      const profile = await loaded.profile(inputs);
      const ceilings = await runtime.ceilings();
      const adapter = node.adapterText(runtime.adapter);
      const trace = (compileMs: number): object =>
        node.chromeTrace(profile, { adapter, compileMs });
      return { ...profile, ceilings, trace };
    },
    tuned: async (source, asked, db, refused) =>
      await (await import("./tuning-tools.ts")).knownOptions(runtime, source, asked, db, refused),
    reuse: async (source, asked, db) =>
      await (await import("./tuning-tools.ts")).knownLosses(runtime, source, asked, db),
    tune: async function* (source, asked) {
      const { tuneOn } = await import("./tuning-tools.ts");
      yield* tuneOn(runtime, source, asked);
    },
    timeInTurns: async (plans, inputs) => {
      const loaded = await Promise.all(plans.map((plan) => runtime.load(plan as Plan)));
      const times = await timeInTurns(loaded.map((one) => (minMs) => one.time(inputs, { minMs })));
      for (const one of loaded) one.dispose();
      return times;
    },
    dispose: runtime.dispose,
  };
}

/** Loaded only when a command needs it. */
async function openValidator(): Promise<api.Validator> {
  const node = await import("../node.ts");
  const validator = await node.openValidator();
  return {
    validate: async (plan) => (await validator.validate(plan as Plan))?.message ?? null,
    dispose: validator.dispose,
  };
}

/** Loaded only when a command needs it. */
async function serve(options: api.ServeOptions): Promise<void> {
  const { servePlayground } = await import("./process/serve-playground.ts");
  const { servedRecords } = await import("./tuning-tools.ts");
  await servePlayground(options, servedRecords(options.db));
}

/** Loaded only when a command needs it. */
async function explanations(): Promise<readonly api.Explanation[]> {
  const { diagnosticCodes, explain } = await import("../explain.ts");
  return diagnosticCodes.flatMap((code) => {
    const page = explain(code);
    if (page === null) return [];
    return [{ code, title: page.title.replace(`${code}: `, ""), text: page.markdown }];
  });
}
