/**
 * A Mapping: all that a compilation chooses about how a device executes a program, and nothing that it can derive.
 *
 * ```
 * mapping    := { version: 2, policy, generator, structure, kernels: { STATEMENT | KEY: kernel } }
 * structure  := { statements: { STATEMENT: rewrites }, loops: { LOOP: { on: "host" | "serial", with } } }
 * rewrites   := { gather, with, merge, inline, stage, own, online, flatten, vectors, up,
 *                 split: { DIM: place }, factor: { DIM: parts }, blocks: { DIM: size }, pad: { DIM: multiple },
 *                 terms: { DIM: boolean }, leave: { DIM: boolean }, scan: { DIM: chunk },
 *                 skew: { DIM: boolean }, parts: { DIM: boolean },
 *                 expand: { DIM: boolean }, pack: { READ: boolean }, turn: { READ: boolean } }
 * kernel     := see kernel-mapping.ts
 * policy     := "default" | "naive" | "apart" | "together" | "plain"
 * generator  := the version of what made kernels of it, for readers: src/codegen/generator.ts
 * STATEMENT  := the tensor that it writes and the version: norm, norm#1; what rewrites make of it: norm#1.part
 * DIM        := pN (the N-th dim that is not reduced), rN (the N-th reduced one), tN (the N-th loop around)
 * READ       := readN
 * KEY        := key:HASH, of kernels without an entry by name; their names are canonical (kernel-key.ts)
 * ```
 * A kernel is named after its first statement; `with` is the name of the kernel that a statement or loop joins, or
 * false (true: of whatever kernel is before it). Names do not depend on sizes, nor on statements elsewhere. What a
 * mapping does not say, its policy chooses; `plain` takes the plainest value, so that a mapping with that policy
 * is complete and never consults a rule that may change.
 */
import type { Choice, Choices, Mapping, PolicyName } from "../../support/mapping-file.ts";
import { mappingVersion } from "../../support/mapping-file.ts";
import { plainAxis, plainKernel, plainOperand } from "./kernel-mapping.ts";
import { flatten, type Tree, unflatten } from "./paths.ts";

/** What a mapping says, by path: `structure/statements/C/merge`, `kernels/C/axes/0/workgroup`. */
export type Paths = ReadonlyMap<string, Choice>;

/** The values of a mapping by path. */
export function pathsOf({
  structure = {},
  kernels = {},
}: Pick<Mapping, "structure" | "kernels">): Paths {
  return new Map([...flatten(structure, "structure"), ...flatten(kernels, "kernels")]);
}

/** The mapping with some values by path, and a policy for what they do not say. */
export function mappingOf(paths: Iterable<readonly [string, Choice]>, policy: PolicyName): Mapping {
  const tree = unflatten(paths);
  const part = (name: string): Choices =>
    isTree(tree) && isTree(tree[name]) ? (tree[name] as Choices) : {};
  return {
    version: mappingVersion,
    policy,
    structure: part("structure"),
    kernels: part("kernels"),
  };
}

function isTree(tree: unknown): tree is Readonly<Record<string, Tree>> {
  return typeof tree === "object" && tree !== null && !Array.isArray(tree);
}

/** The words of the grammar: whatever stands in a path that is no name and no number. */
export const knobWords: ReadonlySet<string> = new Set([
  ...["structure", "statements", "loops", "kernels", "with", "on", "own"],
  ...["gather", "merge", "inline", "stage", "online", "flatten", "vectors", "up"],
  ...["split", "factor", "blocks", "pad", "expand", "pack", "terms", "leave", "scan", "skew"],
  ...["parts", "turn"],
  ...[plainKernel(0), plainAxis, plainOperand].flatMap((fields) => Object.keys(fields)),
]);
