/** Coordinates in dimensions of boxes that are dealt to the lanes of a subgroup. */
import { type Affine, printAffine, subtract, variable } from "../../ir/affine.ts";
import { type Deal, type Layout, registerExtents } from "../../ir/layout.ts";
import { invariant } from "../../support/assert.ts";
import { floorMod } from "../../support/integer.ts";
import { rangeOf, type Variables } from "./variables.ts";

/** The extents of what each copy of a box has memory for. */
export function registersOf({
  extents,
  deal,
}: Extract<Layout, { kind: "box" }>): readonly number[] {
  return deal === null ? extents : registerExtents(extents, deal);
}

/**
 * A coordinate in a dealt dimension: which register, and of which lane, a number or what a loop that
 * all lanes are in counts; null for the own one.
 */
export function dealtCoordinate(
  inside: Affine,
  { lanes }: Deal,
  variables: Variables,
): { readonly register: Affine; readonly lane: Affine | null } {
  const own = inside.terms.find(({ variable: name, coefficient }) => {
    const e = variables.get(name)?.expression;
    return coefficient === 1 && e?.kind === "builtin" && e.builtin === "lane";
  });
  const lane: Affine = {
    terms: inside.terms.filter((t) => t.coefficient % lanes !== 0),
    constant: floorMod(inside.constant, lanes),
  };
  const rest = subtract(inside, own === undefined ? lane : variable(own.variable));
  const known =
    own === undefined
      ? rangeOf(lane, variables).lo >= 0 && rangeOf(lane, variables).hi < lanes
      : rest.constant % lanes === 0 && rest.terms.every((t) => t.coefficient % lanes === 0);
  if (!known) invariant(false, `no lane for ${printAffine(inside)}`);
  const register: Affine = {
    terms: rest.terms.map((t) => ({ ...t, coefficient: t.coefficient / lanes })),
    constant: rest.constant / lanes,
  };
  return { register, lane: own === undefined ? lane : null };
}
