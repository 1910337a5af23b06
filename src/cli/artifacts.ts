/** The texts that a build makes, and where they go. */
import { join } from "node:path";
import type { DeviceProfile } from "../support/device-profile.ts";
import type { Plan, PlanFor } from "./api.ts";
import type { Context } from "./context.ts";
import { failed, type Outcome, success } from "./failure.ts";
import type { StageName } from "./flags.ts";
import { writeBytes } from "./read-files.ts";

/** A text that a build makes, and the name of a file for it. */
export interface Artifact {
  readonly stage: StageName;
  readonly file: string;
  readonly text: string;
}

/** What was compiled, once or for each of several profiles. */
export interface Made {
  /** None where the source has errors. */
  readonly plans: readonly PlanFor[];
  /** Texts by stage. */
  readonly stages: ReadonlyMap<string, string>;
  readonly profile: DeviceProfile | undefined;
}

/** True of what is made of all plans: a module, and its types. */
export function isOfModule(stage: StageName): stage is "js" | "dts" {
  return stage === "js" || stage === "dts";
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

/** The texts of a stage; none where it was not reached. */
export function artifactsOf(
  context: Context,
  stage: StageName,
  name: string,
  made: Made,
): readonly Artifact[] {
  const { plans, stages } = made;
  const plan = plans[0]?.plan;
  const isOfPlan = stage === "wgsl" || stage === "json" || stage === "facts" || isOfModule(stage);
  if (isOfPlan) return plan === undefined ? [] : artifactsOfPlan(context, stage, plan, made);
  const text = stages.get(stage);
  const file = `${name}.${stage}.${stage === "options" ? "json" : "txt"}`;
  return text === undefined ? [] : [{ stage, file, text }];
}

function artifactsOfPlan(
  context: Context,
  stage: "wgsl" | "json" | "facts" | "js" | "dts",
  plan: Plan,
  { plans, profile }: Made,
): readonly Artifact[] {
  const { tools } = context;
  const { name, kernels } = plan;
  switch (stage) {
    case "wgsl":
      return kernels.map(({ wgsl: text }, n) => {
        const number = kernels.length > 1 ? `.${n}` : "";
        return { stage, file: `${name}${number}.wgsl`, text };
      });
    case "json":
      return [{ stage, file: `${name}.json`, text: tools.emitData(plan) }];
    case "facts":
      return factsOf(context, name, plan, profile);
    default: {
      const text = tools.emit(plans.length === 1 ? plan : plans, stage);
      return [{ stage, file: `${name}.${stage === "dts" ? "d.ts" : stage}`, text }];
    }
  }
}

/** Shows or writes artifacts; the files as they are told to people. */
export async function deliver(
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

/** Writes artifacts to standard output. */
export function show({ report }: Context, name: string, artifacts: readonly Artifact[]): void {
  for (const { stage, file, text } of artifacts) {
    if (artifacts.length > 1) report.data(`// ---- ${file}\n`);
    report.data(ended(text));
    report.record("output", { def: name, stage, name: file, text });
  }
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
