/** How many steps lanes load at once that each load for a point, by default. */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import { flatMap } from "../../../support/flat-map.ts";
import type { Statement } from "../../program.ts";
import type { AxisTile } from "../group/axis-tile.ts";
import { innermostReduced } from "../group/reduced-extents.ts";
import { operationsOf, operationsOfUpdate } from "./cost-kernel.ts";

/**
 * Steps at once. With one, contractions take 1.1 to 1.2 times as long; with four, as long on llvmpipe and longer on
 * SwiftShader, after a first call of 1.4 to 2 times as long.
 */
const usual = 2;

/**
 * Bytes of SwiftShader's machine code, by the loops of sums, minima and arg-maxima over tiles of 8x8 and
 * 16x8 and blocks of 1 and 2: within 6 % of 14 to 44 kB.
 */
const bytes = {
  /** Of a component of an accumulator: at the end of an iteration the lanes that left keep theirs. */
  state: 60,
  /** Of what takes as long as a fused multiply-add. */
  operation: 75,
  /** Of an element that a lane loads. */
  load: 170,
};

/** What the answer depends on. */
interface BlockQuestion {
  /** Those whose operands are spread. */
  readonly statements: readonly Statement[];
  readonly tiles: readonly AxisTile[];
  readonly profile: DeviceProfile;
}

/** Roughly how long the text is of a loop that takes so many steps of its reductions at once. */
function loopBytes(question: BlockQuestion, steps: number): number {
  const { statements, tiles, profile } = question;
  const points = tiles.reduce((product, t) => product * t.thread, 1);
  const columns = tiles.at(-1)?.thread ?? 1;
  const each = flatMap(statements, ({ body, reduction }) => {
    if (reduction === null) return [];
    const { monoid } = reduction;
    const operations = operationsOf(body, profile) + operationsOfUpdate(monoid, profile);
    const loads = columns * profile.lanes * bytes.load * steps;
    return [
      points * (monoid.state.length * bytes.state + operations * bytes.operation * steps) + loads,
    ];
  });
  return each.reduce((sum, n) => sum + n, 0);
}

/** The usual number of steps, or one where a reduction has an odd number, or their text is too long. */
export function usualSpreadBlock(question: BlockQuestion): number {
  const { statements, profile } = question;
  const { loopBytes: most } = profile.costs;
  const isEven = statements.every((s) => (innermostReduced(s) ?? 1) % usual === 0);
  const fits = most === 0 || loopBytes(question, usual) <= most;
  return isEven && fits ? usual : 1;
}
