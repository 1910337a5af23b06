/** Exchanges between the lanes of subgroups: every lane gives before any takes. */
import { defined } from "../../support/assert.ts";
import type { Exchange, KernelStatement } from "../kernel.ts";
import { binarySemantics } from "../scalar-semantics.ts";
import { compileComponents } from "./compile-expression.ts";
import { inOrder } from "./compile-statement.ts";
import { lazyTaints } from "./compile-taint.ts";
import type { Machine } from "./machine.ts";
import type { Evaluate, Scope } from "./scope.ts";

/** The lanes, counted over the workgroup, whose values make that of a lane. */
function sourcesOf(how: Exchange, lanes: number): (invocation: number) => readonly number[] {
  const all = Array.from({ length: lanes }, (_, n) => n);
  return (invocation) => {
    const own = invocation % lanes;
    const first = invocation - own;
    switch (how.kind) {
      case "broadcast":
        return [first + how.lane];
      case "shuffle":
        return [first + (own ^ how.mask)];
      case "reduce":
        return all.map((n) => first + n);
    }
  };
}

/** The values that the invocations of a workgroup give, with whether they depend on poison. */
interface Given {
  readonly values: Float64Array;
  readonly taints: Uint8Array;
}

function giveAll(
  s: KernelStatement & { kind: "exchange" },
  scope: Scope,
  given: Given,
): (m: Machine) => void {
  const components = compileComponents(s.value, scope);
  const taint = lazyTaints(s.value, scope);
  const first = inOrder(scope.first);
  const { width } = s.type;
  return (m) => {
    for (let n = 0; n < m.kernel.workgroupSize; n++) {
      const base = n * m.stride;
      m.invocation = n;
      first(base);
      for (let c = 0; c < width; c++) {
        given.values[n * width + c] = (components[c] as Evaluate)(base);
      }
      for (let c = 0; c < width; c++) {
        given.taints[n * width + c] = m.suspect && taint(c, base) ? 1 : 0;
      }
    }
  };
}

/**
 * An exchange for all invocations of a workgroup. What a lane gets of one that is not there is poison.
 */
export function compileExchange(
  s: KernelStatement & { kind: "exchange" },
  scope: Scope,
): () => void {
  const { m } = scope;
  const { width } = s.type;
  const { workgroupSize } = m.kernel;
  const lanes = defined(m.kernel.subgroupSize, "size of subgroups");
  const slot = defined(m.variables.get(s.name), "variable", s.name);
  const size = workgroupSize * width;
  const given: Given = { values: new Float64Array(size), taints: new Uint8Array(size) };
  const give = giveAll(s, scope, given);
  const sources = Array.from({ length: workgroupSize }, (_, n) => sourcesOf(s.how, lanes)(n));
  const isWhole = sources.every((from) => from.every((n) => n < workgroupSize));
  const take = takeAll(s, slot, given, sources, m);
  return () => {
    if (!isWhole) m.suspect = true;
    give(m);
    take();
  };
}

/** Sets the variable of every lane; lanes that are not there gave nothing that has a meaning. */
function takeAll(
  { how, type }: KernelStatement & { kind: "exchange" },
  slot: number,
  { values, taints }: Given,
  sources: readonly (readonly number[])[],
  m: Machine,
): () => void {
  const { width, scalar } = type;
  const combine =
    how.kind === "reduce"
      ? defined(binarySemantics(how.operator, scalar), `${how.operator} on ${scalar}`)
      : (x: number) => x;
  const takeOne = (from: readonly number[], register: number, c: number): void => {
    const all = from.map((lane) => values[lane * width + c] ?? Number.NaN);
    m.registers[register] = all.reduce((a, b) => combine(a, b));
    if (!m.suspect) return;
    m.tainted[register] = from.some((lane) => taints[lane * width + c] !== 0) ? 1 : 0;
  };
  return () => {
    for (const [n, from] of sources.entries()) {
      for (let c = 0; c < width; c++) takeOne(from, n * m.stride + slot + c, c);
    }
  };
}
