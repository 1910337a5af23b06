import { type Affine, constant, isConstant, subtract, variable } from "../../ir/affine.ts";
import type { Quotient } from "../../ir/domain.ts";
import { flatMap } from "../../support/flat-map.ts";
import { computedAs, type ElementType } from "../../support/scalar-type.ts";
import type { CheckedDim, CheckedNode, CheckedStatement } from "../checked.ts";
import { eachChecked, eachTouch, mapTouches, type Touch } from "../checks/walk-checked.ts";
import type { TypedInlined, TypedResult } from "../names/typed.ts";
import type { Conjunction } from "../ranges/condition.ts";

/** An inlined call whose statements are checked. */
export interface CheckedCall {
  readonly node: TypedInlined;
  readonly before: readonly CheckedNode[];
  readonly body: readonly CheckedNode[];
  /** The copies of the results, each once for each case of the `if`s around. */
  readonly copies: readonly (readonly CheckedNode[])[];
  /** The loops around. */
  readonly loops: ReadonlySet<string>;
  /** The disjoint cases of the `if`s around. */
  readonly cases: readonly Conjunction[];
  readonly quotients: readonly Quotient[];
  /** Whether a tensor may hold something else than 0 before the call. */
  readonly isUsed: (tensor: string) => boolean;
  readonly shapeOf: (tensor: string) => readonly number[];
  readonly typeOf: (tensor: string) => ElementType;
}

/** The statements of a call, and the tensors that are no longer needed. */
export interface SettledCall {
  readonly nodes: readonly CheckedNode[];
  readonly forwarded: readonly string[];
}

/**
 * Purpose: make the results of a call in their targets, and clear what each call starts with.
 * Ensures: a result that nothing else in the call could tell from its target is written there, without
 * a copy. The tensors that are the call's own are 0 where the call has not written them yet: they are
 * cleared first where an earlier iteration may have left something, unless the first statement that
 * uses them writes all of them.
 */
export function settleResults(call: CheckedCall): SettledCall {
  let body = call.body;
  const after: CheckedNode[] = [];
  const moved = new Map<string, Forwarding>();
  for (const [n, result] of call.node.results.entries()) {
    const copies = call.copies[n] ?? [];
    const forwarding = forwardingOf(result, copies, [...call.before, ...body], call);
    if (forwarding === undefined) after.push(...copies);
    else moved.set(result.temporary, forwarding);
  }
  const made = new Set(eachChecked(call.before).map((s) => s.target));
  const cleared = flatMap(
    [...call.node.own.keys()].filter((tensor) => !made.has(tensor)),
    (tensor) => {
      const target = moved.get(tensor)?.target;
      const stale = target === undefined ? call.loops.size > 0 : isUsed(target, call);
      return stale && !startsFull(tensor, call) ? clear(tensor, call) : [];
    },
  );
  const rename = (touch: Touch): Touch => {
    const forwarding = moved.get(touch.tensor);
    if (forwarding === undefined) return touch;
    const leading = forwarding.leading.map((affine) => ({ kind: "affine", affine }) as const);
    return { tensor: forwarding.target, index: [...leading, ...touch.index] };
  };
  body = mapTouches([...cleared, ...body], rename);
  return { nodes: [...call.before, ...body, ...after], forwarded: [...moved.keys()] };
}

function isUsed(target: string, call: CheckedCall): boolean {
  return call.loops.size > 0 || call.isUsed(target);
}

/** Where a result is made instead of in a temporary. */
interface Forwarding {
  readonly target: string;
  /** Over the loops around. */
  readonly leading: readonly Affine[];
}

/**
 * The place of a result in its target; undefined when the call might notice: it reads or writes that
 * part of the target, the types differ, or an index that is computed at run time could find elements
 * of the target that the result does not have.
 */
function forwardingOf(
  { temporary, target }: TypedResult,
  copies: readonly CheckedNode[],
  statements: readonly CheckedNode[],
  call: CheckedCall,
): Forwarding | undefined {
  const [copy] = eachChecked(copies);
  if (copy === undefined || call.typeOf(temporary) !== call.typeOf(target.tensor)) return undefined;
  const leading = leadingOf(copy, target.leading.length, call);
  if (leading === undefined) return undefined;
  const part = call.shapeOf(target.tensor).slice(leading.length);
  const whole = part.every((extent, d) => extent === call.shapeOf(temporary)[d]);
  const notices = ({ tensor, index }: Touch): boolean => {
    if (tensor === target.tensor) return mayMeet(leading, index);
    return tensor === temporary && !whole && index.some((i) => i.kind === "opaque");
  };
  const noticed = eachChecked(statements).some((s) => eachTouch(s).some(notices));
  return noticed ? undefined : { target: target.tensor, leading };
}

/** The first `count` indices of a copy if they only depend on the loops around. */
function leadingOf(
  copy: CheckedStatement,
  count: number,
  { loops }: CheckedCall,
): readonly Affine[] | undefined {
  const leading = flatMap(copy.left.slice(0, count), (index) => {
    if (index.kind === "opaque") return [];
    return index.affine.terms.every((t) => loops.has(t.variable)) ? [index.affine] : [];
  });
  return leading.length === count ? leading : undefined;
}

/** False for an access whose leading indices differ by a constant. */
function mayMeet(leading: readonly Affine[], index: Touch["index"]): boolean {
  return !leading.some((affine, d) => {
    const other = index[d];
    if (other?.kind !== "affine") return false;
    const distance = subtract(affine, other.affine);
    return isConstant(distance) && distance.constant !== 0;
  });
}

/** True when the call does not use the tensor, or writes all of it before it reads any of it. */
function startsFull(tensor: string, { body, cases, loops, shapeOf }: CheckedCall): boolean {
  const uses = (statement: CheckedStatement): boolean =>
    eachTouch(statement).some((touch) => touch.tensor === tensor);
  const first = body.find((node) => eachChecked([node]).some(uses));
  if (first === undefined) return true;
  const [only] = cases;
  if (first.kind === "loop" || only === undefined || cases.length > 1) return false;
  const [reads, fromNothing] = [
    eachTouch(first).filter((touch) => touch.tensor === tensor).length > 1,
    first.operator === "=" || first.reset,
  ];
  if (first.target !== tensor || reads || !fromNothing) return false;
  const known = new Set(only.map((c) => JSON.stringify(c)));
  const unconditional = first.guards.every(
    (c) => known.has(JSON.stringify(c)) && c.affine.terms.every((t) => loops.has(t.variable)),
  );
  return unconditional && coversAll(first, shapeOf(tensor));
}

/** True when the left side is a list of different indices, each over a whole dimension. */
function coversAll(statement: CheckedStatement, shape: readonly number[]): boolean {
  const names = new Set<string>();
  const covered = statement.left.every((index, d) => {
    if (index.kind !== "affine") return false;
    const [term, ...others] = index.affine.terms;
    const bare = others.length === 0 && term?.coefficient === 1 && index.affine.constant === 0;
    const dim = statement.dims.find((i) => i.name === term?.variable);
    if (!bare || dim === undefined) return false;
    names.add(dim.name);
    const { lower, upper } = dim;
    const whole = isConstant(lower) && isConstant(upper);
    return whole && lower.constant <= 0 && upper.constant >= (shape[d] ?? 0);
  });
  return covered && names.size === statement.left.length;
}

/** Statements that make all elements of a tensor 0, one for each case. */
function clear(tensor: string, call: CheckedCall): readonly CheckedStatement[] {
  const { span } = call.node.node;
  const dims = call.shapeOf(tensor).map((extent, d): CheckedDim => {
    let name = `i${d}`;
    while (call.loops.has(name)) name += "_";
    return {
      name,
      lower: constant(0),
      upper: constant(extent),
      source: name,
      reduced: false,
      choosing: true,
      span,
    };
  });
  return call.cases.map((guards) => ({
    kind: "statement",
    target: tensor,
    left: dims.map(({ name }) => ({ kind: "affine", affine: variable(name) })),
    operator: "=",
    reset: false,
    dims,
    guards,
    quotients: call.quotients,
    value: { kind: "literal", value: 0, type: computedAs(call.typeOf(tensor)) },
    written: span,
    span,
  }));
}
