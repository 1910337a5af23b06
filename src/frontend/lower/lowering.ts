import type { Statement, Tensor } from "../../ir/program.ts";
import type { ElementType } from "../../support/scalar-type.ts";

/** What lowering collects, and the names it has given. */
export interface Lowering {
  readonly tensors: Tensor[];
  /** By tensor of the definition, what its elements are stored as. */
  readonly elements: ReadonlyMap<string, ElementType>;
  readonly statements: Statement[];
  readonly ids: Map<string, number>;
}

/** A statement id made of the tensor that it writes. */
export function freshId(state: Lowering, target: string): string {
  const n = state.ids.get(target) ?? 0;
  state.ids.set(target, n + 1);
  return n === 0 ? target : `${target}#${n}`;
}

/** A name that no tensor has. */
export function freshTensor(state: Lowering, base: string): string {
  const taken = new Set(state.tensors.map((t) => t.name));
  let name = base;
  for (let n = 1; taken.has(name); n++) name = `${base}_${n}`;
  return name;
}
