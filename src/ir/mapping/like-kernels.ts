/**
 * Kernels that compute the same with other names: the layers of a network, mostly. What was chosen for one of them is
 * what would be chosen for the others, and is legal for them: it is found once.
 */
import { remember } from "../../support/remember.ts";
import type { Statement } from "../program.ts";
import type { Group } from "./group/group.ts";
import { ownTemporaries } from "./group/own-temporaries.ts";
import { boundKernelPath, canonicalKernelPath } from "./kernel-key.ts";
import type { KernelMapping } from "./kernel-mapping.ts";
import { namesOf } from "./kernel-text.ts";

/** Numbers that JSON lacks are told apart. */
function numberText(value: number): number | string {
  return Number.isFinite(value) && !Object.is(value, -0) ? value : `number ${1 / value} ${value}`;
}

/** A statement in canonical names, without its places in the source. */
function statementText(
  s: Statement,
  { statements, tensors }: Pick<ReturnType<typeof namesOf>, "statements" | "tensors">,
): string {
  return JSON.stringify(s, (key, value: unknown) => {
    if (key === "span" || key === "spans" || key === "taken") return undefined;
    if (typeof value === "number") return numberText(value);
    if (typeof value !== "string") return value;
    if (key === "tensor") return tensors.get(value) ?? value;
    return key === "id" ? (statements.get(value) ?? value) : value;
  });
}

/**
 * All that choosing a mapping of a kernel looks at, as text in canonical names, sizes included; null for kernels that
 * also depend on what runs elsewhere: in the other kernels of a loop on the host.
 */
export const sameKernelText: (group: Group) => string | null = remember((group: Group) => {
  const { program, nodes, host, folds, statements, axes } = group;
  if (host.length > 0 || folds.length > 0 || program.shared !== undefined) return null;
  const names = namesOf(group);
  const own = new Set(ownTemporaries(program, statements));
  // The order of the program is that in which temporaries are asked about.
  const touched = program.tensors.flatMap((tensor) => {
    const name = names.tensors.get(tensor.name);
    return name === undefined ? [] : [{ ...tensor, name, span: null, own: own.has(tensor.name) }];
  });
  return [
    JSON.stringify(touched),
    JSON.stringify(nodes, (key, value: unknown) =>
      key === "statement" ? names.statements.get(String(value)) : value,
    ),
    JSON.stringify(
      axes.map(({ lower, upper, dims }) => [lower, upper, statements.map((s) => dims.get(s.id))]),
    ),
    ...statements.map((s) => statementText(s, names)),
  ].join("\n");
});

/** A path in the mapping of a kernel, in the names of another one with the same text. */
export function pathFor(path: string, from: Group, to: Group): string {
  return boundKernelPath(to, canonicalKernelPath(from, path));
}

/** The mapping of a kernel, in the names of another one with the same text. */
export function mappingFor(mapping: KernelMapping, from: Group, to: Group): KernelMapping {
  const renamed = <V>(field: "joins" | "operands" | "places"): Readonly<Record<string, V>> => {
    const entries = Object.entries(mapping[field]) as readonly (readonly [string, V])[];
    return Object.fromEntries(
      entries.map(([name, value]) => [
        pathFor(`${field}/${name}`, from, to).slice(field.length + 1),
        value,
      ]),
    );
  };
  return {
    ...mapping,
    joins: renamed("joins"),
    operands: renamed("operands"),
    places: renamed("places"),
  };
}
