import { constant, variable } from "../../ir/affine.ts";
import { temporary } from "../../ir/algebraic/rewrite.ts";
import { dropUnused } from "../../ir/algebraic/substitute-statement.ts";
import type { Dim, Domain } from "../../ir/domain.ts";
import { binary, type Expression, literal, read, select } from "../../ir/expression.ts";
import { type Monoid, simpleMonoid } from "../../ir/monoid.ts";
import {
  type Access,
  affineIndex,
  type Index,
  reductionOf,
  type Statement,
  type Tensor,
} from "../../ir/program.ts";
import { defined } from "../../support/assert.ts";
import { freshId, freshTensor, type Lowering } from "./lowering.ts";

/**
 * Counts the hits of each element, resets those that are hit to the identity, then scatters. What the
 * scatter reads of its target is what was there before the reset: then a copy is made first.
 * `choosing` are the dims that have a part in which elements are written.
 */
export function lowerResettingScatter(
  scatter: Statement,
  monoid: Monoid,
  choosing: readonly string[],
  state: Lowering,
): readonly Statement[] {
  const { tensor: name } = scatter.write;
  const target = defined(
    state.tensors.find((t) => t.name === name),
    "tensor",
    name,
  );
  if (!scatter.reads.some((r) => r.tensor === name)) {
    return [...resetHits(scatter, target, monoid, choosing, state), scatter];
  }
  const before = freshTensor(state, `${name}_before`);
  state.tensors.push(temporary(before, target));
  const { index, statement } = everyElement(scatter, target, before, state);
  const type = defined(target.components[0], "type of", name);
  const copy = statement([{ tensor: name, index, guard: [], fill: 0 }], read(0, type));
  const reads = scatter.reads.map((r) => (r.tensor === name ? { ...r, tensor: before } : r));
  return [copy, ...resetHits(scatter, target, monoid, choosing, state), { ...scatter, reads }];
}

/** Makes statements that assign every element of `name`, a tensor shaped as `target`. */
export function everyElement(
  around: Statement,
  target: Tensor,
  name: string,
  state: Lowering,
): {
  readonly index: readonly Index[];
  readonly statement: (reads: readonly Access[], body: Expression) => Statement;
} {
  const dims = target.shape.map((extent, d): Dim => {
    return { name: `${name}.${d}`, lower: constant(0), upper: constant(extent), indices: [] };
  });
  const loops = around.domain.dims.slice(0, around.loops.length);
  const index = dims.map((d) => affineIndex(variable(d.name)));
  const statement = (reads: readonly Access[], body: Expression): Statement => ({
    ...around,
    id: freshId(state, name),
    domain: { dims: [...loops, ...dims], guards: [], quotients: [] },
    write: { tensor: name, index },
    reads,
    reduction: null,
    body: [body],
  });
  return { index, statement };
}

/** Counts the hits of each element, then resets those that are hit to the identity. */
function resetHits(
  scatter: Statement,
  target: Tensor,
  monoid: Monoid,
  choosing: readonly string[],
  state: Lowering,
): readonly Statement[] {
  const name = freshTensor(state, `${target.name}_hits`);
  state.tensors.push(temporary(name, { ...target, components: ["int32"] }));
  const kept = new Set([...scatter.loops, ...choosing]);
  const writing = projected(scatter.domain, kept);
  const clear = everyElement(scatter, target, name, state).statement([], literal(0, "int32"));
  const count = dropUnused({
    ...scatter,
    id: freshId(state, name),
    write: { tensor: name, index: scatter.write.index },
    domain: { ...writing, quotients: scatter.domain.quotients },
    reduction: {
      monoid: simpleMonoid("+", "int32"),
      dims: reductionOf(scatter).dims.filter((dim) => kept.has(dim)),
      init: null,
      projected: true,
    },
    body: [literal(1, "int32")],
  });
  const { index, statement } = everyElement(scatter, target, target.name, state);
  const own = (tensor: string): Access => ({ tensor, index, guard: [], fill: 0 });
  const hit = binary(">", read(0, "int32"), literal(0, "int32"), "bool");
  const [identity] = monoid.identity;
  const [type] = monoid.state;
  const body = select(hit, defined(identity, "identity"), read(1, defined(type, "type")));
  return [clear, count, statement([own(name), own(target.name)], body)];
}

/**
 * The domain without the other dims: an element counts as written also where nothing is reduced into
 * it. Guards that use a dropped dim are dropped.
 */
function projected(domain: Domain, kept: ReadonlySet<string>): Pick<Domain, "dims" | "guards"> {
  const dropped = new Set(domain.dims.map((d) => d.name).filter((name) => !kept.has(name)));
  for (const q of domain.quotients) {
    if (q.numerator.terms.some((t) => dropped.has(t.variable))) dropped.add(q.name);
  }
  const guards = domain.guards.filter((g) => !g.affine.terms.some((t) => dropped.has(t.variable)));
  return { dims: domain.dims.filter((d) => kept.has(d.name)), guards };
}
