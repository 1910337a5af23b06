/**
 * Mappings as files and callers have them: how a program is to be executed on a device, whole or in part. The
 * grammar is in src/ir/mapping/mapping.ts.
 */

import { kindOf } from "./check-call-shape.ts";
import { shorten } from "./shorten.ts";

/** The value of a knob. */
export type Choice = number | string | boolean;

/** What chooses where a mapping says nothing. */
export type PolicyName = "default" | "naive" | "apart" | "together" | "plain";

/** The values of {@link PolicyName}. */
export const policyNames: readonly PolicyName[] = [
  "default",
  "naive",
  "apart",
  "together",
  "plain",
];

/** The version of the grammar above. */
export const mappingVersion = 2;

/** Nested choices. */
export interface Choices {
  readonly [name: string]: Choice | Choices | readonly (Choice | Choices | readonly Choice[])[];
}

/** A mapping, or a part of one, as files have it. */
export interface Mapping {
  readonly version: typeof mappingVersion;
  /** `default` when left out. */
  readonly policy?: PolicyName;
  /** The version of what made kernels of it, in one that a compilation gives; nothing depends on it. */
  readonly generator?: string;
  readonly structure?: Choices;
  readonly kernels?: Choices;
}

/** Whether it is an object with fields, not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** No mapping has choices that are nested deeper. */
const deepest = 16;

/** Of a path so many characters are shown. */
const longestPath = 200;

/** The first path whose value is neither a choice nor nested choices, with what it is; null for none. */
function wrongValue(value: unknown, path: string, depth = 0): string | null {
  if (typeof value === "number" || typeof value === "string" || typeof value === "boolean")
    return null;
  const shown = shorten(path, longestPath);
  if (typeof value !== "object" || value === null) {
    return `\`${shown}\` is ${kindOf(value)}, no number, text or truth value`;
  }
  if (depth > deepest) return `\`${shown}\` is nested deeper than any choice`;
  for (const [name, part] of Object.entries(value)) {
    const wrong = wrongValue(part, `${path}/${name}`, depth + 1);
    if (wrong !== null) return wrong;
  }
  return null;
}

/** Why something is no {@link Choices}; null if it is. `name` is what messages call it. */
export function choicesFault(given: unknown, name: string): string | null {
  if (!isRecord(given)) return `\`${name}\` is ${kindOf(given)}, no object`;
  return wrongValue(given, name);
}

/** Why something is no mapping; null if it is one. */
export function mappingFault(given: unknown): string | null {
  if (!isRecord(given)) return `it is ${kindOf(given)}, no object`;
  const { version, policy, generator, structure, kernels, ...others } = given;
  if (version === undefined) return "there is no `version`";
  if (version === 1) {
    return "it is of version 1, whose names exist no more: make a new one with `--emit options`";
  }
  if (version !== mappingVersion) {
    return `\`version\` is ${JSON.stringify(version)}; this version reads ${mappingVersion}`;
  }
  if (policy !== undefined && !policyNames.some((name) => name === policy)) {
    return `\`policy\` is one of ${policyNames.join(", ")}, got ${JSON.stringify(policy)}`;
  }
  if (generator !== undefined && typeof generator !== "string") {
    return `\`generator\` is ${kindOf(generator)}, no text`;
  }
  for (const [name, part] of Object.entries({ structure, kernels })) {
    const wrong = part === undefined ? null : choicesFault(part, name);
    if (wrong !== null) return wrong;
  }
  const unknown = Object.keys(others).find((name) => name !== "found");
  return unknown === undefined
    ? null
    : `there is no \`${unknown.slice(0, 100)}\` in one: it has policy, structure and kernels`;
}
