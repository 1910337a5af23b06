/** Readable text of a Plan: its buffers, its steps, then its kernels. */
import { flatMap } from "../support/flat-map.ts";
import type { Plan, PlanBuffer, Step } from "./plan.ts";
import { printKernel } from "./print-kernel.ts";

function printBuffer(buffer: PlanBuffer): string {
  const name = buffer.name === buffer.id ? "" : ` for ${buffer.name}`;
  const [first, last] = buffer.live;
  const live = buffer.role === "temporary" ? ` live ${first}..${last}` : "";
  const what = `${buffer.role} ${buffer.id}${name}: ${buffer.type}[${buffer.shape.join(", ")}]`;
  const padded = buffer.bytes === undefined ? "" : ` in ${buffer.bytes} bytes`;
  return `  ${what}${padded}${live}${printLayout(buffer)}`;
}

function printLayout({ layout }: PlanBuffer): string {
  if (layout === undefined) return "";
  const { strides, offsetMultiple, variable } = layout;
  const offset = variable === null ? "" : ` from ${offsetMultiple} * (${variable})`;
  return ` strides [${strides.join(", ")}]${offset}`;
}

function printStep(plan: Plan, step: Step, indent: string): readonly string[] {
  switch (step.kind) {
    case "dispatch":
      return [`${indent}dispatch ${plan.kernels[step.kernel]?.kernel.name ?? step.kernel}`];
    case "zero":
      return [`${indent}zero ${step.buffer}`];
    case "repeat":
      return [
        `${indent}repeat ${step.variable} in 0..${step.extent}`,
        ...flatMap(step.body, (inner) => printStep(plan, inner, `${indent}  `)),
      ];
  }
}

/** The text of a plan, with a line break at the end. */
export function printPlan(plan: Plan): string {
  const lines = [
    `plan ${plan.name}: step indices from ${plan.stepIndices}`,
    ...plan.buffers.map(printBuffer),
    ...(plan.shared ?? []).map(({ members }) => `  one binding: ${members.join(", ")}`),
    ...flatMap(plan.steps, (step) => printStep(plan, step, "  ")),
  ];
  const kernels = plan.kernels.map(({ kernel }) => `\n${printKernel(kernel)}`);
  return `${lines.join("\n")}\n${kernels.join("")}`;
}
