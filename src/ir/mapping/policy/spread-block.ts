/** How many steps lanes load at once that each load for a point, by default. */
import type { Statement } from "../../program.ts";
import { innermostReduced } from "../group/reduced-extents.ts";

/**
 * Steps at once. With one, contractions take 1.1 to 1.2 times as long; with four, as long on llvmpipe and longer on
 * SwiftShader, after a first call of 1.4 to 2 times as long.
 */
const usual = 2;

/** The usual number of steps of statements whose operands are spread, or one where a reduction has an odd number. */
export function usualSpreadBlock(statements: readonly Statement[]): number {
  return statements.every((s) => (innermostReduced(s) ?? 1) % usual === 0) ? usual : 1;
}
