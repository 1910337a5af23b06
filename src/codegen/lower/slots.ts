/** Which slot of a tensor with several an access sees: of the state of a loop, or of a box that takes turns. */
import {
  type Affine,
  addConstant,
  constant,
  isConstant,
  printAffine,
  subtract,
  variable,
} from "../../ir/affine.ts";
import { eachStatementId, type ProgramNode } from "../../ir/program.ts";
import type { Place } from "../../ir/schedule.ts";
import { defined } from "../../support/assert.ts";
import { floorMod } from "../../support/integer.ts";
import { moduloIndex } from "../build.ts";
import { ofDims, ofLoops, type Scope } from "./scope.ts";
import { indexOf } from "./variables.ts";

/** Whether `statement` comes after `writer` in program order. */
function isAfter(nodes: readonly ProgramNode[], statement: string, writer: string): boolean {
  const order = eachStatementId(nodes);
  return order.indexOf(statement) > order.indexOf(writer);
}

function findLoop(
  nodes: readonly ProgramNode[],
  name: string,
): Extract<ProgramNode, { kind: "loop" }> | undefined {
  for (const node of nodes) {
    if (node.kind !== "loop") continue;
    const found = node.name === name ? node : findLoop(node.body, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The number of the state of a folded tensor that a statement sees: its slot before `mod slots`. */
function stateNumber(
  scope: Scope,
  tensor: string,
  fold: NonNullable<Place["fold"]>,
  writes: boolean,
): Affine {
  const { program } = scope.context;
  const loop = defined(findLoop(program.tree, fold.loop), "loop", fold.loop);
  const writer = defined(
    program.statements.find((s) => s.write.tensor === tensor && s.loops.includes(fold.loop)),
    "writer of",
    tensor,
  ).id;
  const after = writes || isAfter(program.tree, scope.statement.id, writer);
  if (!scope.statement.loops.includes(fold.loop)) {
    if (writes || !after) return constant(0);
    const trips = subtract(loop.upper, loop.lower);
    // A loop whose end is below its start makes none.
    return isConstant(trips) ? constant(Math.max(0, trips.constant)) : trips;
  }
  const iteration = subtract(variable(fold.loop), loop.lower);
  return addConstant(ofDims(scope, iteration), after ? 1 : 0);
}

/** Where the slot begins that an access to a folded tensor sees, in slots of `size` elements. */
export function slotOffset(
  scope: Scope,
  tensor: string,
  fold: NonNullable<Place["fold"]>,
  size: number,
  writes: boolean,
): Affine {
  const number = stateNumber(scope, tensor, fold, writes);
  if (number.terms.length === 0) return constant(floorMod(number.constant, fold.slots) * size);
  const name = `slot of ${tensor} at ${printAffine(number)}`;
  const { variables } = scope.context;
  if (!variables.has(name)) {
    const expression = moduloIndex(indexOf(number, variables), fold.slots);
    variables.set(name, { range: { lo: 0, hi: fold.slots - 1 }, expression });
  }
  return variable(name, size);
}

/** Where the box of an iteration begins, if iterations take turns. */
export function turnOffset(scope: Scope, turns: NonNullable<Place["fold"]>, size: number): Affine {
  const at = ofLoops(scope, variable(turns.loop));
  if (isConstant(at)) return constant(floorMod(at.constant, turns.slots) * size);
  const name = `turn of ${printAffine(at)} in ${turns.slots}`;
  const { variables } = scope.context;
  const expression = moduloIndex(indexOf(at, variables), turns.slots);
  variables.set(name, { range: { lo: 0, hi: turns.slots - 1 }, expression });
  return variable(name, size);
}
