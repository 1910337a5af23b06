/**
 * What a candidate has to pass before it is timed.
 *
 * ```
 * integers    small whole numbers: sums and products are exact, so that results are compared bit by bit
 * guards      nothing behind outputs was written; what is read behind inputs is NaN, and is in the results
 * reals       within bounds that follow the sum of |terms|
 * poison      the same bits again after memory held something else: nothing was read before it was written
 * sizes       all of this at other sizes, where it is asked for, and there in kernels whose arrays reach over the guards
 * races       at other sizes, if they are small: what the kernel interpreter says of races and of memory without a value
 * ```
 */
import { interpretPlan } from "../../codegen/interpret-kernel/interpret-plan.ts";
import type { KernelArray } from "../../codegen/kernel.ts";
import type { Plan, PlanKernel } from "../../codegen/plan.ts";
import { printWgsl } from "../../codegen/print-wgsl/print-wgsl.ts";
import type { Clock, Sample as ClockSample } from "../../runtime/clock.ts";
import type { ReadyPlan } from "../../runtime/run-plan.ts";
import { elementBytes } from "../../support/scalar-type.ts";
import type { GateName, Refusal } from "../../tuner/bench.ts";
import {
  type BenchMemory,
  type BenchResults,
  finitePoison,
  guardBytes,
  notANumber,
  zeroedBuffers,
} from "./bench-memory.ts";
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
  readonly clock: Clock;
  readonly memory: BenchMemory;
  readonly plan: Plan;
  readonly ready: ReadyPlan;
  /** Whether its results may differ by more than rounding explains. */
  readonly approximate?: boolean;
}

/** Operations and invocations up to which the kernel interpreter is asked: some 100 ms. */
const mostInterpreted = 200_000;

/**
 * A race, or a read of what nobody wrote, that the kernel interpreter finds in a plan: devices that execute a workgroup
 * in step show no missing barrier. Null where it finds none, or where the plan is too large for it.
 */
export function interpretedFault(plan: Plan, { integers }: GateCases): Refusal | null {
  const size = plan.kernels.reduce((sum, { kernel, work }) => {
    const invocations = kernel.grid.reduce((a, b) => a * b, kernel.workgroupSize);
    return sum + Math.max(invocations, work?.operations ?? 0);
  }, 0);
  if (size > mostInterpreted) return null;
  const [fault] = interpretPlan(plan, integers.inputs, { faultLimit: 1 }).faults;
  return fault === undefined ? null : wrong("races", `${fault.kind}: ${fault.message}`);
}

/**
 * The plan with kernels whose arrays reach over the guards behind the tensors: what is outside is NaN there, where
 * devices would give them the last element. What is filled with zeros has no guards.
 */
export function overGuards(plan: Plan): Plan {
  const zeros = zeroedBuffers(plan.steps);
  const guarded = new Set(
    plan.buffers.flatMap(({ id, role }) => (role === "temporary" || zeros.has(id) ? [] : [id])),
  );
  const widened = (array: KernelArray): KernelArray => {
    if (array.buffer === undefined || !guarded.has(array.buffer)) return array;
    const more = guardBytes / 2 / elementBytes(array.scalar);
    const { length, room = length } = array;
    return { ...array, length: length + more, room: room + more };
  };
  const kernels = plan.kernels.map((old): PlanKernel => {
    const kernel = { ...old.kernel, arrays: old.kernel.arrays.map(widened) };
    return { ...old, kernel, ...printWgsl(kernel, plan.stepIndices) };
  });
  return { ...plan, kernels };
}

/** What an execution left, and how long it took. */
export interface PoisonedRun extends BenchResults {
  readonly ns: number;
}

/** Executes a plan once in memory that was full of `word`. */
export async function runPoisoned(
  { clock, memory, plan, ready }: GateRun,
  name: CaseName,
  word: number,
): Promise<PoisonedRun> {
  const places = memory.places(plan, ready.scratch, name);
  const once: ClockSample = {
    before: (encoder) => memory.poison(encoder, plan, ready.scratch, name, word),
    encode: (pass) => ready.encoder.encode(pass, places, new Map()),
  };
  const [ns = 0] = await clock.measure(once, 1);
  return { ...(await memory.read(plan, word)), ns };
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

/** A plan that passed its gates. */
export interface Passed {
  readonly kind: "passed";
  /** Nanoseconds of executions after the first, which drivers may have compiled in. */
  readonly ns: readonly number[];
}

/** The first execution of a plan, in which drivers may compile it; for {@link passGates}. */
export async function firstRun(run: GateRun): Promise<PoisonedRun> {
  return await runPoisoned(run, "integers", notANumber);
}

/** Passes a plan through the gates at the sizes of its memory, or says which one caught it. */
export async function passGates(
  run: GateRun,
  cases: GateCases,
  first: PoisonedRun,
): Promise<Refusal | Passed> {
  const by = { cases, approximate: run.approximate ?? false };
  const inIntegers = judgeRun(first, by, "integers");
  if (inIntegers !== null) return inIntegers;
  const second = await runPoisoned(run, "reals", notANumber);
  const inReals = judgeRun(second, by, "reals");
  if (inReals !== null) return inReals;
  const third = await runPoisoned(run, "reals", finitePoison);
  if (third.stray !== null) return wrong("guards", third.stray);
  return differ(second.words, third.words)
    ? wrong("poison", "the same inputs gave other bits after memory held something else")
    : { kind: "passed", ns: [second.ns, third.ns] };
}
