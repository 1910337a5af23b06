/**
 * The passes over kernel IR, in their order: from a kernel as it was lowered to the one that is printed.
 *
 * Each maps a kernel to one that computes the same, and says in its file what it requires and ensures.
 * Here stands why it runs where it does. ARCHITECTURE.md has this list, made of it.
 */
import type { Limits } from "../../support/device-profile.ts";
import { keepLoops } from "../drivers/mesa/keep-loops.ts";
import { keepSteps } from "../drivers/mesa/keep-steps.ts";
import { secondExits } from "../drivers/mesa/second-exits.ts";
import { writtenTrips } from "../drivers/mesa/written-trips.ts";
import type { Kernel } from "../kernel.ts";
import { alignLoops } from "./align-loops.ts";
import { applyGuards } from "./apply-guards.ts";
import { boundSteps } from "./bound-steps.ts";
import { dropOverwritten } from "./drop-overwritten.ts";
import { forwardStores } from "./forward-stores.ts";
import { hoistInvariants } from "./hoist-invariants.ts";
import { joinConditions } from "./join-conditions.ts";
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

/** What passes may know beside the kernel. */
export interface PassInput {
  /** The extents of step indices by name. */
  readonly steps: ReadonlyMap<string, number>;
  readonly limits: Limits;
}

export interface KernelPass {
  /** Unique in the list; begins with the name of the file that has the pass. */
  readonly name: string;
  /** What it does, in a line. */
  readonly does: string;
  /** Why it runs here: what has to be before, what counts on it. */
  readonly why: string;
  readonly run: (kernel: Kernel, input: PassInput) => Kernel;
}

/** What every kernel needs: variables in place of private arrays, neighbours loaded together, widths. */
export const settlingPasses: readonly KernelPass[] = [
  {
    name: "share-guarded-loads",
    does: "loads once what several conditions beside each other load",
    why: "what is loaded before conditions, and not in each, can be part of a vector",
    run: shareGuardedLoads,
  },
  {
    name: "promote-private",
    does: "private arrays with literal indices become variables",
    why: "only arrays have widths to settle; what follows tells values apart by their names",
    run: promotePrivate,
  },
  {
    name: "widen-loads",
    does: "neighbours that a block loads become a vector",
    why: "chooses widths that are not settled yet",
    run: widenLoads,
  },
  {
    name: "settle-widths",
    does: "each array gets the one width of its declaration",
    why: "after what chooses widths; stores to arrays without vectors may become wide after that",
    run: settleWidths,
  },
];

/** All of them. */
export const kernelPasses: readonly KernelPass[] = [
  {
    name: "align-loops",
    does: "marked loops in blocks that begin where vectors do",
    why: "looks for rows in loops as they were lowered; the others see its blocks as any statements",
    run: alignLoops,
  },
  ...settlingPasses,
  {
    name: "forward-stores",
    does: "a load of what the invocation stored takes the value",
    why: "what was private is variables now: what is left to forward is memory of the kernel",
    run: forwardStores,
  },
  {
    name: "drop-overwritten",
    does: "leaves stores out that the invocation overwrites",
    why: "loads of values that were forwarded no longer keep their stores",
    run: dropOverwritten,
  },
  {
    name: "widen-stores",
    does: "neighbours that a block stores become a vector",
    why: "needs settled widths, arrays that nothing loads, and no store twice",
    run: widenStores,
  },
  {
    name: "sink-into-conditions",
    does: "sums under the conditions that all their results are under",
    why: "conditions that stores were taken out of stand around less; loops are split with theirs",
    run: sinkIntoConditions,
  },
  {
    name: "share-own-loads",
    does: "loads elements once that the kernel writes elsewhere",
    why: "after stores are forwarded: of these loads none is left",
    run: shareOwnLoads,
  },
  {
    name: "split-loops",
    does: "iterations that need guards beside their loops",
    why: "decides conditions, of which those that follow would see more",
    run: splitLoops,
  },
  {
    name: "skip-idle-workgroups",
    does: "workgroups without results do nothing",
    why: "the condition stands around the parts of split loops, too",
    run: skipIdleWorkgroups,
  },
  {
    name: "widen-loads again",
    does: "neighbours in loops whose guards are gone become vectors",
    why: "beside their loops stand the iterations that need guards: what is left may be whole vectors",
    run: widenLoads,
  },
  {
    name: "settle-widths again",
    does: "the widths of arrays that are loaded in vectors since",
    why: "after what chooses widths",
    run: settleWidths,
  },
  {
    name: "split-at-bounds",
    does: "loops split where conditions begin or cease to hold for a workgroup",
    why: "writes loops several times: after all that is done to one of them",
    run: splitAtBounds,
  },
  {
    name: "remove-dead",
    does: "what nothing depends on goes",
    why: "split loops and decided conditions leave such variables",
    run: removeDead,
  },
  {
    name: "join-conditions",
    does: "one branch in place of several under the same condition",
    why: "what is decided or dead is gone; what conditions have in common gets names after that",
    run: joinConditions,
  },
  {
    name: "bound-steps",
    does: "step indices as their minimum with the last one",
    why: "for Tint, which is the only one that needs to be told: no pass looks at steps any more",
    run: (kernel, { steps }) => boundSteps(kernel, steps),
  },
  {
    name: "apply-guards",
    does: "indices say what the conditions around them say",
    why: "for Tint; no access moves into or out of a condition any more",
    run: applyGuards,
  },
  {
    name: "hoist-invariants",
    does: "names before loops, and once, what is computed anew",
    why: "all index arithmetic is there; names would hide it from what came before",
    run: hoistInvariants,
  },
  {
    name: "second-exits",
    does: "second exits of loops that carry vectors, for Mesa",
    why: "no pass may take an end of a loop that is never reached for one",
    run: (kernel, { limits: { driver } }) =>
      driver === "llvmpipe" ? secondExits(kernel, writtenTrips) : kernel,
  },
  {
    name: "keep-loops",
    does: "loops that Mesa would write out into long text stay loops",
    why: "counts the statements that there are in the end, and leaves loops with a second exit alone",
    run: (kernel, { limits: { driver, mostStatements } }) =>
      driver === "llvmpipe" ? keepLoops(kernel, { mostStatements }) : kernel,
  },
  {
    name: "keep-steps",
    does: "loops whose loads Mesa would keep from one step to the next stay loops",
    why: "counts the loads that there are in the end",
    run: (kernel, { limits: { driver } }) => (driver === "radv" ? keepSteps(kernel) : kernel),
  },
];

/** Runs passes one after the other, with a hook after each. */
export function runPasses(
  passes: readonly KernelPass[],
  lowered: Kernel,
  input: PassInput,
  after?: (pass: KernelPass, before: Kernel, kernel: Kernel) => void,
): Kernel {
  let kernel = lowered;
  for (const pass of passes) {
    const before = kernel;
    kernel = pass.run(before, input);
    after?.(pass, before, kernel);
  }
  return kernel;
}
