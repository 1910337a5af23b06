/** Rebuilding schedule trees: the same object comes back where nothing changed. */
import type { Affine } from "../affine.ts";
import { substitute } from "../affine.ts";
import type { Band, Leaf, ScheduleNode } from "../schedule.ts";

/** Rewrites bottom-up; `change` sees each node after its children. */
export function mapNode(
  node: ScheduleNode,
  change: (node: ScheduleNode) => ScheduleNode,
): ScheduleNode {
  switch (node.kind) {
    case "leaf":
      return change(node);
    case "band": {
      const child = mapNode(node.child, change);
      return change(child === node.child ? node : { kind: "band", loops: node.loops, child });
    }
    case "sequence": {
      const children = node.children.map((c) => mapNode(c, change));
      const same = children.every((c, i) => c === node.children[i]);
      return change(same ? node : { kind: "sequence", children });
    }
  }
}

/** Replaces loops in the bindings of a leaf; the same leaf when it uses none of them. */
export function rebind(leaf: Leaf, replacement: (loop: string) => Affine | undefined): Leaf {
  let binding: Map<string, Affine> | undefined;
  for (const [dim, a] of leaf.binding) {
    const b = substitute(a, replacement);
    if (b === a) continue;
    binding ??= new Map(leaf.binding);
    binding.set(dim, b);
  }
  if (binding === undefined) return leaf;
  return { kind: "leaf", statement: leaf.statement, phase: leaf.phase, binding };
}

/** Whether some dim of a leaf is bound to a loop. */
export function usesLoop(leaf: Leaf, loop: string): boolean {
  return [...leaf.binding.values()].some((a) => a.terms.some((t) => t.variable === loop));
}

/** Replaces the band that holds a loop: names of loops are unique. */
export function mapBandOf(
  node: ScheduleNode,
  loop: string,
  change: (band: Band) => ScheduleNode,
): ScheduleNode {
  switch (node.kind) {
    case "leaf":
      return node;
    case "band": {
      if (node.loops.some((l) => l.id === loop)) return change(node);
      const child = mapBandOf(node.child, loop, change);
      return child === node.child ? node : { kind: "band", loops: node.loops, child };
    }
    case "sequence": {
      const children = node.children.map((c) => mapBandOf(c, loop, change));
      const same = children.every((c, i) => c === node.children[i]);
      return same ? node : { kind: "sequence", children };
    }
  }
}
