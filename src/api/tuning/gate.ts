/**
 * What a candidate has to pass before it is timed.
 *
 * ```
 * integers    small whole numbers: sums and products are exact, so that results are compared bit by bit
 * guards      nothing behind outputs was written; what is read behind inputs is NaN, and is in the results
 * reals       within bounds that follow the sum of |terms|
 * poison      the same bits again after memory held something else: nothing was read before it was written
 * sizes       all of this at other sizes, where it is asked for
 * ```
 */
import type { Plan } from "../../codegen/plan.ts";
import { scoped } from "../../runtime/device-context.ts";
import type { PlanHost, ReadyPlan } from "../../runtime/run-plan.ts";
import type { GateName, Refusal } from "../../tuner/bench.ts";
import { type BenchMemory, type BenchResults, finitePoison, notANumber } from "./bench-memory.ts";
import { faultIn, type GateCase } from "./gate-case.ts";

/** What candidates of one program at one set of sizes are judged by. */
export interface GateCases {
  readonly integers: GateCase;
  readonly reals: GateCase;
}

/** The inputs of a {@link GateCases}. */
export type CaseName = keyof GateCases;

/** A plan on a device, with memory to run it in. */
export interface GateRun {
  readonly host: PlanHost;
  readonly memory: BenchMemory;
  readonly plan: Plan;
  readonly ready: ReadyPlan;
  /** Whether its results may differ by more than rounding explains. */
  readonly approximate?: boolean;
}

/** Executes a plan once in memory that was full of `word`. */
export async function runPoisoned(
  { host, memory, plan, ready }: GateRun,
  name: CaseName,
  word: number,
): Promise<BenchResults> {
  const { context } = host;
  await scoped(context, `run plan "${plan.name}"`, () => {
    const encoder = context.device.createCommandEncoder();
    memory.poison(encoder, plan, ready.scratch, name, word);
    const pass = encoder.beginComputePass();
    ready.encoder.encode(pass, memory.places(plan, ready.scratch, name), new Map());
    pass.end();
    context.device.queue.submit([encoder.finish()]);
  });
  return await memory.read(plan, word);
}

function wrong(gate: GateName, why: string): Refusal {
  return { kind: "wrong", gate, why };
}

function has(words: readonly Uint32Array[], word: number): boolean {
  return words.some((own) => own.includes(word));
}

function judgeRun(
  { results, stray, words }: BenchResults,
  { cases, approximate }: { readonly cases: GateCases; readonly approximate: boolean },
  gate: CaseName,
): Refusal | null {
  if (stray !== null) return wrong("guards", stray);
  const fault = faultIn(cases[gate], results, approximate);
  if (fault === null) return null;
  return wrong(has(words, notANumber) ? "poison" : gate, fault);
}

function differ(a: readonly Uint32Array[], b: readonly Uint32Array[]): boolean {
  return a.some((words, n) => words.some((word, i) => word !== b[n]?.[i]));
}

/** Passes a plan through the gates at the sizes of its memory: null, or which one caught it. */
export async function passGates(run: GateRun, cases: GateCases): Promise<Refusal | null> {
  const by = { cases, approximate: run.approximate ?? false };
  const first = await runPoisoned(run, "integers", notANumber);
  const inIntegers = judgeRun(first, by, "integers");
  if (inIntegers !== null) return inIntegers;
  const second = await runPoisoned(run, "reals", notANumber);
  const inReals = judgeRun(second, by, "reals");
  if (inReals !== null) return inReals;
  const third = await runPoisoned(run, "reals", finitePoison);
  if (third.stray !== null) return wrong("guards", third.stray);
  return differ(second.words, third.words)
    ? wrong("poison", "the same inputs gave other bits after memory held something else")
    : null;
}
