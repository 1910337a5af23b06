/** Paths of choices by what they are about. */

/** Kinds of what choices are about, in the order in which visitors look for them. */
const kinds = [
  { title: "Kernels", prefix: "kernels/" },
  { title: "Statements", prefix: "structure/statements/" },
  { title: "Loops", prefix: "structure/loops/" },
] as const;

/** The kernel, statement or loop that a path is about: its first words, up to the name. */
export function groupOf(path: string): string {
  const prefix = kinds.find((kind) => path.startsWith(kind.prefix))?.prefix ?? "";
  const [name = ""] = path.slice(prefix.length).split("/");
  return prefix + name;
}

/** All that some paths are about, in their order; kinds without any are left out. */
export function groupsOf(
  paths: readonly string[],
): readonly { readonly title: string; readonly names: readonly string[] }[] {
  const names = [...new Set(paths.map(groupOf))];
  return kinds.flatMap(({ title, prefix }) => {
    const own = names.filter((name) => name.startsWith(prefix));
    return own.length === 0 ? [] : [{ title, names: own }];
  });
}
