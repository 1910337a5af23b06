/** Random mappings of kernels, as `space` offers them: how many are legal as they are. */
import { lowerSource } from "../../src/compile.ts";
import type { Group } from "../../src/ir/mapping/group/group.ts";
import type { KernelMapping } from "../../src/ir/mapping/kernel-mapping.ts";
import { mapWith } from "../../src/ir/mapping/map-program.ts";
import { repairKernel } from "../../src/ir/mapping/repair/repair-kernel.ts";
import { kernelSpace, turnKnobs } from "../../src/ir/mapping/space/kernel-space.ts";
import { plainMapping } from "../../src/ir/mapping/space/plain-mapping.ts";
import type { Program } from "../../src/ir/program.ts";
import type { DeviceProfile, Limits } from "../../src/support/device-profile.ts";
import { type Random, seededRandom } from "../../src/support/random.ts";
import { randomPolicy } from "./random-policy.ts";

/** The groups that a program is cut into, each rewrite drawn with a probability, else as we would choose it. */
function groupsOf(
  program: Program,
  profile: DeviceProfile,
  random: Random,
  share: number,
): readonly Group[] {
  const { kernels } = mapWith(program, profile, new Map(), {
    structure: randomPolicy(profile, random, share).structure,
    kernel: (group) => plainMapping(group, profile),
  });
  return kernels.map((k) => k.group);
}

/** A knob's path without the names in it: `operands/stage`. */
function kindOf(path: string): string {
  const parts = path.split("/").filter((part) => /^[a-zA-Z]+$/.test(part));
  return parts[0] === "places" || parts[0] === "joins" ? parts[0] : parts.join("/");
}

/** What became of some draws. */
export interface Draws {
  readonly count: number;
  /** How many needed no repair. */
  readonly clean: number;
  /** The most values of one draw that repair changed. */
  readonly worst: number;
  /** How often repair changed a knob of which kind. */
  readonly changed: ReadonlyMap<string, number>;
  /** Kinds of knobs with values that were on offer, and that no draw took. */
  readonly untried: readonly string[];
}

/** What the draws so far came to. */
interface Counts {
  count: number;
  clean: number;
  worst: number;
  readonly changed: Map<string, number>;
  readonly offered: Set<string>;
  readonly taken: Set<string>;
}

/** Draws a mapping: each knob has one of the values on offer, given those before. */
function drawKernel(group: Group, limits: Limits, random: Random, counts: Counts): KernelMapping {
  return turnKnobs(group, limits, plainMapping(group, limits), ({ path, values }) => {
    const value = random.pick(values);
    for (const v of values) counts.offered.add(`${kindOf(path)} ${v}`);
    counts.taken.add(`${kindOf(path)} ${value}`);
    return value;
  });
}

function tryDraw(group: Group, limits: Limits, random: Random, counts: Counts): void {
  const mapping = drawKernel(group, limits, random, counts);
  // What had one value on offer was not drawn: it follows from the others.
  const drawn = kernelSpace(group, limits, mapping).filter(({ values }) => values.length > 1);
  const wanted = new Map(drawn.map((k) => [k.path, k.value]));
  const { changes } = repairKernel(group, limits, wanted);
  counts.count += 1;
  counts.clean += changes.length === 0 ? 1 : 0;
  counts.worst = Math.max(counts.worst, changes.length);
  for (const { path } of changes) {
    counts.changed.set(kindOf(path), (counts.changed.get(kindOf(path)) ?? 0) + 1);
  }
}

/** Draws at least so many mappings of the kernels of a definition, whose rewrites are drawn anew every few. */
export function drawKernels(
  source: string,
  sizes: Readonly<Record<string, number>>,
  profile: DeviceProfile,
  count: number,
  seed: number,
): Draws {
  const lowered = lowerSource(source, { sizes });
  if (!lowered.ok) throw new Error("the definition is refused");
  const random = seededRandom(seed);
  const counts: Counts = {
    count: 0,
    clean: 0,
    worst: 0,
    changed: new Map(),
    offered: new Set(),
    taken: new Set(),
  };
  while (counts.count < count) {
    const groups = groupsOf(lowered.program, profile, random, random.pick([0, 0.3, 1]));
    for (const group of [...groups, ...groups, ...groups, ...groups]) {
      tryDraw(group, profile, random, counts);
    }
  }
  const untried = [...counts.offered].filter((value) => !counts.taken.has(value));
  return { ...counts, untried };
}
