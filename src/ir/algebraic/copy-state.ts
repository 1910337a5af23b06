import { flatMap } from "../../support/flat-map.ts";
import { constant, variable } from "../affine.ts";
import type { Dim } from "../domain.ts";
import { read } from "../expression.ts";
import {
  access,
  eachStatementId,
  type Program,
  type ProgramNode,
  type Statement,
  tensorOf,
} from "../program.ts";
import { replaceLoop } from "./leave-loop.ts";
import { findLoop } from "./loop-graph.ts";
import { addTensor, freshStatementId, freshTensorName, temporary } from "./rewrite.ts";

/** A statement that copies a tensor inside of some loops. */
function copyOf(
  program: Program,
  id: string,
  from: string,
  to: string,
  like: Statement,
): Statement {
  const { shape, components } = tensorOf(program, from);
  const dims = shape.map((extent, n): Dim => {
    return { name: `${id}.${n}`, lower: constant(0), upper: constant(extent), indices: [] };
  });
  const index = dims.map((d) => variable(d.name));
  const outer = like.domain.dims.filter((d) => like.loops.slice(0, -1).includes(d.name));
  return {
    id,
    domain: { dims: [...outer, ...dims], guards: [], quotients: [] },
    loops: like.loops.slice(0, -1),
    write: { tensor: to, index: access(to, ...index).index },
    reads: [access(from, ...index)],
    reduction: null,
    body: components.map((type, c) => read(0, type, c)),
    span: like.span,
  };
}

/**
 * Purpose: lets a loop work on a copy of a tensor of the caller's, which may be kept for each iteration then.
 *
 * ```
 * for t in 0..T { s(b) = f(s(b));  y(t, b) = s(b) }
 *   -->  s_in(b) = s(b);  for t in 0..T { s_in(b) = f(s_in(b));  y(t, b) = s_in(b) };  s(b) = s_in(b)
 * ```
 * Requires: a statement directly in a loop. Ensures: nothing in the loop touches the tensor that it writes.
 */
export function copyState(program: Program, s: Statement): Program {
  const tensor = tensorOf(program, s.write.tensor);
  const place = findLoop(program, s.loops.at(-1) ?? "");
  if (place === undefined) return program;
  const name = freshTensorName(program, `${tensor.name}_in`);
  const made = addTensor(program, temporary(name, tensor));
  const [first, last] = [`${s.id}.in`, `${s.id}.out`].map((id) => freshStatementId(program, id));
  if (first === undefined || last === undefined) return program;
  const copies = [
    copyOf(made, first, tensor.name, name, s),
    copyOf(made, last, name, tensor.name, s),
  ];
  const inside = new Set(eachStatementId([place.loop]));
  const renamed = (old: string): string => (old === tensor.name ? name : old);
  const statements = program.statements.map((x) => {
    if (!inside.has(x.id)) return x;
    const write = { ...x.write, tensor: renamed(x.write.tensor) };
    return { ...x, write, reads: x.reads.map((r) => ({ ...r, tensor: renamed(r.tensor) })) };
  });
  const [before, after] = copies.map((c): ProgramNode => ({ kind: "statement", statement: c.id }));
  const nodes = flatMap([before, place.loop, after], (n) => (n === undefined ? [] : [n]));
  return {
    ...made,
    statements: [...statements, ...copies],
    tree: replaceLoop(program.tree, place.loop.name, nodes),
  };
}
