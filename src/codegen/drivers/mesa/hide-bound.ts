/** A loop that Mesa cannot know to have few iterations. */
import { addIndex, clampIndex, indexLiteral, indexType, variableOf } from "../../build.ts";
import type { KernelExpression, KernelStatement } from "../../kernel.ts";
import { writtenTrips } from "./written-trips.ts";

type Loop = KernelStatement & { kind: "loop" };

/** The loop with more iterations than Mesa writes out, which ends where it did; `zero` is something that is 0. */
export function hideBound(loop: Loop, zero: KernelExpression): Loop {
  const counter = `${loop.variable}.kept`;
  const named: KernelStatement = {
    kind: "declare",
    name: loop.variable,
    type: indexType,
    mutable: false,
    value: clampIndex(variableOf(counter, indexType), loop.extent - 1),
  };
  const end = addIndex(indexLiteral(loop.extent), zero);
  return { ...loop, variable: counter, extent: writtenTrips + 1, end, body: [named, ...loop.body] };
}
