import { remember } from "../../../support/remember.ts";
import { type Program, type Statement, tensorsOf } from "../../program.ts";

/** In how many statements each tensor occurs. */
function countUses(statements: readonly Statement[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const s of statements) {
    for (const tensor of new Set(tensorsOf(s))) counts.set(tensor, (counts.get(tensor) ?? 0) + 1);
  }
  return counts;
}

/** Where each temporary stands among the program's tensors, and in how many statements it occurs. */
const temporariesOf: (
  program: Program,
) => ReadonlyMap<string, { readonly at: number; readonly uses: number }> = remember(
  ({ tensors, statements }: Program) => {
    const counts = countUses(statements);
    const found = new Map<string, { readonly at: number; readonly uses: number }>();
    for (const [at, { name, role }] of tensors.entries()) {
      if (role === "temporary") found.set(name, { at, uses: counts.get(name) ?? 0 });
    }
    return found;
  },
);

/** Temporaries that only these statements of a program touch, in the order of the program's tensors. */
export function ownTemporaries(program: Program, own: readonly Statement[]): readonly string[] {
  const all = temporariesOf(program);
  const place = (tensor: string): number => all.get(tensor)?.at ?? 0;
  return [...countUses(own)]
    .flatMap(([tensor, uses]) => (all.get(tensor)?.uses === uses ? [tensor] : []))
    .sort((a, b) => place(a) - place(b));
}
