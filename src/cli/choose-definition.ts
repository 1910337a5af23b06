import { didYouMean } from "../support/edit-distance.ts";
import type { DefinitionOutline } from "./api.ts";
import { failed, type Outcome, success } from "./failure.ts";

/**
 * The definition to take: the one asked for, else the only one that no other calls and that is no alternative. `undefined`
 * for a text without definitions, about which the compiler has more to say.
 */
export function chooseDefinition(
  definitions: readonly DefinitionOutline[],
  wanted: string | null,
): Outcome<string | undefined> {
  const names = definitions.map((one) => one.name);
  if (wanted !== null) {
    if (names.length === 0 || names.includes(wanted)) return success(wanted);
    const meant = didYouMean(wanted, names);
    return failed(
      `there is no definition ${wanted}`,
      meant === undefined ? `there are ${names.join(", ")}` : `did you mean --def ${meant}?`,
    );
  }
  const free = freeDefinitions(definitions).map((one) => one.name);
  if (free.length > 1) {
    return failed(`several definitions: ${free.join(", ")}`, `choose one with --def ${free[0]}`);
  }
  return success(free[0] ?? names[0]);
}

/** The definitions that no other calls, alternatives left out. */
export function freeDefinitions(
  definitions: readonly DefinitionOutline[],
): readonly DefinitionOutline[] {
  const called = new Set(definitions.flatMap((one) => one.calls.filter((c) => c !== one.name)));
  return definitions.filter(
    ({ name, alternativeOf }) => !called.has(name) && alternativeOf === null,
  );
}
