/** Whether a sum of exponentials waits for the maximum below which they are, when nobody chose. */
import type { DeviceProfile } from "../../../support/device-profile.ts";
import type { OnePassTarget } from "../../algebraic/one-pass.ts";
import { type Program, statementOf } from "../../program.ts";
import { widthOf } from "./cost-kernel.ts";
import { points } from "./register-tile.ts";

/**
 * The combination has two selections more and loads each element once, not twice: that pays where a
 * selection takes no longer than a product (llvmpipe: 0.5 to 0.9 of the time of softmax, log-sum-exp and
 * cross entropy; SwiftShader: 0.94 to 1.08; no GPU was measured), and each row is one invocation's: the
 * loops of parts of rows, which other kernels put together, are not joined.
 */
export function prefersOnePass(
  program: Program,
  { sum }: OnePassTarget,
  profile: DeviceProfile,
): boolean {
  const { choice, fma } = profile.costs;
  return choice <= fma && points(statementOf(program, sum), "parallel") >= widthOf(profile);
}
