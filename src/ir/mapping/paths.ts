/**
 * Mappings as paths and back: `{ axes: [{ workgroup: 8 }] }` is `axes/0/workgroup` with the value 8. Names of
 * statements, tensors and loops have no slash.
 */
import type { Choice } from "../../support/mapping-file.ts";

/** Nested plain data. */
export type Tree = Choice | readonly Tree[] | { readonly [name: string]: Tree };

function isChoice(tree: unknown): tree is Choice {
  return typeof tree === "number" || typeof tree === "string" || typeof tree === "boolean";
}

/** All values of nested data by path; what is neither a value, a list nor an object is left out. */
export function flatten(tree: unknown, prefix = ""): ReadonlyMap<string, Choice> {
  const found = new Map<string, Choice>();
  const visit = (node: unknown, path: string): void => {
    if (isChoice(node)) found.set(path, node);
    else if (typeof node === "object" && node !== null) {
      for (const [name, part] of Object.entries(node)) {
        visit(part, path === "" ? name : `${path}/${name}`);
      }
    }
  };
  visit(tree, prefix);
  return found;
}

/** Nested data with some values at paths: lists where all names of a level are 0, 1, and so on. */
export function unflatten(values: Iterable<readonly [string, Choice]>): Tree {
  interface Node {
    readonly parts: Map<string, Node>;
    value?: Choice;
  }
  const root: Node = { parts: new Map() };
  for (const [path, value] of values) {
    let node = root;
    for (const name of path.split("/")) {
      const next = node.parts.get(name) ?? { parts: new Map() };
      node.parts.set(name, next);
      node = next;
    }
    node.value = value;
  }
  const build = ({ parts, value }: Node): Tree => {
    if (value !== undefined && parts.size === 0) return value;
    const names = [...parts.keys()];
    const isList = names.length > 0 && names.every((name, n) => name === String(n));
    if (isList) return [...parts.values()].map(build);
    return Object.fromEntries([...parts].map(([name, part]) => [name, build(part)]));
  };
  return build(root);
}
