/**
 * Purpose: takes the first or the last iteration out of a loop where that decides conditions in all
 * others: a guard that only the last of several tiles needs, a case of the first step.
 *
 * Requires: names of variables are unique in the kernel. Ensures: the same iterations in the same
 * order, each instance guarded as before; names stay unique. A kernel grows by at most
 * `mostStatements` statements for each loop.
 */
import type { Interval } from "../../ir/affine.ts";
import { flatMap } from "../../support/flat-map.ts";
import { addIndex, indexLiteral, indexType, variableOf } from "../build.ts";
import type { Kernel, KernelStatement } from "../kernel.ts";
import { type NameSource, nameSource } from "../lower/block.ts";
import { eachKernelExpression, eachKernelStatement, statementsOf } from "../walk-kernel.ts";
import { copyStatements, freshNames, keptNames } from "./copy-statements.ts";
import { decideConditions } from "./decide-conditions.ts";
import { type IndexFacts, rangeOfLoop, truthOf, withRange } from "./index-range.ts";
import { namesIn } from "./kernel-names.ts";

type Body = readonly KernelStatement[];
type Loop = Extract<KernelStatement, { kind: "loop" }>;

/** Statements that may be written once more for one loop. */
const mostStatements = 64;

const comparisons: ReadonlySet<string> = new Set(["<", "<=", ">", ">=", "==", "!="]);

/** How many comparisons in the conditions of `if`s the facts decide. */
function decidedIn(body: Body, facts: IndexFacts): number {
  let count = 0;
  for (const s of body) {
    if (s.kind === "loop") {
      count += decidedIn(s.body, withRange(facts, s.variable, rangeOfLoop(s, facts)));
    }
    if (s.kind !== "if") continue;
    for (const e of eachKernelExpression(s.condition)) {
      if (e.kind !== "binary" || !comparisons.has(e.operator)) continue;
      if (truthOf(e, facts) !== undefined) count += 1;
    }
    count += decidedIn(s.then, facts) + decidedIn(s.else, facts);
  }
  return count;
}

/** Which iterations to take out: at the start, at the end. */
interface Peel {
  readonly first: 0 | 1;
  readonly last: 0 | 1;
}

const peels: readonly Peel[] = [
  { first: 0, last: 1 },
  { first: 1, last: 0 },
  { first: 1, last: 1 },
];

/** The peel that decides most, the smallest of those; undefined if none decides anything. */
function bestPeel(loop: Loop, facts: IndexFacts): Peel | undefined {
  const decided = (range: Interval): number =>
    decidedIn(loop.body, withRange(facts, loop.variable, range));
  let [best, most] = [undefined as Peel | undefined, decided({ lo: 0, hi: loop.extent - 1 })];
  for (const peel of peels) {
    const range = { lo: peel.first, hi: loop.extent - 1 - peel.last };
    const count = range.lo <= range.hi ? decided(range) : 0;
    if (count > most) [best, most] = [peel, count];
  }
  return best;
}

/** The iterations that are left, from 0 again. */
function middleOf(loop: Loop, { first, last }: Peel): Body {
  const { variable } = loop;
  const extent = loop.extent - first - last;
  if (extent === 1) return copyStatements(loop.body, variable, indexLiteral(first), keptNames);
  if (first === 0) return [{ ...loop, extent }];
  const moved = addIndex(variableOf(variable, indexType), indexLiteral(first));
  return [{ ...loop, extent, body: copyStatements(loop.body, variable, moved, keptNames) }];
}

function splitLoop(loop: Loop, facts: IndexFacts, names: NameSource): Body {
  // Which iteration is the last one is not known of a loop that may end earlier.
  const peel = loop.extent < 2 || loop.end !== undefined ? undefined : bestPeel(loop, facts);
  const size = eachKernelStatement(loop.body).length;
  if (peel === undefined || size * (peel.first + peel.last) > mostStatements) return [loop];
  const alone = (iteration: number): Body => {
    const renamed = freshNames(loop.body, names);
    return copyStatements(loop.body, loop.variable, indexLiteral(iteration), renamed);
  };
  const parts = [
    ...(peel.first === 1 ? alone(0) : []),
    ...middleOf(loop, peel),
    ...(peel.last === 1 ? alone(loop.extent - 1) : []),
  ];
  return decideConditions(parts, facts);
}

function splitIn(body: Body, facts: IndexFacts, names: NameSource): Body {
  return flatMap(body, (s): Body => {
    if (s.kind === "if") {
      const then = splitIn(s.then, facts, names);
      return [{ ...s, then, else: splitIn(s.else, facts, names) }];
    }
    if (s.kind !== "loop" || s.extent === 0) return [s];
    const inside = withRange(facts, s.variable, rangeOfLoop(s, facts));
    return splitLoop({ ...s, body: splitIn(s.body, inside, names) }, facts, names);
  });
}

/** Loops without the iterations that need guards, beside those that do. */
export function splitLoops(kernel: Kernel): Kernel {
  // Most kernels have nothing to decide.
  if (!statementsOf(kernel).some((s) => s.kind === "if")) return kernel;
  const facts: IndexFacts = { kernel, variables: new Map() };
  const decided = decideConditions(kernel.body, facts);
  return { ...kernel, body: splitIn(decided, facts, nameSource(namesIn(kernel))) };
}
