/**
 * Kernels that compute the same with other names and constants: the layers of a network, mostly. What was chosen for one of them is
 * what would be chosen for the others, and is legal for them: it is found once.
 */
import { exactText } from "../../support/exact-text.ts";
import { remember } from "../../support/remember.ts";
import { type Expression, eachExpression, mapExpression, operands } from "../expression.ts";
import type { Statement } from "../program.ts";
import type { Group } from "./group/group.ts";
import { ownTemporaries } from "./group/own-temporaries.ts";
import { boundKernelPath, canonicalKernelPath } from "./kernel-key.ts";
import type { KernelMapping } from "./kernel-mapping.ts";
import { namesOf } from "./kernel-text.ts";

/** What a statement computes with, but for its constants, on which no choice depends; exponents stand for products. */
function withoutConstants(body: readonly Expression[]): readonly Expression[] {
  const isPower = (e: Expression): boolean => e.kind === "call" && e.function === "pow";
  const exponents = new Set(
    eachExpression(...body).flatMap((e) => (isPower(e) ? operands(e) : [])),
  );
  return body.map((part) =>
    mapExpression(part, (e) =>
      e.kind === "literal" && !exponents.has(e) ? { ...e, value: 0 } : undefined,
    ),
  );
}

/** A statement in canonical names, without its constants and its places in the source. */
function statementText(
  s: Statement,
  { statements, tensors }: Pick<ReturnType<typeof namesOf>, "statements" | "tensors">,
): string {
  return exactText({ ...s, body: withoutConstants(s.body) }, (key, value) => {
    if (isPlace(key)) return undefined;
    if (typeof value !== "string") return value;
    if (key === "tensor") return tensors.get(value) ?? value;
    return key === "id" ? (statements.get(value) ?? value) : value;
  });
}

/** Whether a field says where the source has something. */
export function isPlace(key: string): boolean {
  return key === "span" || key === "spans" || key === "taken";
}

/** What runs in the loops of the host around a kernel, in the names of the program, and slots of temporaries. */
function textAround({ program, host, folds, statements }: Group): string {
  const [outer] = host;
  if (outer === undefined && folds.length === 0) return "";
  const own = new Set(statements.map((s) => s.id));
  const around = program.statements.filter(
    (s) => own.has(s.id) || outer === undefined || s.loops.includes(outer.id),
  );
  const parts = [[...own], host, folds, outer === undefined ? [] : program.tree, around];
  return exactText(parts, (key, value) => (isPlace(key) ? undefined : value));
}

/**
 * All that choosing a mapping of a kernel looks at, as text, sizes included. In canonical names but for kernels that also
 * depend on what runs elsewhere, in the other kernels of a loop on the host; null where tensors share a buffer.
 */
export const sameKernelText: (group: Group) => string | null = remember((group: Group) => {
  const { program, nodes, statements, axes } = group;
  if (program.shared !== undefined) return null;
  const names = namesOf(group);
  const own = new Set(ownTemporaries(program, statements));
  // The order of the program is that in which temporaries are asked about.
  const touched = program.tensors.flatMap((tensor) => {
    const name = names.tensors.get(tensor.name);
    return name === undefined ? [] : [{ ...tensor, name, span: null, own: own.has(tensor.name) }];
  });
  return [
    exactText(touched),
    JSON.stringify(nodes, (key, value: unknown) =>
      key === "statement" ? names.statements.get(String(value)) : value,
    ),
    JSON.stringify(
      axes.map(({ lower, upper, dims }) => [lower, upper, statements.map((s) => dims.get(s.id))]),
    ),
    ...statements.map((s) => statementText(s, names)),
    textAround(group),
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
