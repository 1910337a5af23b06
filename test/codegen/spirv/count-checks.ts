/** What is in disassembled SPIR-V that a hand-written kernel would not have. */

/** Counts of one kernel. */
export interface LoopChecks {
  readonly loops: number;
  /** Minima of unsigned integers in loops: index clamps, Tint's and the kernel's own. */
  readonly minima: number;
  /** Loops that count their iterations in 64 bits, so as to end some day. */
  readonly guards: number;
}

const idOf = (line: string): string => /%\S+/.exec(line)?.[0] ?? "";

/**
 * Counts in the text of a module, where the blocks of a loop stand between its header and its merge
 * block, and inner functions have no loops.
 */
export function countChecks(spirv: string): LoopChecks {
  /** Merge blocks of the loops around. */
  const open: string[] = [];
  let [loops, minima, guards] = [0, 0, 0];
  for (const line of spirv.split("\n")) {
    if (line.includes(" = OpLabel") && idOf(line) === open.at(-1)) open.pop();
    if (line.includes("OpLoopMerge ")) {
      loops += 1;
      open.push(idOf(line));
    }
    if (open.length === 0) continue;
    if (/= OpExtInst %v?\d?uint %\d+ UMin /.test(line)) minima += 1;
    // Tint's guard: both words of the counter equal all ones.
    if (/= OpAll %bool /.test(line)) guards += 1;
  }
  return { loops, minima, guards };
}
