/** Whether a link is read by the compiler that it was written with: choices mean the same, but may give other kernels. */
import { textHash } from "../../../src/support/text-hash.ts";
import { generatorVersion } from "../../../src/tune.ts";

/**
 * What a link says of the compiler that wrote it: the version of its generator, and what it chose for the program on a
 * device of which nothing is known (`options`, all choices as text), so that every reader can compare.
 */
export function madeBy(options: string | null): string {
  return options === null
    ? generatorVersion
    : `${generatorVersion}.${textHash(options).slice(0, 8)}`;
}

/** What a reader should know of a link that was written otherwise; null where the compiler is the same. */
export function driftText(made: string, options: string): string | null {
  const [generator = "", chosen] = made.split(".");
  if (generator !== generatorVersion) {
    return `This link was written with another version of the compiler (generator ${generator.slice(0, 12)}, this page has ${generatorVersion}): the kernels and their times may be others than its writer saw. Results are the same.`;
  }
  if (chosen === undefined || `${generator}.${chosen}` === madeBy(options)) return null;
  return "Since this link was written, the compiler chooses otherwise for this program: the kernels and their times may be others than its writer saw. Results are the same.";
}
