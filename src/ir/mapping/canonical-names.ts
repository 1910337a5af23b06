/**
 * Names of mappings that do not depend on what a program calls its tensors and loops: `$0` is the tensor that is
 * written first, `$1` the next, `$t0` the first loop of the program. They stand wherever a name does:
 * `kernels/$0#1.part/places/$0_part`. A store keeps answers under them, since programs that differ in names
 * alone are executed alike. Of values, those of `with` are names, too.
 */
import { flatMap } from "../../support/flat-map.ts";
import type { Choice } from "../../support/mapping-file.ts";
import { remember } from "../../support/remember.ts";
import { eachStatementId, type Program, type ProgramNode, statementOf } from "../program.ts";

/** The tensors that a program writes, in the order of their first writes, and its loops. */
interface Names {
  readonly tensors: readonly string[];
  readonly loops: readonly string[];
}

const namesOf: (program: Program) => Names = remember((program: Program): Names => {
  const written = eachStatementId(program.tree).map((id) => statementOf(program, id).write.tensor);
  const loopsIn = (nodes: readonly ProgramNode[]): readonly string[] =>
    flatMap(nodes, (n) => (n.kind === "loop" ? [n.name, ...loopsIn(n.body)] : []));
  return { tensors: [...new Set(written)], loops: loopsIn(program.tree) };
});

/** What a rewrite calls something that it makes of a tensor: the tensor's name, and more behind one of these. */
const behindName = /[#._]/;

/** A word of a path with the name that it is, or begins with, replaced. */
function renamed(word: string, { tensors, loops }: Names): string {
  const loop = loops.findIndex((l) => word === l || word.startsWith(`${l}.`));
  if (loop >= 0) return `$t${loop}${word.slice(loops[loop]?.length)}`;
  const found = tensors
    .filter((t) => word === t || (word.startsWith(t) && behindName.test(word[t.length] ?? "")))
    .reduce((longest, t) => (t.length > longest.length ? t : longest), "");
  return found === "" ? word : `$${tensors.indexOf(found)}${word.slice(found.length)}`;
}

/** Parents of names in paths. */
const parents = new Set(["statements", "loops", "kernels", "operands", "joins", "places"]);

/** A path with canonical names in the place of those of the program, before any rewrite. */
export function canonicalPath(program: Program, path: string): string {
  const names = namesOf(program);
  const words = path.split("/");
  return words
    .map((word, n) => {
      if (!parents.has(words[n - 1] ?? "")) return word;
      return word
        .split(" ")
        .map((part) => renamed(part, names))
        .join(" ");
    })
    .join("/");
}

/** Whether the values of a path are names of statements. */
function hasNames(path: string): boolean {
  return path.startsWith("structure/") && path.endsWith("/with");
}

/** What a mapping has at a path, with a canonical name in the place of one of the program. */
export function canonicalChoice(program: Program, path: string, value: Choice): Choice {
  return hasNames(path) && typeof value === "string" ? renamed(value, namesOf(program)) : value;
}

/** What a mapping has at a path, with the program's own name in the place of a canonical one. */
export function boundChoice(program: Program, path: string, value: Choice): Choice {
  return hasNames(path) && typeof value === "string" ? boundPath(program, value) : value;
}

/** A path with the program's own names in the place of canonical ones; others stay. */
export function boundPath(program: Program, path: string): string {
  if (!path.includes("$")) return path;
  const { tensors, loops } = namesOf(program);
  return path
    .replace(/\$t(\d+)/g, (name, n: string) => loops[Number(n)] ?? name)
    .replace(/\$(\d+)/g, (name, n: string) => tensors[Number(n)] ?? name);
}
