import { printKernel } from "../codegen/print-kernel.ts";
import type { StageResult } from "../compile.ts";
import { printModule } from "../frontend/syntax/print-ast.ts";
import { explainLoops } from "../ir/mapping/explain-loops.ts";
import { printProgram } from "../ir/print-program.ts";
import { printSchedule } from "../ir/schedule.ts";

/**
 * What a stage of `compile` made, as text: for `options` JSON, for `schedule` also what became of each loop of the
 * program in words, for `wgsl` the kernels' code.
 */
export function printStage(result: StageResult): string {
  switch (result.stage) {
    case "ast":
      return printModule(result.module);
    case "program":
      return printProgram(result.program);
    case "options":
      return `${JSON.stringify(result.options, null, 2)}\n`;
    case "schedule": {
      const { program, mapped, decisions } = result;
      const loops = explainLoops(program, mapped, decisions).map((line) => `# ${line}\n`);
      return [...loops, printSchedule(mapped.schedule)].join("");
    }
    case "kernel":
      return result.kernels.map((k) => printKernel(k.kernel)).join("\n");
    case "wgsl":
      return result.kernels.map((k) => k.wgsl).join("\n");
  }
}
