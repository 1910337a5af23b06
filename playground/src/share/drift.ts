/** Whether the choices of a link are read by the compiler that wrote them: another one may make other kernels of them. */
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

/** What a reader should know of choices that were written otherwise; null where the compiler is the same. */
export function driftText(made: string, options: string): string | null {
  const [generator = "", chosen] = made.split(".");
  if (generator !== generatorVersion) {
    return `The mapping of this link was chosen with another version of the compiler (generator ${generator.slice(0, 12)}, this page has ${generatorVersion}): kernels and times may be others than its writer saw. Results are the same.`;
  }
  if (chosen === undefined || `${generator}.${chosen}` === madeBy(options)) return null;
  return "Since the mapping of this link was chosen, the compiler chooses otherwise where it says nothing: kernels and times may be others than its writer saw. Results are the same.";
}
