/** Mutants of the kernels of all classes, and which gate catches each. */
import { createDeviceBench } from "../../../../src/api/tuning/device-bench.ts";
import type { Results } from "../../../../src/api/tuning/gate-case.ts";
import { drawGateInputs, type GateInputs } from "../../../../src/api/tuning/gate-inputs.ts";
import { isUnplanned, planTask, taskProgram } from "../../../../src/api/tuning/planned-task.ts";
import { createPlanner } from "../../../../src/api/tuning/planner.ts";
import { interpretPlan } from "../../../../src/codegen/interpret-kernel/interpret-plan.ts";
import type { Plan } from "../../../../src/codegen/plan.ts";
import { scaleOf } from "../../../../src/ir/interpret/judge.ts";
import type { Runtime } from "../../../../src/runtime/runtime.ts";
import type { Mapping } from "../../../../src/support/mapping-file.ts";
import { seededRandom } from "../../../../src/support/random.ts";
import type { TensorData } from "../../../../src/support/scalar-type.ts";
import type { Refusal } from "../../../../src/tuner/bench.ts";
import { sweepSizes } from "../../../../src/tuner/sweep-sizes.ts";
import type { KernelClass } from "../../../differential/kernel-classes.ts";
import { type Mutation, mutatePlan, mutationsOf } from "./mutate-plan.ts";

type Sizes = Readonly<Record<string, number>>;

/** What became of a mutant. */
export interface Mutant {
  readonly name: string;
  /** `same`: it computes what it should at all sizes, as the kernel interpreter says: it is no mistake. */
  readonly fate: "caught" | "survived" | "refused" | "same";
  /** What caught it, and why. */
  readonly by: string;
}

function planAt(of: KernelClass, sizes: Sizes, mapping: Mapping, runtime: Runtime): Plan | null {
  const program = taskProgram({ source: of.source }, sizes, runtime.profile);
  if (isUnplanned(program)) return null;
  const planned = planTask(program, runtime.profile, mapping);
  return isUnplanned(planned) ? null : planned.plan;
}

/** A plan at one set of sizes, with inputs, and what the kernel interpreter makes of them. */
interface Right {
  readonly plan: Plan;
  readonly runs: readonly { readonly inputs: GateInputs; readonly outputs: Results }[];
}

function rightAt(of: KernelClass, sizes: Sizes, mapping: Mapping, runtime: Runtime): Right | null {
  const program = taskProgram({ source: of.source }, sizes, runtime.profile);
  const plan = planAt(of, sizes, mapping, runtime);
  if (isUnplanned(program) || plan === null) return null;
  const runs = (["integers", "signed", "positive"] as const).map((population) => {
    const inputs = drawGateInputs(program.program, population, 3);
    return { inputs, outputs: interpretPlan(plan, inputs).outputs };
  });
  return { plan, runs };
}

/** What rounding in another order may do: mutants that change nothing else are right. */
const rounding = 2 ** -16;

function isNear(right: TensorData, found: TensorData | undefined): boolean {
  const scale = scaleOf(Float64Array.from(right));
  return right.every((v: number, n: number) => {
    const other = found?.[n] ?? Number.NaN;
    return Object.is(v, other) || Math.abs(v - other) <= rounding * Math.max(Math.abs(v), scale);
  });
}

/** Whether a mutant computes the same as what it was made of, and does nothing wrong on the way. */
function isSame({ plan, runs }: Right, mutation: Mutation): boolean {
  const mutant = mutatePlan(plan, mutation);
  if (mutant === null) return true;
  try {
    return runs.every(({ inputs, outputs }) => {
      const found = interpretPlan(mutant, inputs);
      const names = Object.entries(outputs);
      return (
        found.faults.length === 0 && names.every(([name, v]) => isNear(v, found.outputs[name]))
      );
    });
  } catch {
    return false;
  }
}

/** How many mutants of a class there are to be, and from which seed they are drawn. */
export interface Drawing {
  readonly count: number;
  readonly seed: number;
  /** Only mistakes of this name. */
  readonly only?: string;
}

/** Some of a kernel's mutants, each of another kind of mistake as long as there are kinds. */
function draw(mutations: readonly Mutation[], { seed }: Drawing): readonly Mutation[] {
  const random = seededRandom(seed);
  const kinds = [...new Set(mutations.map(({ mistake }) => mistake))];
  const shuffled = kinds.map((kind) =>
    mutations
      .filter(({ mistake }) => mistake === kind)
      .map((mutation) => ({ mutation, at: random.next() }))
      .sort((a, b) => a.at - b.at),
  );
  const rounds = shuffled.flatMap((all) =>
    all.map(({ mutation, at }, round) => ({ mutation, at: round + at })),
  );
  return rounds.sort((a, b) => a.at - b.at).map(({ mutation }) => mutation);
}

function fateOf(outcome: { readonly kind: string } | Refusal): Pick<Mutant, "fate" | "by"> {
  if (outcome.kind === "ok") return { fate: "survived", by: "no gate" };
  if (outcome.kind !== "wrong" || !("gate" in outcome)) {
    return {
      fate: "refused",
      by: "why" in outcome ? `${outcome.kind}: ${outcome.why}` : outcome.kind,
    };
  }
  return { fate: "caught", by: `${outcome.gate}: ${outcome.why}` };
}

/** Makes mutants of a class until so many are mistakes, and passes each through the gates of a bench. */
export async function mutantsOf(
  runtime: Runtime,
  of: KernelClass,
  mapping: Mapping,
  drawing: Drawing,
): Promise<readonly Mutant[]> {
  const [sizes, even, unit] = of.sizes;
  const task = { source: of.source, sizes };
  const planner = createPlanner(task, runtime.profile);
  if (isUnplanned(planner)) throw new Error(planner.refused);
  const candidate = planner.plan(mapping);
  const plan = planAt(of, sizes, mapping, runtime);
  if (isUnplanned(candidate) || plan === null) throw new Error(`${of.name} has no plan`);
  const sweep = [sizes, even, unit, ...sweepSizes(candidate, sizes)].filter(
    (at) => Object.values(at).reduce((a, b) => a * b, 1) < 20_000,
  );
  const rights = sweep
    .slice(0, 5)
    .flatMap((at) => rightAt(of, at, candidate.mapping, runtime) ?? []);
  let current: Mutation | null = null;
  const rewrite = (right: Plan): Plan => (current && mutatePlan(right, current)) ?? right;
  const bench = await createDeviceBench(runtime, task, { rewrite });
  const found: Mutant[] = [];
  let mistakes = 0;
  for (const mutation of draw(
    mutationsOf(plan).filter((m) => (drawing.only ?? m.mistake) === m.mistake),
    drawing,
  )) {
    if (mistakes >= drawing.count) break;
    const { mistake, kernel, place } = mutation;
    const name = `${of.name}: ${mistake} (kernel ${kernel}, place ${place})`;
    if (rights.every((right) => isSame(right, mutation))) {
      found.push({ name, fate: "same", by: "" });
      continue;
    }
    current = mutation;
    const outcome = await bench.admit(candidate, { timeoutMs: 120_000, sweep });
    const { fate, by } = fateOf(outcome);
    bench.release([candidate.id]);
    if (fate !== "refused") mistakes += 1;
    found.push({ name, fate, by });
  }
  await bench.close();
  return found;
}
