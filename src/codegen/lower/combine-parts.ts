/**
 * Purpose: combines the parts of a reduction that the invocations of a team hold, for all of the team.
 *
 * Requires: every invocation of the workgroup comes here, with the identity where it has no part.
 * Ensures: each invocation of the team has the state of the whole in its accumulator.
 *
 * ```
 * tree        all parts to workgroup memory; half of those that are left add the other half, with a
 *             barrier after each step; the last two everybody adds
 * subgroups   exchanges within each subgroup; then its first lane puts the state to workgroup
 *             memory, and everybody adds those of the team's subgroups
 * ```
 * Steps are written out, with literal strides.
 */
import type { TeamReduction } from "../../ir/legality/team-reduction.ts";
import { reductionOf } from "../../ir/program.ts";
import { defined } from "../../support/assert.ts";
import { addIndex, builtinOf, compare, divideIndex, indexLiteral, scaleIndex } from "../build.ts";
import type { Exchange, KernelExpression } from "../kernel.ts";
import { bind } from "./block.ts";
import { atComponent, lowerExpression } from "./expression.ts";
import { stateOrigin } from "./origins.ts";
import { accumulatedState } from "./phase.ts";
import { boxArray, type Scope, useArray } from "./scope.ts";
import { withinTeam } from "./within-team.ts";

type State = readonly KernelExpression[];

/** Whether a team is whole subgroups of so many lanes, and its parts are dealt to their lanes. */
export function isOfSubgroups({ team, lanes }: TeamReduction, subgroup: number | null): boolean {
  return subgroup !== null && subgroup > 1 && lanes === subgroup && team % subgroup === 0;
}

/** Emits what combines the parts of the element that a `finish` is about to store. */
export function combineParts(scope: Scope): void {
  const { lane } = scope;
  if (lane !== null) {
    for (let n = 0; n < lane.width; n++) combineParts(atComponent(scope, lane.variable, n));
    return;
  }
  const { context, statement } = scope;
  const team = defined(context.teams.get(statement.id), "team of", statement.id);
  const { state, set } = accumulatedState(scope);
  set(
    isOfSubgroups(team, context.lanes)
      ? bySubgroups(scope, team, state)
      : byTree(scope, team, state),
  );
}

/** Two states as one, each component named. */
function combined(scope: Scope, left: State, right: State): State {
  const { monoid } = reductionOf(scope.statement);
  const both = { ...scope, state: { left, right } };
  return monoid.combine.map((e) => bind(scope.block, "sum", lowerExpression(both, e)));
}

/** The arrays of workgroup memory that hold states, one for each component. */
function stateArrays(scope: Scope, { repeated }: TeamReduction, length: number): readonly string[] {
  const { context, statement, block } = scope;
  const ids = reductionOf(statement).monoid.state.map((scalar, c) => ({
    array: boxArray(`parts.${scalar}.${c}.${length}`, scalar, "workgroup", length, 1),
    isNew: !context.arrays.has(`parts.${scalar}.${c}.${length}`),
  }));
  // Others may still read what was combined before.
  if (repeated || ids.some(({ isNew }) => !isNew)) {
    block.emit({ kind: "barrier", memory: "workgroup" });
  }
  return ids.map(({ array }) => useArray(context, array.id, () => array));
}

function loadState(scope: Scope, arrays: readonly string[], index: KernelExpression): State {
  const { monoid } = reductionOf(scope.statement);
  const origin = stateOrigin(scope.statement);
  return arrays.map((array, c) => {
    const type = { scalar: defined(monoid.state[c], "component", c), width: 1 } as const;
    return bind(scope.block, "other", { kind: "load", array, index, type, origin });
  });
}

function storeState(
  { block, statement }: Scope,
  arrays: readonly string[],
  index: KernelExpression,
  state: State,
): void {
  const origin = stateOrigin(statement);
  for (const [c, array] of arrays.entries()) {
    block.emit({ kind: "store", array, index, value: defined(state[c], "component", c), origin });
  }
}

function emitIf(scope: Scope, condition: KernelExpression, fill: (inner: Scope) => void): void {
  const block = scope.block.inner("condition");
  fill({ ...scope, block });
  scope.block.emit({ kind: "if", condition, then: block.statements, else: [] });
}

function byTree(scope: Scope, team: TeamReduction, state: State): State {
  const { workgroupSize } = scope.context;
  const local = builtinOf("local-index");
  const member = withinTeam(team.team, workgroupSize);
  const whole = team.team === workgroupSize;
  const first = whole ? indexLiteral(0) : scaleIndex(divideIndex(local, team.team), team.team);
  const arrays = stateArrays(scope, team, workgroupSize);
  storeState(scope, arrays, local, state);
  scope.block.emit({ kind: "barrier", memory: "workgroup" });
  let left = team.parts;
  while (left > 2) {
    const half = Math.ceil(left / 2);
    emitIf(scope, compare("<", member, indexLiteral(left - half)), (inner) => {
      const own = loadState(inner, arrays, local);
      const other = loadState(inner, arrays, addIndex(local, indexLiteral(half)));
      storeState(inner, arrays, local, combined(inner, own, other));
    });
    scope.block.emit({ kind: "barrier", memory: "workgroup" });
    left = half;
  }
  return sumOf(scope, arrays, first, left);
}

/** The states at so many places from the first on, combined by everybody. */
function sumOf(
  scope: Scope,
  arrays: readonly string[],
  first: KernelExpression,
  count: number,
): State {
  let sum = loadState(scope, arrays, first);
  for (let n = 1; n < count; n++) {
    const other = loadState(scope, arrays, addIndex(first, indexLiteral(n)));
    sum = combined(scope, sum, other);
  }
  return sum;
}

function bySubgroups(scope: Scope, team: TeamReduction, state: State): State {
  const { workgroupSize } = scope.context;
  const { lanes, parts } = team;
  const within = withinSubgroup(scope, lanes, state);
  if (parts === lanes && team.team === lanes) return within;
  const arrays = stateArrays(scope, team, workgroupSize / lanes);
  const local = builtinOf("local-index");
  emitIf(scope, compare("==", builtinOf("lane"), indexLiteral(0)), (inner) =>
    storeState(inner, arrays, divideIndex(local, lanes), within),
  );
  scope.block.emit({ kind: "barrier", memory: "workgroup" });
  const whole = team.team === workgroupSize;
  const first = whole
    ? indexLiteral(0)
    : scaleIndex(divideIndex(local, team.team), team.team / lanes);
  return sumOf(scope, arrays, first, Math.ceil(parts / lanes));
}

function exchange(
  { block, statement }: Scope,
  value: KernelExpression,
  how: Exchange,
): KernelExpression {
  const name = block.names.fresh("exchanged");
  block.emit({
    kind: "exchange",
    name,
    type: value.type,
    value,
    how,
    origin: stateOrigin(statement),
  });
  return { kind: "variable", name, type: value.type };
}

/** The states of all lanes of a subgroup as one, in every lane: at once, or by pairs. */
function withinSubgroup(scope: Scope, lanes: number, state: State): State {
  const operator = reductionOf(scope.statement).monoid.atomic;
  if (operator !== null) return state.map((v) => exchange(scope, v, { kind: "reduce", operator }));
  let sum = state;
  for (let mask = lanes / 2; mask >= 1; mask /= 2) {
    const other = sum.map((v) => exchange(scope, v, { kind: "shuffle", mask }));
    sum = combined(scope, sum, other);
  }
  return sum;
}
