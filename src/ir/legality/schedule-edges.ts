/**
 * Purpose: what a schedule must keep in order: the dependences of its program, by the phases of the
 * leaves that perform their ends, and the steps of each reduction on its accumulator.
 *
 * Ensures: pairs that go through folded tensors are those that share a slot.
 */

import { flatMap } from "../../support/flat-map.ts";
import { remember } from "../../support/remember.ts";
import {
  type Affine,
  addConstant,
  type Constraint,
  constant,
  equal,
  rename,
  scale,
  substituteConstraint,
  subtract,
  variable,
  zero,
} from "../affine.ts";
import { type AccessRef, readRelations, writeRelation } from "../dependences/access-relation.ts";
import { type Dependence, dependences } from "../dependences/dependences.ts";
import {
  comparePositions,
  programOrder,
  type StatementOrder,
} from "../dependences/program-order.ts";
import { domainConstraints } from "../domain.ts";
import { isScatter, type Program, parallelDims, type Statement } from "../program.ts";
import { type Phase, type Place, placeOfTensor, type Schedule } from "../schedule.ts";
import { type Memory, memoryOfAccumulator, memoryOfTensor } from "./memory.ts";

/** Instances of a statement, performed by leaves of some phases. */
export interface EdgeEnd {
  readonly statement: string;
  readonly phases: readonly Phase[];
}

/** Pairs of instances of which the first must come before the second. */
export interface Edge {
  readonly kind: "flow" | "anti" | "output";
  readonly from: EdgeEnd;
  readonly to: EdgeEnd;
  readonly memory: Memory;
  readonly constraints: readonly Constraint[];
  /** Any order will do, one after the other. */
  readonly commutes: boolean;
}

function endOf(ref: AccessRef): EdgeEnd {
  const last = ref.use === "store" ? "finish" : ref.use === "init" ? "init" : "update";
  return { statement: ref.statement, phases: ["whole", last] };
}

type Fold = NonNullable<Place["fold"]>;

/** The number of the state that an access to a folded tensor sees, over prefixed dims. */
function stateOf(
  program: Program,
  order: ReadonlyMap<string, StatementOrder>,
  tensor: string,
  fold: Fold,
  ref: AccessRef,
  prefix: string,
): Affine {
  const writer = program.statements.find(
    (s) => s.write.tensor === tensor && s.loops.includes(fold.loop),
  );
  const [at, written] = [order.get(ref.statement), order.get(writer?.id ?? "")];
  if (at === undefined || written === undefined) return constant(0);
  const loop = written.loops.find((l) => l.name === fold.loop);
  if (loop === undefined) return constant(0);
  const writes = ref.access === "write";
  const after = writes || comparePositions(at, written) > 0;
  const named = (a: Affine): Affine => rename(a, (name) => prefix + name);
  if (at.loops.some((l) => l.name === fold.loop)) {
    const iteration = named(subtract(variable(fold.loop), loop.lower));
    return addConstant(iteration, after ? 1 : 0);
  }
  return writes || !after ? constant(0) : named(subtract(loop.upper, loop.lower));
}

/** The dependences on a folded tensor: its flows, and the others within a slot. */
function foldedDependences(
  program: Program,
  tensor: string,
  fold: Fold,
  known: readonly Dependence[],
): readonly Dependence[] {
  const order = programOrder(program);
  const flows = known.filter((d) => d.tensor === tensor && d.kind === "flow");
  const others = dependences(program, { tensor, kills: false }).filter((d) => d.kind !== "flow");
  const sameSlot = others.map((d) => {
    const from = stateOf(program, order, tensor, fold, d.from, "a.");
    const to = stateOf(program, order, tensor, fold, d.to, "b.");
    const turns = scale(variable("@turns"), fold.slots);
    const slot = zero(subtract(subtract(to, from), turns));
    return { ...d, constraints: [...d.constraints, slot] };
  });
  return [...flows, ...sameSlot];
}

function domainOf(program: Program, s: Statement, phase: Phase): readonly Constraint[] {
  return phase === "update" ? domainConstraints(s.domain) : writeRelation(program, s).constraints;
}

function prefixAll(constraints: readonly Constraint[], prefix: string): readonly Constraint[] {
  return constraints.map((c) => substituteConstraint(c, (name) => variable(prefix + name)));
}

/** What is found for the statements of a program, kept for schedules that ask again. */
function forStatements<T>(
  find: (program: Program, statement: Statement) => T,
): (program: Program) => (statement: Statement) => T {
  return remember((program) => remember((statement) => find(program, statement)));
}

/** Init before update before finish, for each accumulator. */
const accumulatorEdges = forStatements((program, s): readonly Edge[] => {
  if (s.reduction === null || isScatter(s)) return [];
  const memory = memoryOfAccumulator(s.id);
  const same = parallelDims(s).map((d) => equal(variable(`a.${d}`), variable(`b.${d}`)));
  const edge = (from: Phase, to: Phase): Edge => ({
    kind: "flow",
    from: { statement: s.id, phases: [from] },
    to: { statement: s.id, phases: [to] },
    memory,
    constraints: [
      ...same,
      ...prefixAll(domainOf(program, s, from), "a."),
      ...prefixAll(domainOf(program, s, to), "b."),
    ],
    commutes: false,
  });
  return [edge("init", "update"), edge("update", "finish"), edge("init", "finish")];
});

/** What the schedule must keep in order; the accumulators of the statements in `plain` are. */
export function scheduleEdges(
  program: Program,
  schedule: Schedule,
  plain: ReadonlySet<Statement>,
  known: readonly Dependence[] = dependences(program),
): readonly Edge[] {
  const folds = new Map<string, Fold>();
  for (const t of program.tensors) {
    const { fold = null, space = "storage" } = placeOfTensor(schedule, t.name) ?? {};
    if (space === "storage" && fold !== null && fold.slots > 1) folds.set(t.name, fold);
  }
  const kept = known.filter((d) => !folds.has(d.tensor));
  const folded = flatMap([...folds], ([t, f]) => foldedDependences(program, t, f, known));
  const edges = [...kept, ...folded].map(
    (d): Edge => ({
      kind: d.kind,
      from: endOf(d.from),
      to: endOf(d.to),
      memory: memoryOfTensor(schedule, d.tensor),
      constraints: d.constraints,
      commutes: d.commutes,
    }),
  );
  const reads = flatMap(program.statements, (s) => {
    const memory = memoryOfTensor(schedule, s.write.tensor);
    return ownUpdates(program)(s).map((edge): Edge => ({ ...edge, memory }));
  });
  const open = program.statements.filter((s) => !plain.has(s));
  const steps = flatMap(open, accumulatorEdges(program));
  return [...edges, ...reads, ...steps];
}

/**
 * A statement that reads the very element that it writes: no instance needs an order, but a leaf
 * that repeats instances does.
 */
const ownUpdates = forStatements((program, s): readonly Omit<Edge, "memory">[] => {
  if (!s.reads.some((r) => r.tensor === s.write.tensor)) return [];
  const write = writeRelation(program, s);
  const same = parallelDims(s).map((d) => equal(variable(`a.${d}`), variable(`b.${d}`)));
  return readRelations(program, s)
    .filter((r) => r.tensor === s.write.tensor)
    .map((r): Omit<Edge, "memory"> => {
      const cells = flatMap(r.index, (left, d) => {
        const right = write.index[d] ?? null;
        return left === null || right === null ? [] : [zero(subtract(left, right))];
      });
      return {
        kind: "anti",
        from: endOf(r),
        to: endOf(write),
        constraints: [
          ...same,
          ...prefixAll([...r.constraints, ...cells], "a."),
          ...prefixAll(write.constraints, "b."),
        ],
        commutes: false,
      };
    });
});
