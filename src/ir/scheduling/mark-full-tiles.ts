/**
 * Purpose: finds the tiles of a kernel that lie wholly inside of the domain, and marks the grid loops
 * with them, so that code generation writes the kernel once more for these, without the guards.
 *
 * ```
 * grid i in 0..4                            grid i in 0..4, full tiles in 0..3
 *   workgroup u in 0..8           -->         workgroup u in 0..8
 *     S(i = 8*i + u) with i < 30                S(i = 8*i + u) with i < 30
 * ```
 * Requires: a kernel without fragments. Ensures: the same instances in the same workgroups. Any range
 * would be legal, as guards are left out only where the range implies them; that which is chosen implies
 * each constraint, of a domain or around a padded read, that one grid loop decides in half of its
 * iterations and more. Triangles, which others decide, keep theirs.
 */
import { defined } from "../../support/assert.ts";
import { flatMap } from "../../support/flat-map.ts";
import { ceilDiv, floorDiv } from "../../support/integer.ts";
import {
  type Affine,
  type Constraint,
  type Interval,
  intervalOf,
  substituteConstraint,
} from "../affine.ts";
import { domainConstraints } from "../domain.ts";
import { type Program, type Statement, statementOf } from "../program.ts";
import {
  type Band,
  eachLeaf,
  type FullTiles,
  type LeafContext,
  type Loop,
  type Phase,
} from "../schedule.ts";

/** Constraints on the dims of a statement that an instance of a phase checks: no quotients in them. */
function checkedBy(statement: Statement, phase: Phase): readonly Constraint[] {
  const { domain, reduction, reads } = statement;
  const quotients = new Set(domain.quotients.map((q) => q.name));
  const outside = new Set(phase === "init" || phase === "finish" ? reduction?.dims : []);
  const all = [
    ...domainConstraints({ ...domain, quotients: [] }),
    ...flatMap(reads, (r) => r.guard),
  ];
  return all.filter(({ affine }) =>
    affine.terms.every((t) => !quotients.has(t.variable) && !outside.has(t.variable)),
  );
}

/** The iterations of the one grid loop in `a` for which it is never negative; undefined for others. */
function decidedBy(
  a: Affine,
  loops: ReadonlyMap<string, Loop>,
): readonly [Loop, FullTiles] | undefined {
  const onGrid = a.terms.filter((t) => loops.get(t.variable)?.on === "grid");
  const [term, other] = onGrid;
  const loop = loops.get(term?.variable ?? "");
  if (term === undefined || other !== undefined || loop === undefined) return undefined;
  const rest = { terms: a.terms.filter((t) => t !== term), constant: a.constant };
  const least = intervalOf(rest, (id) => iterations(defined(loops.get(id), "loop", id))).lo;
  const { coefficient } = term;
  return coefficient > 0
    ? [loop, { lo: Math.max(0, ceilDiv(-least, coefficient)), hi: loop.extent }]
    : [loop, { lo: 0, hi: Math.min(loop.extent, floorDiv(least, -coefficient) + 1) }];
}

function iterations({ extent }: Loop): Interval {
  return { lo: 0, hi: Math.max(0, extent - 1) };
}

/** The full iterations that the constraints of one leaf leave of grid loops. */
function rangesOf(
  program: Program,
  { leaf, loops: around }: LeafContext,
  host: readonly Loop[],
): readonly (readonly [Loop, FullTiles])[] {
  const statement = statementOf(program, leaf.statement);
  const loops = new Map([...host, ...around].map((l) => [l.id, l]));
  return flatMap(checkedBy(statement, leaf.phase), (c) => {
    if (c.kind === "zero") return [];
    const { affine } = substituteConstraint(c, (dim) => leaf.binding.get(dim));
    const known = affine.terms.every((t) => loops.has(t.variable));
    const decided = known ? decidedBy(affine, loops) : undefined;
    return decided === undefined ? [] : [decided];
  });
}

/**
 * By grid loop: its iterations whose tiles are full along it; without loops of which all are, or none is.
 * `host` are the loops around the kernel.
 */
export function fullTilesOf(
  program: Program,
  kernel: Band,
  host: readonly Loop[],
): ReadonlyMap<string, FullTiles> {
  const found = new Map<string, FullTiles>();
  for (const context of eachLeaf(kernel)) {
    for (const [{ id, extent }, { lo, hi }] of rangesOf(program, context, host)) {
      if (2 * (hi - lo) < extent || hi - lo === extent) continue;
      const known = found.get(id) ?? { lo: 0, hi: extent };
      found.set(id, { lo: Math.max(lo, known.lo), hi: Math.min(hi, known.hi) });
    }
  }
  // The constraints of a loop may leave none together; those of others hold without.
  return new Map([...found].filter(([, { lo, hi }]) => lo < hi));
}

/** Marks the loops of a kernel with their full tiles. */
export function markFullTiles(kernel: Band, tiles: ReadonlyMap<string, FullTiles>): Band {
  const loops = kernel.loops.map((l): Loop => {
    const full = tiles.get(l.id);
    return full === undefined ? l : { ...l, full };
  });
  return { ...kernel, loops };
}
