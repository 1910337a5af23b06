/**
 * Which profile an adapter gets, by WebGPU's words for it. Data: emitted modules choose among their plans
 * by the same rules as the runtime chooses a profile.
 */
import { defined } from "./assert.ts";
import type { FamilyName } from "./device-families.ts";

/** `cpu`: another software adapter. `null`: Dawn's back end that validates and never executes. */
export type AdapterKind = "gpu" | "llvmpipe" | "swiftshader" | "cpu" | "null";

/** What WebGPU tells of an adapter; any word may be empty. */
export interface AdapterWords {
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
  readonly isFallbackAdapter: boolean;
}

export interface AdapterRule {
  /** A regular expression for {@link adapterLines}; capitals and small letters are the same. */
  readonly pattern: string;
  readonly kind: AdapterKind;
  /** The profile that is nearest, by its name. */
  readonly profile: FamilyName | "llvmpipe" | "swiftshader" | "baseline";
}

/** The first whose pattern is found counts; the last one's always is. */
export const adapterRules: readonly AdapterRule[] = [
  { pattern: "swiftshader", kind: "swiftshader", profile: "swiftshader" },
  { pattern: "llvmpipe|lavapipe", kind: "llvmpipe", profile: "llvmpipe" },
  { pattern: "null.backend", kind: "null", profile: "baseline" },
  { pattern: "\\nfallback$", kind: "cpu", profile: "llvmpipe" },
  { pattern: "^nvidia\\n", kind: "gpu", profile: "nvidia" },
  { pattern: "^apple\\n", kind: "gpu", profile: "apple" },
  // GCN and CDNA are others: 64 lanes, one SIMD of 16.
  { pattern: "^amd\\n(?:rdna|\\n)", kind: "gpu", profile: "amd-rdna" },
  // Gen 9 and 11 are smaller Xe: the same threads of SIMD8 with the same registers.
  { pattern: "^intel\\n", kind: "gpu", profile: "intel-xe" },
  { pattern: "^qualcomm\\n", kind: "gpu", profile: "adreno" },
  { pattern: "^arm\\n(?!midgard)", kind: "gpu", profile: "mali" },
  { pattern: "", kind: "gpu", profile: "gpu" },
];

/** An adapter's words, one a line: what the patterns of {@link adapterRules} are looked for in. */
function adapterLines(words: AdapterWords): string {
  const { vendor, architecture, device, description, isFallbackAdapter } = words;
  const last = isFallbackAdapter ? "fallback" : "";
  return [vendor, architecture, device, description, last].join("\n");
}

/** The rule for an adapter. */
export function adapterRule(words: AdapterWords): AdapterRule {
  const lines = adapterLines(words);
  const found = adapterRules.find(({ pattern }) => new RegExp(pattern, "i").test(lines));
  return defined(found, "a rule for", lines);
}
