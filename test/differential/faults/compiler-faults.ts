import { controlFaults } from "./control-faults.ts";
import { functionFaults } from "./function-faults.ts";
import type { CompilerFault } from "./inject.ts";
import { memoryFaults } from "./memory-faults.ts";
import { planFaults } from "./plan-faults.ts";
import { scheduleFaults } from "./schedule-faults.ts";
import { valueFaults } from "./value-faults.ts";
import { wordFaults } from "./word-faults.ts";

/** All seeded compiler faults; their names are distinct. */
export const compilerFaults: readonly CompilerFault[] = [
  ...controlFaults,
  ...memoryFaults,
  ...valueFaults,
  ...wordFaults,
  ...functionFaults,
  ...planFaults,
  ...scheduleFaults,
];
