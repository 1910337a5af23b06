import { addConstant, type Constraint, equal, subtract, variable } from "../affine.ts";
import {
  commonLoops,
  comparePositions,
  type ProgramLoop,
  type StatementOrder,
} from "./program-order.ts";

/** One end of a dependence, as far as its time goes. */
export interface Endpoint {
  readonly statement: string;
  readonly order: StatementOrder;
  /** A read comes before the writes of its own statement, at equal loop indices. */
  readonly reads: boolean;
}

/** A statement that overwrites the whole tensor each time; see writesWhole. */
export interface Killer {
  readonly statement: string;
  readonly order: StatementOrder;
}

/** The pairs that no killer separates: none, or those that satisfy the constraints too. */
export type Survivors =
  | { readonly kind: "none" }
  | {
      readonly kind: "some";
      readonly constraints: readonly Constraint[];
      /** False when pairs may be left that a killer separates. */
      readonly exact: boolean;
    };

const none: Survivors = { kind: "none" };
const all: Survivors = { kind: "some", constraints: [], exact: true };

function prefixed(loop: ProgramLoop, prefix: string, end: "lower" | "upper"): Constraint {
  const bound = end === "lower" ? loop.lower : addConstant(loop.upper, -1);
  const terms = bound.terms.map((t) => ({ ...t, variable: prefix + t.variable }));
  return equal(variable(prefix + loop.name), { terms, constant: bound.constant });
}

/** The loops from `first` to before `end` are at their last iteration. */
function lasts(loops: readonly ProgramLoop[], first: number, end: number): readonly Constraint[] {
  return loops.slice(first, end).map((l) => prefixed(l, "a.", "upper"));
}

/** The loops from `first` to before `end` are at their first iteration. */
function firsts(loops: readonly ProgramLoop[], first: number, end: number): readonly Constraint[] {
  return loops.slice(first, end).map((l) => prefixed(l, "b.", "lower"));
}

/** True when the killer's write comes after the source, at equal values of their common loops. */
function follows(x: Killer, source: Endpoint): boolean {
  if (x.statement === source.statement) return source.reads;
  return comparePositions(x.order, source.order) > 0;
}

/** True when the killer's write comes before the sink, at equal values of their common loops. */
function precedes(x: Killer, sink: Endpoint): boolean {
  return comparePositions(x.order, sink.order) < 0;
}

/** The pairs in different iterations of common loop `level`. */
function carried(x: Killer, source: Endpoint, sink: Endpoint, level: number): Survivors {
  const [m, n] = [commonLoops(x.order, source.order), commonLoops(x.order, sink.order)];
  if (m <= level || n <= level) return all;
  if (follows(x, source) && x.order.nonempty <= m) return none;
  if (precedes(x, sink) && x.order.nonempty <= n) return none;
  if (x.order.nonempty > level + 1) return { kind: "some", constraints: [], exact: false };
  const name = source.order.loops[level]?.name ?? "";
  const distance = subtract(variable(`b.${name}`), variable(`a.${name}`));
  return {
    kind: "some",
    constraints: [
      { kind: "zero", affine: addConstant(distance, -1) },
      ...lasts(source.order.loops, level + 1, m),
      ...firsts(sink.order.loops, level + 1, n),
    ],
    exact: true,
  };
}

/** The pairs in the same iteration of all `common` loops. */
function independent(x: Killer, source: Endpoint, sink: Endpoint, common: number): Survivors {
  const [m, n] = [commonLoops(x.order, source.order), commonLoops(x.order, sink.order)];
  if (m < common || n < common) return all;
  const after = follows(x, source);
  const before = precedes(x, sink);
  const between = m > common ? after : n > common ? before : after && before;
  // With a loop of its own around it, the killer may come again in the next iteration.
  const again = m > common || n > common;
  if (!between && !again) return all;
  const needed = between ? Math.max(m, n) : common + 1;
  if (x.order.nonempty > needed) return { kind: "some", constraints: [], exact: false };
  if (between) return none;
  const constraints =
    m > common ? lasts(source.order.loops, common, m) : firsts(sink.order.loops, common, n);
  return { kind: "some", constraints, exact: true };
}

/**
 * What killers leave of the pairs (a, b) of a source and a later sink, at common loop `level` or
 * within one iteration of all common loops: the pairs without a write of a killer strictly between
 * them. Constraints are over the loops of the source behind "a." and of the sink behind "b.".
 */
export function survivors(
  killers: readonly Killer[],
  source: Endpoint,
  sink: Endpoint,
  level: number | "independent",
): Survivors {
  const common = commonLoops(source.order, sink.order);
  const constraints: Constraint[] = [];
  let exact = true;
  for (const x of killers) {
    const left =
      level === "independent"
        ? independent(x, source, sink, common)
        : carried(x, source, sink, level);
    if (left.kind === "none") return none;
    constraints.push(...left.constraints);
    exact &&= left.exact;
  }
  return { kind: "some", constraints, exact };
}
