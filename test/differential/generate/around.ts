import { isFloat } from "../../../src/support/scalar-type.ts";
import { type Draft, loopLimit, type Scene, type SceneTensor, type Variable } from "./scene.ts";

/** The enclosing loops of a body. */
export interface Around {
  readonly loops: readonly Variable[];
  /** How often they run the body, at most. */
  readonly trips: number;
  /** Inside of a branch no tensor may be made: it would not be written for sure. */
  readonly branch: boolean;
}

/** Writes some statements, one after the other. */
export type WriteBlock = (scene: Scene, around: Around, count: number) => readonly string[];

/** What statements inside of these loops may read: late tensors are likelier. */
export function draftOf(scene: Scene, around: Around): Draft {
  const inLoop = around.trips > 1;
  const readable = scene.tensors.flatMap((t, n): readonly SceneTensor[] => {
    const grows = inLoop && t.writable && t.magnitude < Infinity;
    const most = isFloat(t.type) ? 2 * Math.max(loopLimit(t.type), t.magnitude) : 2 ** 32;
    const seen = grows ? { ...t, magnitude: most } : t;
    const recent = n >= scene.tensors.length - 2 && !t.parameter;
    return recent ? [seen, seen, seen] : [seen];
  });
  return { scene, variables: around.loops, readable, trips: around.trips };
}
