/**
 * Purpose: what says of choices that are kept that planning a program gave them, and would give them again.
 *
 * Ensures: a seal holds for one program with all its names and numbers, which contents (content.ts) leave out, and for the
 * choices as they were: whatever else is given needs a plan, and so do seals of another version of the planner. What else
 * planning depends on, the device and the version of the generator, is in the keys of records.
 */
import { plannerVersion } from "../../codegen/generator.ts";
import { boundChoice, boundPath } from "../../ir/mapping/canonical-names.ts";
import { isPlace } from "../../ir/mapping/like-kernels.ts";
import { mappingOf, pathsOf } from "../../ir/mapping/mapping.ts";
import type { Program } from "../../ir/program.ts";
import { exactText } from "../../support/exact-text.ts";
import type { Mapping } from "../../support/mapping-file.ts";
import { remember } from "../../support/remember.ts";
import { textHash } from "../../support/text-hash.ts";

/** A program, wherever its source has it. */
const programHash: (program: Program) => string = remember((program) =>
  textHash(exactText(program, (key, value) => (isPlace(key) ? undefined : value))),
);

/** The seal of choices that planning a program gave. */
export function sealOf(
  program: Program,
  { structure = {}, kernels = {} }: Pick<Mapping, "structure" | "kernels">,
): string {
  return textHash(
    `${plannerVersion} ${programHash(program)} ${JSON.stringify([structure, kernels])}`,
  );
}

/**
 * A mapping of a record as planning a program would give it, in the program's names; null where only a plan can tell: the
 * record has no seal, or that of another program or of other choices.
 */
export function unsealed(program: Program, mapping: Mapping, seal: string | null): Mapping | null {
  if (seal === null || seal !== sealOf(program, mapping)) return null;
  const paths = [...pathsOf(mapping)].map(
    ([path, value]) => [boundPath(program, path), boundChoice(program, path, value)] as const,
  );
  return mappingOf(paths, "plain");
}
