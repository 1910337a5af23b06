/**
 * Purpose: takes a condition that all iterations of a loop have in common out of it.
 *
 * ```
 * loop r in 0..509              if row <= 508
 *   if row <= 508        -->      loop r in 0..509
 *     s = s + x[base + r]           s = s + x[base + r]
 * ```
 * Requires: a condition without loads of what the loop stores: none with loads is taken. Ensures: the
 * loop, with no condition around its iterations where there was one, under the condition.
 */
import type { KernelExpression, KernelStatement } from "../kernel.ts";
import { isFixed } from "./aligned-rows.ts";
import { changedIn } from "./kernel-names.ts";

type Loop = Extract<KernelStatement, { kind: "loop" }>;

/** A loop, and the condition under which it runs; undefined if it always does. */
export interface Unswitched {
  readonly loop: Loop;
  readonly condition: KernelExpression | undefined;
}

/** The loop without the condition that all of its statements are under, and that condition. */
export function unswitchLoop(loop: Loop): Unswitched {
  const [only, more] = loop.body;
  const isWhole = only?.kind === "if" && more === undefined && only.else.length === 0;
  if (!isWhole || !isFixed(only.condition, changedIn(loop))) return { loop, condition: undefined };
  return { loop: { ...loop, body: only.then }, condition: only.condition };
}
