/**
 * Purpose: to find a broken program where it was made, not where it breaks something.
 * Requires: nothing. Ensures: a program without faults can be interpreted, scheduled and lowered.
 *
 * Faults are ours (the front end reports those of the user): names, ranks, types, loops, and affine
 * accesses that are not proved to stay inside their tensors.
 */

import { flatMap } from "../../support/flat-map.ts";
import { computedAs, elementCount } from "../../support/scalar-type.ts";
import { elementsPerWord, wordCount } from "../../support/words.ts";
import {
  type Affine,
  constant,
  lessThan,
  nonnegative,
  printAffine,
  variablesOf,
} from "../affine.ts";
import {
  type AccessRelation,
  readRelations,
  writeRelation,
} from "../dependences/access-relation.ts";
import { programOrder } from "../dependences/program-order.ts";
import { implies } from "../integer-set/implies.ts";
import type { Program, ProgramNode, Statement, Tensor } from "../program.ts";
import { callerShape, eachStatementId, findStatement, findTensor } from "../program.ts";
import { verifyStatement } from "./verify-statement.ts";

function duplicates(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, n) => names.indexOf(name) !== n))];
}

function verifyTensor(t: Tensor): string[] {
  const faults: string[] = [];
  if (t.components.length === 0) faults.push(`tensor ${t.name} has no component`);
  if (t.components.length > 1 && t.role !== "temporary" && t.unpacked === undefined) {
    faults.push(`tensor ${t.name} has several components and is no temporary`);
  }
  faults.push(...verifyStored(t), ...verifyOriginal(t));
  if (!t.shape.every((extent) => Number.isInteger(extent) && extent >= 0)) {
    faults.push(`tensor ${t.name} has the shape <${t.shape.join(", ")}>`);
  }
  const { layout, role } = t;
  if (layout === undefined) return faults;
  if (role === "temporary") faults.push(`the temporary ${t.name} has a layout`);
  if (layout.strides.length !== callerShape(t).length) {
    faults.push(`tensor ${t.name} has the strides <${layout.strides.join(", ")}>`);
  }
  return faults;
}

/** Narrow elements, and words of them. */
function verifyStored({ name, components, role, shape, stored, unpacked }: Tensor): string[] {
  if (stored === undefined) {
    return unpacked === undefined ? [] : [`tensor ${name} is of words of nothing`];
  }
  const faults: string[] = [];
  const type = stored === "float16" ? "float32" : computedAs(stored);
  if (components.some((c) => c !== type)) faults.push(`${stored} ${name} is not of ${type}`);
  if (role === "temporary") faults.push(`the temporary ${name} is stored as ${stored}`);
  if (unpacked === undefined) return faults;
  const words = wordCount(stored, elementCount(unpacked));
  if (components.length !== elementsPerWord(stored) || elementCount(shape) !== words) {
    faults.push(`tensor ${name} is not of the words of its elements`);
  }
  return faults;
}

/** What was made one row has all of its elements. */
function verifyOriginal({ name, shape, original, layout }: Tensor): string[] {
  if (original === undefined) return [];
  const row = shape.length === 1 && elementCount(shape) >= elementCount(original);
  const faults = row ? [] : [`tensor ${name} is no row of its elements`];
  return layout === undefined ? faults : [...faults, `tensor ${name} is one row, and has a layout`];
}

function verifyTree(nodes: readonly ProgramNode[], outer: readonly string[]): string[] {
  return flatMap(nodes, (node) => {
    if (node.kind === "statement") return [];
    const { name, lower, upper, body } = node;
    const used = [...variablesOf(lower), ...variablesOf(upper)];
    const faults = used
      .filter((v) => !outer.includes(v))
      .map((v) => `the bounds of loop ${name} use ${v}`);
    return [...faults, ...verifyTree(body, [...outer, name])];
  });
}

function* loopNames(nodes: readonly ProgramNode[]): Generator<string> {
  for (const node of nodes) {
    if (node.kind === "statement") continue;
    yield node.name;
    yield* loopNames(node.body);
  }
}

function verifyNames(program: Program): string[] {
  const placed = eachStatementId(program.tree);
  const ids = program.statements.map((s) => s.id);
  return [
    ...duplicates(program.tensors.map((t) => t.name)).map((n) => `two tensors are named ${n}`),
    ...duplicates(ids).map((n) => `two statements are named ${n}`),
    ...duplicates([...loopNames(program.tree)]).map((n) => `two loops are named ${n}`),
    ...duplicates(placed).map((n) => `statement ${n} stands in the program twice`),
    ...ids.filter((id) => !placed.includes(id)).map((n) => `statement ${n} is never executed`),
    ...placed.filter((id) => !ids.includes(id)).map((n) => `there is no statement ${n}`),
  ];
}

function isInside(relation: AccessRelation, n: number, a: Affine, extent: number): boolean {
  const range = relation.range[n];
  if (range !== undefined && range.lo >= 0 && range.hi < extent) return true;
  return [nonnegative(a), lessThan(a, constant(extent))].every((c) =>
    implies(relation.constraints, c),
  );
}

/** The affine coordinates of an access that may leave the tensor. */
function verifyBounds(program: Program, relation: AccessRelation): string[] {
  const shape = findTensor(program, relation.tensor)?.shape ?? [];
  const { statement, access, tensor } = relation;
  return flatMap(relation.index, (a, n) => {
    if (a === null || isInside(relation, n, a, shape[n] ?? 0)) return [];
    const what = access === "write" ? "the write" : `read ${access}`;
    const where = `dimension ${n} of ${tensor}, 0..${shape[n]}`;
    return [`statement ${statement}: ${what} at ${printAffine(a)} may leave ${where}`];
  });
}

function verifyAccesses(program: Program, statement: Statement): string[] {
  const relations = [writeRelation(program, statement), ...readRelations(program, statement)];
  return [...new Set(flatMap(relations, (r) => verifyBounds(program, r)))];
}

/** What is wrong with a program; empty if nothing is. Bounds are judged when all else is right. */
export function verifyProgram(program: Program): readonly string[] {
  const faults = [
    ...verifyNames(program),
    ...flatMap(program.tensors, verifyTensor),
    ...verifyTree(program.tree, []),
  ];
  const order = programOrder(program);
  for (const id of new Set(eachStatementId(program.tree))) {
    const statement = findStatement(program, id);
    const loops = order.get(id)?.loops ?? [];
    if (statement !== undefined) faults.push(...verifyStatement(program, statement, loops));
  }
  if (faults.length > 0) return faults;
  return flatMap(program.statements, (s) => verifyAccesses(program, s));
}
