import type { Program, Statement } from "../program.ts";

/** Whether a statement reads or writes a tensor. */
export function touches({ write, reads }: Statement, tensor: string): boolean {
  return write.tensor === tensor || reads.some((r) => r.tensor === tensor);
}

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
