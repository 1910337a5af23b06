import { type Program, type Statement, touches } from "../../program.ts";

/** Temporaries that only these statements touch, in the order of the program's tensors. */
export function ownTemporaries(program: Program, own: readonly Statement[]): readonly string[] {
  const ids = new Set(own.map((s) => s.id));
  const isOwn = (tensor: string): boolean => {
    const all = program.statements.filter((s) => touches(s, tensor));
    return all.length > 0 && all.every((s) => ids.has(s.id));
  };
  const temporaries = program.tensors.filter((t) => t.role === "temporary");
  return temporaries.map((t) => t.name).filter(isOwn);
}
