/** What each pass of a compilation changed, for `--emit passes`. */
import { generate, type KernelPassRun } from "../codegen/generate.ts";
import type { Kernel } from "../codegen/kernel.ts";
import { printKernel } from "../codegen/print-kernel.ts";
import { type Compiled, profileOf } from "../compile.ts";
import { printProgram } from "../ir/print-program.ts";
import type { DeviceProfile } from "../support/device-profile.ts";
import { flatMap } from "../support/flat-map.ts";
import { remember } from "../support/remember.ts";

/** What a pass made of the program or of a kernel. */
export interface PassRun {
  /** The name of the program or of the kernel. */
  readonly of: string;
  readonly pass: KernelPassRun["pass"];
  /** The text before, line by line; empty for the pass that made the first. */
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * What passes did to a program and its kernels, in their order. Runs them once more, for the device that
 * was compiled for: `baseline` if left out.
 * @throws RangeError for a name that no profile has.
 */
export function passesOf(
  { program, mapped }: Pick<Compiled, "program" | "mapped">,
  profile?: DeviceProfile | string,
): readonly PassRun[] {
  const runs: PassRun[] = [
    {
      of: program.name,
      pass: {
        name: "rewrite",
        does: "the algebraic rewrites that the options ask for",
        why: "a schedule is for statements, which rewrites make of others",
      },
      before: linesOf(printProgram(program)),
      after: linesOf(printProgram(mapped.program)),
    },
  ];
  generate(mapped.program, mapped.schedule, profileOf(profile), {
    onPass: ({ pass, before, after }) => {
      runs.push({
        of: after.name,
        pass,
        before: before === null ? [] : kernelText(before),
        after: kernelText(after),
      });
    },
  });
  return runs;
}

/** A kernel is what one pass leaves and the next one begins with. */
const kernelText: (kernel: Kernel) => readonly string[] = remember((kernel) =>
  linesOf(printKernel(kernel)),
);

function linesOf(text: string): readonly string[] {
  return text.trimEnd().split("\n");
}

/** The most lines of a change that are shown. */
const mostLines = 12;

/**
 * What passes did, as text: for each that changed something how many lines are new or gone, and the
 * first of them. How far in a line stands makes no difference.
 */
export function printPasses(runs: readonly PassRun[]): string {
  const lines: string[] = [];
  let last: string | null = null;
  for (const { of, pass, before, after } of runs) {
    if (of !== last) lines.push(...(last === null ? [] : [""]), of);
    last = of;
    lines.push(...printRun(pass.name, before, after));
  }
  return `${lines.join("\n")}\n`;
}

function printRun(
  name: string,
  before: readonly string[],
  after: readonly string[],
): readonly string[] {
  const padded = name.padEnd(22);
  if (before.length === 0) return [`  ${padded}${after.length} lines`];
  const gone = without(before, after).map((line) => `- ${line}`);
  const come = without(after, before).map((line) => `+ ${line}`);
  if (gone.length + come.length === 0) return [`  ${padded}-`];
  // Half of each, or more of one where the other has fewer.
  const first = gone.slice(0, Math.max(mostLines / 2, mostLines - come.length));
  const shown = [...first, ...come.slice(0, mostLines - first.length)];
  const hidden = gone.length + come.length - shown.length;
  return [
    `  ${padded}-${gone.length} +${come.length}, ${after.length} lines`,
    ...shown.map((line) => `      ${line}`),
    ...(hidden === 0 ? [] : [`      and ${hidden} more`]),
  ];
}

/** The lines that some others lack, as often as they lack them. */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line.trim(), (left.get(line.trim()) ?? 0) + 1);
  return flatMap(lines, (line): readonly string[] => {
    const text = line.trim();
    const count = left.get(text) ?? 0;
    if (count === 0) return [text];
    left.set(text, count - 1);
    return [];
  });
}
