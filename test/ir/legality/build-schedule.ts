/** Short ways to write down schedules in tests. */
import {
  band,
  type Leaf,
  type Level,
  type Loop,
  type Phase,
  type Place,
  type Schedule,
  type ScheduleNode,
  type Space,
  sequence,
} from "../../../src/ir/schedule.ts";
import { affine, type Form } from "../dependences/build-program.ts";

export function on(level: Level, id: string, extent: number): Loop {
  return { id, extent, on: level };
}

export function leaf(
  id: string,
  bindings: Readonly<Record<string, Form>>,
  phase: Phase = "whole",
): Leaf {
  const binding = new Map(Object.entries(bindings).map(([dim, form]) => [dim, affine(form)]));
  return { kind: "leaf", statement: id, phase, binding };
}

export function nest(loops: readonly Loop[], ...children: readonly ScheduleNode[]): ScheduleNode {
  return band(loops, sequence(children));
}

export function placed(tensor: string, space: Space, at: string | null = null): Place {
  return { target: { kind: "tensor", tensor }, space, at, fold: null };
}

export function schedule(root: ScheduleNode, places: readonly Place[] = []): Schedule {
  return { root, places };
}
