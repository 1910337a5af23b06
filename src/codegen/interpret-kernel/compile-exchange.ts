/** Exchanges between the lanes of subgroups: every lane gives before any takes. */
import { defined } from "../../support/assert.ts";
import type { Exchange, KernelStatement, KernelType } from "../kernel.ts";
import { binarySemantics } from "../scalar-semantics.ts";
import { compileComponents, compileScalar } from "./compile-expression.ts";
import { inOrder } from "./compile-statement.ts";
import { lazyTaints } from "./compile-taint.ts";
import type { Machine } from "./machine.ts";
import type { Evaluate, Scope } from "./scope.ts";

type ExchangeStatement = KernelStatement & { kind: "exchange" };

/** What the invocations of a workgroup give in one execution. */
interface Given {
  readonly values: Float64Array;
  /** Whether these depend on poison. */
  readonly taints: Uint8Array;
  /** By invocation: whose value it asks for, counted over the workgroup; NaN for one that is not there. */
  readonly sources: Float64Array;
}

/** Gives whose value an invocation asks for; of a reduction, that of the first of its whole subgroup. */
function compileSource(
  how: Exchange,
  lanes: number,
  scope: Scope,
): (invocation: number, base: number) => number {
  const { m } = scope;
  const { workgroupSize } = m.kernel;
  const inWorkgroup = (n: number): number => (n < workgroupSize ? n : Number.NaN);
  switch (how.kind) {
    case "broadcast": {
      const lane = compileScalar(how.lane, scope);
      const taint = lazyTaints(how.lane, scope);
      return (n, base) => {
        const at = lane(base);
        const isThere = at < lanes && !(m.suspect && taint(0, base));
        return isThere ? inWorkgroup(n - (n % lanes) + at) : Number.NaN;
      };
    }
    case "shuffle":
      return (n) => inWorkgroup(n - (n % lanes) + ((n % lanes) ^ how.mask));
    case "reduce":
      return (n) => {
        const first = n - (n % lanes);
        return first + lanes <= workgroupSize ? first : Number.NaN;
      };
  }
}

function giveAll(
  s: ExchangeStatement,
  lanes: number,
  scope: Scope,
  given: Given,
): (m: Machine) => void {
  const components = compileComponents(s.value, scope);
  const taint = lazyTaints(s.value, scope);
  const source = compileSource(s.how, lanes, scope);
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
      given.sources[n] = source(n, base);
    }
  };
}

/**
 * An exchange for all invocations of a workgroup. What a lane gets of one that is not there is poison.
 */
export function compileExchange(s: ExchangeStatement, scope: Scope): () => void {
  const { m } = scope;
  const { workgroupSize } = m.kernel;
  const lanes = defined(m.kernel.subgroupSize, "size of subgroups");
  const slot = defined(m.variables.get(s.name), "variable", s.name);
  const size = workgroupSize * s.type.width;
  const given: Given = {
    values: new Float64Array(size),
    taints: new Uint8Array(size),
    sources: new Float64Array(workgroupSize),
  };
  const give = giveAll(s, lanes, scope, given);
  const { width } = s.type;
  const take =
    s.how.kind === "reduce"
      ? takeAll(s.how.operator, s.type, lanes, given)
      : takeOne(s.type, given);
  return () => {
    give(m);
    if (given.sources.some(Number.isNaN)) m.suspect = true;
    for (let n = 0; n < workgroupSize; n++) {
      for (let c = 0; c < width; c++) take(m, n, c, n * m.stride + slot + c);
    }
  };
}

/** Sets a register of an invocation: component `c` of what it gets. */
type Take = (m: Machine, invocation: number, c: number, register: number) => void;

/** What one lane gave. */
function takeOne({ width }: KernelType, { values, taints, sources }: Given): Take {
  return (m, invocation, c, register) => {
    const at = (sources[invocation] as number) * width + c;
    m.registers[register] = values[at] ?? Number.NaN;
    if (m.suspect) m.tainted[register] = taints[at] === 0 ? 0 : 1;
  };
}

/** What all lanes of its subgroup gave, combined. */
function takeAll(
  operator: Extract<Exchange, { kind: "reduce" }>["operator"],
  { scalar, width }: KernelType,
  lanes: number,
  { values, taints, sources }: Given,
): Take {
  const combine = defined(binarySemantics(operator, scalar), `${operator} on ${scalar}`);
  const offsets = Array.from({ length: lanes }, (_, n) => n);
  return (m, invocation, c, register) => {
    const all = offsets.map((lane) => ((sources[invocation] as number) + lane) * width + c);
    const given = all.map((at) => values[at] ?? Number.NaN);
    m.registers[register] = given.reduce((a, b) => combine(a, b));
    if (m.suspect) m.tainted[register] = all.every((at) => taints[at] === 0) ? 0 : 1;
  };
}
