/** Choices of one kernel: in its own names, as mappings have them, and in canonical ones, as stores do. */
import { renamedKernelPath } from "../ir/mapping/kernel-key.ts";
import { mappingOf, pathsOf } from "../ir/mapping/mapping.ts";
import type { Choice, Choices, Mapping } from "../support/mapping-file.ts";
import type { CandidateKernel } from "./candidate.ts";

type Named = Pick<CandidateKernel, "name" | "names">;

function tableOf(names: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(names));
}

function inverse(names: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(names).map(([name, canonical]) => [canonical, name]));
}

/** What a complete mapping says of a kernel, in canonical names. */
export function canonicalChoices(mapping: Mapping, { name, names }: Named): Choices {
  const prefix = `kernels/${name}/`;
  const [statements, tensors] = [tableOf(names.statements), tableOf(names.tensors)];
  const paths: (readonly [string, Choice])[] = [];
  for (const [path, value] of pathsOf({ kernels: mapping.kernels ?? {} })) {
    if (!path.startsWith(prefix)) continue;
    const own = renamedKernelPath(path.slice(prefix.length), statements, tensors);
    paths.push([`kernels/k/${own}`, value]);
  }
  return (mappingOf(paths, "plain").kernels?.["k"] ?? {}) as Choices;
}

/** What stored choices are in a mapping with this kernel, by path. */
export function boundChoices(
  choices: Choices,
  { name, names }: Named,
): readonly (readonly [string, Choice])[] {
  const [statements, tensors] = [inverse(names.statements), inverse(names.tensors)];
  return [...pathsOf({ kernels: { k: choices } })].map(([path, value]) => {
    const own = renamedKernelPath(path.slice("kernels/k/".length), statements, tensors);
    return [`kernels/${name}/${own}`, value] as const;
  });
}
