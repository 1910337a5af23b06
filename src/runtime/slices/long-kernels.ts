/** Which kernels may take long, before anybody has seen them run. */
import type { PlanKernel } from "../../codegen/plan.ts";

/** A dispatch of so many lines of text may take a tenth of a second where few cores compute it, or in software. */
const longDispatch = 2 ** 26;
/** And one with so many lines in a row, where each waits for memory: some tenths of a microsecond. */
const longInvocation = 2 ** 18;

/** Workgroups of a dispatch of the kernel. */
export function workgroupsOf({ kernel }: PlanKernel): number {
  const [x, y, z] = kernel.grid;
  return x * y * z;
}

/** Whether a dispatch of the kernel may take more than a tenth of a second on some device. */
export function isLong(one: PlanKernel): boolean {
  const lines = executedLines(one.wgsl, one.entryPoint);
  const all = lines * one.kernel.workgroupSize * workgroupsOf(one);
  return lines >= longInvocation || all >= longDispatch;
}

/** The lines of text that an invocation executes at most: all conditions hold, and no loop ends early. */
export function executedLines(wgsl: string, entryPoint: string): number {
  const lines = wgsl.split("\n");
  const head = lines.findIndex((line) => line.startsWith(`fn ${entryPoint}(`));
  const times = [1];
  let count = 0;
  for (const line of lines.slice(head + 1)) {
    const text = line.trim();
    if (text.startsWith("}")) times.pop();
    const often = times.at(-1);
    // The end of the entry point.
    if (often === undefined) break;
    count += often;
    if (!text.endsWith("{")) continue;
    const extent = /^for \(var \w+ = 0u; \w+ < (\d+)u; /.exec(text)?.[1] ?? "1";
    times.push(often * Number(extent));
  }
  return count;
}
