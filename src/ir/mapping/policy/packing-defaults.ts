/**
 * What the heuristic answers to packing: which reductions are rounded up to whole tiles, and which
 * operands are copied to rows of whole vectors first.
 */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import { subgroupLanes } from "../../../support/device-profile.ts";
import { ceilDiv } from "../../../support/integer.ts";
import { coefficientOf } from "../../affine.ts";
import type { CopyReadCandidate } from "../../algebraic/copy-read.ts";
import type { PadCandidate } from "../../algebraic/pad-reduction.ts";
import { boundingBox } from "../../domain.ts";
import { findStatement, findTensor, type Program, type Statement } from "../../program.ts";
import { axesOf, extentOf } from "../group/axes.ts";
import { innermostReduced } from "../group/reduced-extents.ts";
import { productSteps } from "./product-defaults.ts";
import { prefersSpread, secondAxis } from "./register-tile.ts";
import { longTile } from "./staging-defaults.ts";

/** Points of an invocation's register tile that use what it loaded. */
const tilePoints = 8;

/** What a vector saves of the cost of a load, for each of its elements. */
const savedByVector = 0.25;

/** Whether a statement is a contraction with a full register tile, whose operands are spread over lanes. */
function isSpread(s: Statement, profile: DeviceProfile): boolean {
  const axes = axesOf([s]);
  const second = axes[secondAxis(axes, [s]) ?? -1];
  if (second === undefined || extentOf(second) < tilePoints) return false;
  return prefersSpread(axes, axes.length - 1, { statements: [s], profile });
}

/** Whether nothing but the caller writes what a statement reads. */
function readsInputs(program: Program, s: Statement): boolean {
  const written = new Set(program.statements.map((other) => other.write.tensor));
  return s.reads.every((r) => !written.has(r.tensor));
}

/** The shortest reduction of a product that a GPU's kernel rounds up, and the most that it adds, as a share. */
const shortestRounded = 32;
const mostAdded = 1 / 16;

/**
 * A multiple to round the reduction of a product on a GPU up to: steps in whole vectors of its copies, in whole tiles
 * where that adds little.
 */
function paddingOnGpu(s: Statement, extent: number, multiples: readonly number[]): number | "no" {
  if (extent < shortestRounded || extent % productSteps === 0) return "no";
  const axes = axesOf([s]);
  if (secondAxis(axes, [s]) === undefined) return "no";
  const fits = (n: number): boolean => {
    const added = ceilDiv(extent, n) * n - extent;
    return n % productSteps === 0 && n <= longTile && added <= mostAdded * extent;
  };
  return multiples.findLast(fits) ?? multiples.find((n) => n % productSteps === 0) ?? "no";
}

/**
 * A multiple to round a reduction up to: where whole subgroups of steps are written out, so that none
 * of them needs a condition. Operands that the program computes are left alone: their loops may run
 * together with this one, over the same range.
 */
export function preferredPadding(
  program: Program,
  { statement, dim, multiples }: PadCandidate,
  profile: DeviceProfile,
): number | "no" {
  const s = findStatement(program, statement);
  if (s === undefined) return "no";
  const { lo, hi } = boundingBox(s.domain).get(dim) ?? { lo: 0, hi: -1 };
  const extent = hi - lo + 1;
  const isDealt = extent === innermostReduced(s) && s.reduction?.dims.at(-1) === dim;
  if (!isDealt || !readsInputs(program, s)) return "no";
  if (profile.class === "gpu") return paddingOnGpu(s, extent, multiples);
  const lanes = subgroupLanes(profile);
  if (lanes === null || extent % lanes === 0 || !isSpread(s, profile)) return "no";
  return multiples.find((n) => (ceilDiv(extent, n) * n) % lanes === 0) ?? "no";
}

/**
 * Whether to copy an operand to rows of whole vectors first: where neighbouring points of a register
 * tile read neighbours, and loads in vectors save more than the copy costs: a load and a store of each
 * element, and a launch.
 */
export function prefersPack(
  program: Program,
  { statement, read, reuse, elements }: CopyReadCandidate,
  profile: DeviceProfile,
): boolean {
  const s = findStatement(program, statement);
  const access = s?.reads[read];
  const tensor = findTensor(program, access?.tensor ?? "");
  if (s === undefined || access === undefined || profile.class !== "cpu") return false;
  if (tensor?.stored !== undefined || !isSpread(s, profile)) return false;
  const [along, last] = [s.write.index.at(-1), access.index.at(-1)];
  if (along?.kind !== "affine" || last?.kind !== "affine") return false;
  const [term, more] = last.affine.terms;
  const isVector = term !== undefined && more === undefined && term.coefficient === 1;
  if (!isVector || coefficientOf(along.affine, term.variable) !== 1) return false;
  const { load, launch } = profile.costs;
  const saved = (elements * reuse * load * savedByVector) / tilePoints;
  return saved > 2 * elements * load + launch;
}
