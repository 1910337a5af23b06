/**
 * Purpose: finds the tensors whose contents before the program may be seen, by a statement or as a
 * result; for outputs and temporaries those contents are 0 by definition.
 *
 * Ensures: a tensor that is left out is written whole before each use. May name too many.
 */
import { flatMap } from "../../support/flat-map.ts";
import { remember } from "../../support/remember.ts";
import { isScatter, type Program, type Statement } from "../program.ts";
import { programOrder } from "./program-order.ts";
import { writesWhole } from "./total-write.ts";
import { type Value, valuesOf } from "./values.ts";

/** The names of tensors that are not supplied by the caller but whose first contents matter. */
export const readsStart: (program: Program) => ReadonlySet<string> = remember((program) => {
  const { values, before, final } = valuesOf(program);
  const byId = new Map(values.map((v) => [v.id, v]));
  const order = programOrder(program);
  const whole = new Set<string>();
  for (const s of program.statements) {
    const at = order.get(s.id);
    if (at !== undefined && writesWhole(program, s, at)) whole.add(s.id);
  }
  const made = program.tensors.filter((t) => t.role === "output" || t.role === "temporary");
  const found = new Set<string>();
  for (const { name, role } of made) {
    // A scatter combines with what is there, whatever it reads.
    const uses = flatMap(
      program.statements.filter(
        (s) => s.reads.some((r) => r.tensor === name) || scattersTo(s, name),
      ),
      (s) => [before.get(s.id)?.get(name)],
    );
    const last = role === "output" ? [final.get(name)] : [];
    if (reachesStart([...uses, ...last], byId, whole)) found.add(name);
  }
  return found;
});

function scattersTo(statement: Statement, tensor: string): boolean {
  return statement.write.tensor === tensor && isScatter(statement);
}

/** Whether one of the values may show what was there at the start. */
function reachesStart(
  from: readonly (string | undefined)[],
  values: ReadonlyMap<string, Value>,
  whole: ReadonlySet<string>,
): boolean {
  const seen = new Set<string>();
  const open = [...from];
  while (open.length > 0) {
    const id = open.pop();
    const value = values.get(id ?? "");
    // A tensor that nothing has written yet has no value: it shows the start.
    if (value === undefined || value.origin.kind === "start") return true;
    if (seen.has(value.id)) continue;
    seen.add(value.id);
    if (value.origin.kind === "statement" && whole.has(value.origin.statement)) continue;
    open.push(value.prev ?? undefined);
    if (value.origin.kind === "phi") open.push(value.origin.carried);
  }
  return false;
}
