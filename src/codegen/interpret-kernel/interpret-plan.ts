/** Plans executed on the CPU by the kernel interpreter. */
import { assertNever, defined, invariant } from "../../support/assert.ts";
import { allocate, elementCount, type TensorData, toElement } from "../../support/scalar-type.ts";
import { elementsPerWord, packWords, unpackWords, wordCount } from "../../support/words.ts";
import type { Plan, PlanBuffer, Step } from "../plan.ts";
import { type Fault, type FaultLog, faultLog } from "./fault.ts";
import { type InterpretOptions, prepareKernel } from "./interpret-kernel.ts";
import { type BufferMemory, initialisedMemory, poisonedMemory } from "./memory.ts";

/** What a plan computed, and what was wrong on the way. */
export interface PlanExecution {
  /** Outputs and updated inouts by tensor name. */
  readonly outputs: Readonly<Record<string, TensorData>>;
  readonly faults: readonly Fault[];
}

/** Inputs are copied; everything that the plan itself has to fill is poisoned. */
function bufferMemory(
  buffer: PlanBuffer,
  inputs: Readonly<Record<string, TensorData>>,
  packed: boolean,
  races: boolean,
): BufferMemory {
  const count = elementCount(buffer.shape);
  const data = packed
    ? new Uint32Array(wordCount(buffer.type, count))
    : allocate(buffer.type, count);
  if (buffer.role === "output" || buffer.role === "temporary") return poisonedMemory(data, races);
  const input = defined(inputs[buffer.name], `input ${buffer.name}`);
  invariant(
    input.length === count,
    `input ${buffer.name} has ${input.length} elements, not ${count}`,
  );
  data.set(packed ? packWords(buffer.type, input) : input.map(toElement(buffer.type)));
  return initialisedMemory(data, races);
}

/** True if the kernels see a buffer as words of several elements; float16 may be a type of theirs. */
function isPacked(plan: Plan, { id, type }: PlanBuffer): boolean {
  const arrays = plan.kernels.flatMap(({ kernel }) => kernel.arrays.filter((a) => a.buffer === id));
  return elementsPerWord(type) > 1 && arrays.every((a) => a.scalar !== "float16");
}

/** Elements that the caller gets although nothing wrote them are a fault. */
function reportUnwritten(
  buffer: PlanBuffer,
  what: "word" | "element",
  memory: BufferMemory,
  faults: FaultLog,
): void {
  const at = memory.written.indexOf(0);
  if (at < 0) return;
  const fault = { kind: "uninitialised", kernel: "", array: buffer.name, path: "" } as const;
  faults.add(fault, () => `${what} ${at} of the result ${buffer.name} was never written`);
}

/** The contents of a buffer as the caller sees them. */
function elementsOf(plan: Plan, buffer: PlanBuffer, { data }: BufferMemory): TensorData {
  if (!isPacked(plan, buffer) || !(data instanceof Uint32Array)) return data;
  return unpackWords(buffer.type, data, elementCount(buffer.shape));
}

type Dispatch = (indices: ReadonlyMap<string, number>) => void;

function executeSteps(
  steps: readonly Step[],
  indices: Map<string, number>,
  memory: ReadonlyMap<string, BufferMemory>,
  kernels: readonly Dispatch[],
): void {
  for (const step of steps) {
    switch (step.kind) {
      case "dispatch":
        defined(kernels[step.kernel], `kernel ${step.kernel}`)(indices);
        break;
      case "repeat":
        for (let n = 0; n < step.extent; n++) {
          indices.set(step.variable, n);
          executeSteps(step.body, indices, memory, kernels);
        }
        break;
      case "zero": {
        const { data, written } = defined(memory.get(step.buffer), `buffer ${step.buffer}`);
        data.fill(0);
        written.fill(1);
        break;
      }
      default:
        assertNever(step);
    }
  }
}

/**
 * Executes a plan on inputs by tensor name, which must be those that it asks for, of the right
 * lengths. Inputs are not changed: inouts are copied. An output that is not written whole is a fault.
 */
export function interpretPlan(
  plan: Plan,
  inputs: Readonly<Record<string, TensorData>>,
  options: InterpretOptions = {},
): PlanExecution {
  const races = options.races ?? true;
  const faults = faultLog(options.faultLimit ?? 20);
  const memory = new Map(
    plan.buffers.map((buffer) => {
      const packed = isPacked(plan, buffer);
      return [buffer.id, bufferMemory(buffer, inputs, packed, races)] as const;
    }),
  );
  const environment = { memory, races, clock: { epoch: 0, dispatch: 0 }, faults };
  const kernels = plan.kernels.map(({ kernel }): Dispatch => {
    const dispatch = prepareKernel(kernel, environment);
    return (indices) =>
      dispatch(kernel.steps.map((name) => defined(indices.get(name), `step index ${name}`)));
  });
  executeSteps(plan.steps, new Map(), memory, kernels);
  const outputs: Record<string, TensorData> = {};
  for (const buffer of plan.buffers) {
    if (buffer.role !== "output" && buffer.role !== "inout") continue;
    const result = defined(memory.get(buffer.id), `buffer ${buffer.id}`);
    reportUnwritten(buffer, isPacked(plan, buffer) ? "word" : "element", result, faults);
    outputs[buffer.name] = elementsOf(plan, buffer, result);
  }
  return { outputs, faults: faults.list() };
}
