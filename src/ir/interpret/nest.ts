/**
 * The loops of one statement: first the dims that are not reduced, then the reduced ones.
 *
 * A dim that is not reduced but bounded by a reduced one (`m` in `k in 0..N, m in 0..k+1`, reduced
 * over `k`) runs over the smallest interval around its ranges; its true range becomes a guard of
 * the reduction. So every element of that interval is stored, also where nothing is reduced.
 */
import {
  type Affine,
  type Constraint,
  type Interval,
  lessOrEqual,
  lessThan,
  variable,
  variablesOf,
} from "../affine.ts";
import { boundingBox, type Dim, type Quotient } from "../domain.ts";
import { parallelDims, type Statement } from "../program.ts";
import { compileAffine, compileConstraints, type Evaluate, type Frame, slotOf } from "./frame.ts";

/** How many loop iterations may still run; below 0 everything stops. */
export interface Budget {
  left: number;
}

/** One depth of the nest: nothing or a loop, then what its variable makes known. */
interface Level {
  readonly dim: Dim | null;
  readonly quotients: readonly Quotient[];
  readonly guards: readonly Constraint[];
}

/** The nest in two parts; `reduced` is empty without a reduction. */
export interface Nest {
  readonly parallel: readonly Level[];
  readonly reduced: readonly Level[];
}

function widen(
  a: Affine,
  side: "lo" | "hi",
  reduced: ReadonlySet<string>,
  box: ReadonlyMap<string, Interval>,
): Affine {
  let constant = a.constant;
  for (const t of a.terms) {
    if (!reduced.has(t.variable)) continue;
    const range = box.get(t.variable) ?? { lo: 0, hi: 0 };
    const least = t.coefficient > 0 === (side === "lo");
    constant += t.coefficient * (least ? range.lo : range.hi);
  }
  return { terms: a.terms.filter((t) => !reduced.has(t.variable)), constant };
}

/** Orders the dims and puts each quotient and guard where its last variable is known. */
export function planNest(statement: Statement): Nest {
  const { domain } = statement;
  const parallelNames = new Set(parallelDims(statement));
  const reducedNames = new Set(
    domain.dims.map((d) => d.name).filter((name) => !parallelNames.has(name)),
  );
  const box = boundingBox(domain);
  const known = new Map<string, number>();
  for (const name of statement.loops) known.set(name, 0);
  const loops = new Set(statement.loops);
  const own = domain.dims.filter((d) => !loops.has(d.name));
  const parallel: Dim[] = [];
  const guards: Constraint[] = [...domain.guards];
  for (const d of own.filter((dim) => parallelNames.has(dim.name))) {
    const lower = widen(d.lower, "lo", reducedNames, box);
    const upper = widen(d.upper, "hi", reducedNames, box);
    parallel.push({ name: d.name, lower, upper });
    if (lower.terms.length !== d.lower.terms.length)
      guards.push(lessOrEqual(d.lower, variable(d.name)));
    if (upper.terms.length !== d.upper.terms.length)
      guards.push(lessThan(variable(d.name), d.upper));
  }
  const dims = [...parallel, ...own.filter((d) => reducedNames.has(d.name))];
  for (const [i, d] of dims.entries()) known.set(d.name, i + 1);
  const depthOf = (a: Affine): number =>
    Math.max(0, ...variablesOf(a).map((name) => known.get(name) ?? 0));
  for (const q of domain.quotients) known.set(q.name, depthOf(q.numerator));
  const level = (dim: Dim | null, depth: number): Level => ({
    dim,
    quotients: domain.quotients.filter((q) => known.get(q.name) === depth),
    guards: guards.filter((g) => depthOf(g.affine) === depth),
  });
  const levels = [level(null, 0), ...dims.map((d, i) => level(d, i + 1))];
  const split = parallel.length + 1;
  return { parallel: levels.slice(0, split), reduced: levels.slice(split) };
}

function compileQuotients(
  quotients: readonly Quotient[],
  frame: Frame,
  inner: () => void,
): () => void {
  const { values } = frame;
  let run = inner;
  for (const q of [...quotients].reverse()) {
    const [next, slot, divisor] = [run, slotOf(frame, q.name), q.divisor];
    const numerator: Evaluate = compileAffine(q.numerator, frame);
    run = () => {
      values[slot] = Math.floor(numerator() / divisor);
      next();
    };
  }
  return run;
}

function compileLoop(dim: Dim, frame: Frame, budget: Budget, inner: () => void): () => void {
  const { values } = frame;
  const slot = slotOf(frame, dim.name);
  const lower = compileAffine(dim.lower, frame);
  const upper = compileAffine(dim.upper, frame);
  return () => {
    const hi = upper();
    let v = lower();
    if (v >= hi) return;
    budget.left -= hi - v;
    for (; v < hi && budget.left >= 0; v++) {
      values[slot] = v;
      inner();
    }
  };
}

/** Compiles levels around `inner`, which runs once for each point. */
export function compileLevels(
  levels: readonly Level[],
  frame: Frame,
  budget: Budget,
  inner: () => void,
): () => void {
  let run = inner;
  for (const { dim, quotients, guards } of [...levels].reverse()) {
    const next = run;
    const test = compileConstraints(guards, frame);
    if (test !== null) {
      run = () => {
        if (test()) next();
      };
    }
    run = compileQuotients(quotients, frame, run);
    if (dim !== null) run = compileLoop(dim, frame, budget, run);
  }
  return run;
}
