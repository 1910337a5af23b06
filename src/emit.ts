/** Compiled plans as text: modules of JavaScript, their types, and data. Pure, on any machine. */

export { type KernelData, type PlanData, planData } from "./emit/plan-data.ts";
export type { ModulePlans, PlanFor } from "./emit/plan-for.ts";
export { type EmitOptions, printModule } from "./emit/print-module.ts";
export { printTypes } from "./emit/print-types.ts";
export { type ReadPlan, readPlan } from "./emit/read-plan.ts";
export type { Requirements } from "./emit/requirements.ts";
