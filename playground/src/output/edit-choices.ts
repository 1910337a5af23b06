/** The text of a mapping with one of its choices changed: the same text as is edited by hand. */
import { mappingOf, pathsOf } from "../../../src/index.ts";
import {
  type Choice,
  type Mapping,
  mappingFault,
  mappingVersion,
} from "../../../src/support/mapping-file.ts";

/** The mapping that a text is, empty for an empty text; null where it is none. */
function mappingIn(text: string): Mapping | null {
  if (text.trim() === "") return { version: mappingVersion };
  try {
    const given: unknown = JSON.parse(text);
    return mappingFault(given) === null ? (given as Mapping) : null;
  } catch {
    return null;
  }
}

/** What a text says, by path; nothing where it is no mapping. */
export function saidIn(text: string): ReadonlyMap<string, Choice> {
  return pathsOf(mappingIn(text) ?? {});
}

/** Names that stand for those of the program: beside them, or in their place, no other may be said. */
const standIn = /^kernels\/key:|\$/;

/**
 * The mapping that a text is, in the program's own names: `whole`, all choices that are in use, takes the place of one that
 * says them otherwise, and of a text that is no mapping.
 */
function namedMapping(text: string, whole: string): Mapping {
  const given = mappingIn(text);
  const isNamed = given !== null && ![...pathsOf(given).keys()].some((path) => standIn.test(path));
  return (isNamed ? given : mappingIn(whole)) ?? { version: mappingVersion };
}

/** Whether the default's policy chooses what a text does not say. */
export function hasDefaultPolicy(text: string): boolean {
  return isDefault(mappingIn(text));
}

function isDefault(mapping: Mapping | null): boolean {
  return (mapping?.policy ?? "default") === "default";
}

/** The text of a mapping with a value at a path; null leaves the path out. Empty where nothing is said any more. */
function textWith(mapping: Mapping, path: string, value: Choice | null): string {
  const paths = new Map(pathsOf(mapping));
  if (value === null) paths.delete(path);
  else paths.set(path, value);
  if (paths.size === 0 && isDefault(mapping)) return "";
  const { policy, generator } = mapping;
  const { version, structure, kernels } = mappingOf(paths, policy ?? "default");
  const parts = Object.entries({ policy, structure, kernels, generator }).filter(
    ([, part]) => part !== undefined && JSON.stringify(part) !== "{}",
  );
  return JSON.stringify({ version, ...Object.fromEntries(parts) }, null, 2);
}

/** A mapping's text with a value at a path; `whole` is the text of all choices that are in use. */
export function withChoice(text: string, whole: string, path: string, value: Choice): string {
  return textWith(namedMapping(text, whole), path, value);
}

/**
 * A mapping's text with the default at a path. Where the default's policy chooses what the text does not say, that is
 * left out; under another one it is said.
 */
export function withoutChoice(
  text: string,
  whole: string,
  path: string,
  byDefault: Choice | undefined,
): string {
  const mapping = namedMapping(text, whole);
  return textWith(mapping, path, isDefault(mapping) ? null : (byDefault ?? null));
}
