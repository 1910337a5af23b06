/** The plainest mapping of a group that is within the limits of the device. */
import type { Limits } from "../../../support/device-profile.ts";
import { keptPlainly } from "../build/kept-plainly.ts";
import { countBuffers } from "../group/count-buffers.ts";
import type { Group } from "../group/group.ts";
import { type KernelMapping, plainKernel, type Space } from "../kernel-mapping.ts";

/**
 * One invocation for each point of the axes, nothing shared, nothing tiled. Temporaries stay in storage, but for
 * those that registers can hold where a group would bind too many buffers. Legal for every group.
 */
export function plainMapping(group: Group, { limits }: Pick<Limits, "limits">): KernelMapping {
  const { program, statements, axes } = group;
  const plain = plainKernel(axes.length);
  const isOver = countBuffers(program, statements) > limits.maxStorageBuffers;
  if (!isOver || statements.length < 2) return plain;
  const kept = keptPlainly(group, axes);
  const places = Object.fromEntries(kept.map((tensor): [string, Space] => [tensor, "private"]));
  return { ...plain, places };
}
