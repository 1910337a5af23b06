import { type Affine, affineEquals, constant } from "../affine.ts";
import { parallelDims, type Statement } from "../program.ts";
import { isLocal, isSequential, type Loop, localDigits } from "../schedule.ts";
import {
  compareText,
  leavesOf,
  type Occurrence,
  type Occurrences,
  sharedLoops,
} from "./occurrence.ts";
import { partLoops } from "./part-loops.ts";

/** A parallel dim's binding: over the loops around all leaves, and what the inner loops add. */
interface Part {
  readonly outer: Affine;
  /** Coefficients and extents of the inner loops, as text. */
  readonly inner: string;
}

/** Which invocation a leaf's inner loops choose, as text; null when that is not plain. */
function invocationOf(
  inside: readonly Loop[],
  shared: readonly Loop[],
  strides: ReadonlyMap<string, number>,
): ReadonlyMap<string, string> | null {
  const local = inside.filter((l) => isLocal(l.on) && l.extent > 1);
  if (local.length === 0) return new Map();
  // The digits are those of the whole local index only where no outer loop has taken some.
  if (shared.some((l) => isLocal(l.on) && l.extent > 1)) return null;
  const digits = localDigits(inside, strides);
  if (digits === null) return null;
  return new Map([...digits].map(([id, d]) => [id, `@${d.stride}x${d.extent}`]));
}

/** Null when an inner loop is neither sequential nor a digit of the local index, or serves two dims. */
function partsOf(
  o: Occurrence,
  dims: readonly string[],
  shared: readonly Loop[],
  strides: ReadonlyMap<string, number>,
  dealt: ReadonlySet<string>,
): readonly Part[] | null {
  const outside = new Set(shared.map((l) => l.id));
  const inner = o.loops.slice(shared.length).filter((l) => !dealt.has(l.id));
  const inside = new Map(inner.map((l) => [l.id, l]));
  const invocation = invocationOf(inner, shared, strides);
  if (invocation === null) return null;
  const plain = (l: Loop): boolean => isSequential(l.on) || invocation.has(l.id);
  if (inner.some((l) => l.extent > 1 && !plain(l))) return null;
  const seen = new Set<string>();
  const parts: Part[] = [{ outer: constant(0), inner: [...invocation.values()].join(" ") }];
  for (const dim of dims) {
    const bound = o.leaf.binding.get(dim) ?? constant(0);
    const digits: string[] = [];
    for (const t of bound.terms) {
      const loop = inside.get(t.variable);
      if (loop === undefined || loop.extent === 1) continue;
      if (seen.has(loop.id)) return null;
      seen.add(loop.id);
      digits.push(`${t.coefficient}*${invocation.get(loop.id) ?? loop.extent}`);
    }
    const outer = bound.terms.filter((t) => outside.has(t.variable));
    parts.push({
      outer: { terms: outer, constant: bound.constant },
      inner: digits.sort().join(" "),
    });
  }
  return parts;
}

/** Whether a leaf has local loops inside of the shared ones, apart from some. */
function hasLocal(o: Occurrence, shared: readonly Loop[], apart: ReadonlySet<string>): boolean {
  const inner = o.loops.slice(shared.length);
  return inner.some((l) => isLocal(l.on) && l.extent > 1 && !apart.has(l.id));
}

/**
 * True for the usual shape of a reduction: one leaf for each phase, in the text in the order init,
 * update, finish, and in each iteration of the loops around all three, in one invocation, each of
 * them does the same elements. As the accumulator belongs to such an iteration, nothing else can
 * come between: its edges need no analysis. Loops that deal parts of the reduction to a team do not
 * count: the parts are combined before finish.
 */
export function isPlainAccumulator(statement: Statement, occurrences: Occurrences): boolean {
  const { strides } = occurrences;
  const own = leavesOf(statement.id, occurrences);
  const phases = (["init", "update", "finish"] as const).map((phase) =>
    own.filter((o) => o.leaf.phase === phase),
  );
  if (phases.some((list) => list.length !== 1)) return false;
  const [init, update, finish] = phases.flat();
  if (init === undefined || update === undefined || finish === undefined) return false;
  if (compareText(init.path, update.path) >= 0 || compareText(update.path, finish.path) >= 0) {
    return false;
  }
  const shared = sharedLoops(init, update);
  if (sharedLoops(init, finish).length !== shared.length) return false;
  if (sharedLoops(update, finish).length !== shared.length) return false;
  const dims = parallelDims(statement);
  const dealt = new Set(partLoops(update).map((l) => l.id));
  // Who has a part is nobody else's part: other local loops inside would make that a question.
  if (dealt.size > 0 && [init, update, finish].some((o) => hasLocal(o, shared, dealt)))
    return false;
  const [first, ...others] = [init, update, finish].map((o) =>
    partsOf(o, dims, shared, strides, dealt),
  );
  return others.every(
    (parts) =>
      parts !== null &&
      first?.every((p, d) => {
        const q = parts[d];
        return q !== undefined && p.inner === q.inner && affineEquals(p.outer, q.outer);
      }) === true,
  );
}
