/**
 * Keys of kernels: under one, a store keeps what was found for a kernel, in the names of its canonical form
 * (kernel-text.ts). A mapping may have kernels under keys in the place of names: they are for each kernel with that key
 * that the mapping does not name.
 */

import type { Choice, Mapping } from "../../support/mapping-file.ts";
import { remember } from "../../support/remember.ts";
import { textHash } from "../../support/text-hash.ts";
import { type KernelNodes, kernelText, namesOf } from "./kernel-text.ts";
import { mappingOf, pathsOf } from "./mapping.ts";

/** What names a kernel's canonical form in mappings and stores: `key:85944171f73967e8`. */
export const kernelKey: (kernel: KernelNodes) => string = remember(
  (kernel) => `${keyPrefix}${textHash(kernelText(kernel))}`,
);

/** What the keys of kernels begin with, as no statement does. */
export const keyPrefix = "key:";

/** A path in a kernel's mapping with other names for its statements and tensors. */
export function renamedKernelPath(
  path: string,
  statements: ReadonlyMap<string, string>,
  tensors: ReadonlyMap<string, string>,
): string {
  const [parent = "", name = "", ...rest] = path.split("/");
  if (parent === "places") return [parent, tensors.get(name) ?? name, ...rest].join("/");
  if (parent !== "operands" && parent !== "joins") return path;
  const renamed = (part: string): string => {
    const end = part.lastIndexOf(".");
    return `${statements.get(part.slice(0, end)) ?? part.slice(0, end)}${part.slice(end)}`;
  };
  return [parent, name.split(" ").map(renamed).join(" "), ...rest].join("/");
}

function inverse(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...names].map(([name, canonical]) => [canonical, name]));
}

/** A path in a kernel's mapping in canonical names: `operands/s0.read1/stage`. */
export function canonicalKernelPath(kernel: KernelNodes, path: string): string {
  const { statements, tensors } = namesOf(kernel);
  return renamedKernelPath(path, statements, tensors);
}

/** A path in canonical names in those of a kernel with the same key. */
export function boundKernelPath(kernel: KernelNodes, path: string): string {
  const { statements, tensors } = namesOf(kernel);
  return renamedKernelPath(path, inverse(statements), inverse(tensors));
}

/** A kernel, with its name in mappings: its first statement. */
export interface NamedKernel {
  readonly name: string;
  readonly group: KernelNodes;
}

/**
 * A mapping with its kernels under their keys, for programs that differ in names; the structure stays as it is.
 * @internal for tests
 */
export function keyedMapping(mapping: Mapping, kernels: readonly NamedKernel[]): Mapping {
  const paths = [...pathsOf(mapping)].map(([path, value]): readonly [string, Choice] => {
    const found = kernels.find(({ name }) => path.startsWith(`kernels/${name}/`));
    if (found === undefined) return [path, value];
    const own = canonicalKernelPath(found.group, path.slice(`kernels/${found.name}/`.length));
    return [`kernels/${kernelKey(found.group)}/${own}`, value];
  });
  return mappingOf(paths, mapping.policy ?? "default");
}
