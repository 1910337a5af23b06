/**
 * Kernels executed on the CPU, workgroup by workgroup, as the device would but checked: the second
 * of the three executions that tests compare, and the one that says where a kernel is wrong.
 *
 * float32 results are rounded at every operation, integers wrap; expressions are closures, compiled
 * once. Memory without a value is poisoned.
 */
import type { Kernel } from "../kernel.ts";
import { compileGroup } from "./compile-group.ts";
import { scopes } from "./compile-statement.ts";
import { type Fault, type FaultLog, faultLog } from "./fault.ts";
import { beginEpoch, type Clock, createMachine, type Machine } from "./machine.ts";
import { type BufferMemory, poisonWord, stampStride } from "./memory.ts";
import type { KernelObserver } from "./observer.ts";

export interface InterpretOptions {
  /** Looks for races; true by default. The memory must have been made with room for it. */
  readonly races?: boolean;
  /** The most different faults that are kept; 20 by default. */
  readonly faultLimit?: number;
  /** Is told of everything that happens. */
  readonly observer?: KernelObserver;
}

/** What kernels of one plan share. */
export interface KernelEnvironment {
  readonly memory: ReadonlyMap<string, BufferMemory>;
  readonly races: boolean;
  readonly clock: Clock;
  readonly faults: FaultLog;
  readonly observer: KernelObserver | null;
}

/** Poison for memory that a workgroup begins with; one workgroup leaves nothing to the next. */
function poisonOwnMemory(m: Machine): void {
  for (const { array, data, written } of m.arrays.values()) {
    if (array.space === "storage") continue;
    new Uint32Array(data.buffer, data.byteOffset, data.length).fill(poisonWord);
    written.fill(0);
  }
  if (m.suspect) m.tainted.fill(0);
  m.suspect = false;
}

/** Compiles a kernel once; the result dispatches it with the values of its step slots. */
export function prepareKernel(
  kernel: Kernel,
  environment: KernelEnvironment,
): (steps: readonly number[]) => void {
  const m = createMachine(kernel, environment.memory, environment);
  const body = compileGroup(kernel.body, "body", m, scopes(m));
  const [nx, ny, nz] = kernel.grid;
  for (let n = 0; n < kernel.workgroupSize; n++) m.registers[n * m.stride] = n;
  const runGroup = (x: number, y: number, z: number): void => {
    m.group.set([x, y, z]);
    m.groupNumber = x + nx * (y + ny * z);
    poisonOwnMemory(m);
    beginEpoch(m, "both");
    body();
  };
  return (steps) => {
    m.steps.set(steps);
    m.clock.dispatch += 1;
    m.dispatchEpoch = m.clock.dispatch * stampStride;
    for (let z = 0; z < nz; z++) {
      for (let y = 0; y < ny; y++) {
        for (let x = 0; x < nx; x++) runGroup(x, y, z);
      }
    }
  };
}

/**
 * Executes one dispatch of a kernel that `verifyKernel` accepts. `memory` has the buffers by their
 * plan ids, which are changed; `steps` the value of each step slot. Returns what went wrong.
 */
export function interpretKernel(
  kernel: Kernel,
  memory: ReadonlyMap<string, BufferMemory>,
  steps: readonly number[],
  options: InterpretOptions = {},
): readonly Fault[] {
  const faults = faultLog(options.faultLimit ?? 20);
  const clock = { epoch: 0, dispatch: 0 };
  const { races = true, observer = null } = options;
  prepareKernel(kernel, { memory, races, clock, faults, observer })(steps);
  return faults.list();
}
