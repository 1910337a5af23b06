/** The passes over kernel IR, in their order. */
import type { Kernel } from "../kernel.ts";
import { alignLoops } from "./align-loops.ts";
import { applyGuards } from "./apply-guards.ts";
import { boundSteps } from "./bound-steps.ts";
import { dropOverwritten } from "./drop-overwritten.ts";
import { forwardStores } from "./forward-stores.ts";
import { hoistInvariants } from "./hoist-invariants.ts";
import { promotePrivate } from "./promote-private.ts";
import { removeDead } from "./remove-dead.ts";
import { settleWidths } from "./settle-widths.ts";
import { shareGuardedLoads } from "./share-guarded-loads.ts";
import { shareOwnLoads } from "./share-own-loads.ts";
import { sinkIntoConditions } from "./sink-into-conditions.ts";
import { skipIdleWorkgroups } from "./skip-idle-workgroups.ts";
import { splitAtBounds } from "./split-at-bounds.ts";
import { splitLoops } from "./split-loops.ts";
import { widenLoads } from "./widen-loads.ts";
import { widenStores } from "./widen-stores.ts";

/**
 * What every kernel needs: variables in place of private arrays, neighbours loaded together,
 * arrays of one width.
 */
export function settleKernel(kernel: Kernel): Kernel {
  return settleWidths(widenLoads(promotePrivate(shareGuardedLoads(kernel))));
}

/**
 * From a kernel as it was lowered to the one that is printed. `steps` has the extents of step
 * indices by name.
 */
export function simplifyKernel(kernel: Kernel, steps: ReadonlyMap<string, number>): Kernel {
  const stored = widenStores(dropOverwritten(forwardStores(settleKernel(alignLoops(kernel)))));
  const sunk = shareOwnLoads(sinkIntoConditions(stored));
  const busy = skipIdleWorkgroups(splitLoops(sunk));
  // Beside their loops stand the iterations that need guards: what is left may be whole vectors.
  const whole = settleWidths(widenLoads(busy));
  const split = removeDead(splitAtBounds(whole));
  return hoistInvariants(applyGuards(boundSteps(split, steps)));
}
