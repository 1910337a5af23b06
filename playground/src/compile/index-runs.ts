/** What executes the instances of statements along their indices, and the choices that make it so. */
import type { Compiled, OriginPart } from "../../../src/index.ts";
import { choicesOfLoop, structureChoices } from "./deciding-choices.ts";
import type { Place } from "./links.ts";

type ScheduleNode = Compiled["mapped"]["schedule"]["root"];
type Loop = Extract<ScheduleNode, { kind: "band" }>["loops"][number];

/** What executes the instances of a statement along an index. */
export interface IndexRun {
  /** The statement. */
  readonly span: Place;
  readonly index: string;
  /** From the outside to the inside: `2 workgroups`, `8 invocations`, `a loop of 4`. */
  readonly loops: readonly string[];
  /** The choices of the mapping that make it so: `kernels/C/axes/0/workgroup = 8`. */
  readonly choices: readonly string[];
}

const levels: Readonly<Record<Loop["on"], (extent: number) => string>> = {
  host: (n) => `${n} dispatches`,
  grid: (n) => `${n} workgroups`,
  workgroup: (n) => `${n} invocations`,
  subgroup: (n) => `${n} subgroups`,
  lane: (n) => `${n} lanes`,
  vector: (n) => `vectors of ${n}`,
  fragment: (n) => `${n} in a matrix unit`,
  unroll: (n) => `${n} written out`,
  serial: (n) => `a loop of ${n}`,
};

/**
 * What becomes of each index that a loop goes along alone. Of the leaves that come from a statement the one with most
 * instances computes it: the others copy what it reads.
 */
export function runsOf(compiled: Compiled, parts: readonly OriginPart[]): readonly IndexRun[] {
  const known = new Map(
    parts.flatMap((part) =>
      part.kind === "loop" ? [[`${part.statement} ${part.loop}`, part] as const] : [],
    ),
  );
  const best = new Map<string, Computation>();
  for (const path of pathsTo(compiled.mapped.schedule.root)) {
    const instances = path.loops.reduce((product, { extent }) => product * extent, 1);
    const own = path.loops.flatMap((loop) => {
      const part = known.get(`${path.statement} ${loop.id}`);
      return part === undefined || loop.extent < 2 ? [] : [{ part, loop }];
    });
    const along = runsAlong(own.map(({ part, loop }) => [part.indices, loop]));
    const spans = new Map(own.flatMap(({ part }) => part.spans.map((s) => [s.start, s] as const)));
    for (const { start, end } of spans.values()) {
      const key = `${start} ${end}`;
      if ((best.get(key)?.instances ?? 0) > instances) continue;
      best.set(key, { instances, span: { start, end }, path, along });
    }
  }
  const choices = choicesIn(compiled);
  return [...best.values()].flatMap(({ span, path, along }) =>
    [...along].map(([index, loops]) => ({
      span,
      index,
      loops: loops.map(({ on, extent }) => levels[on](extent)),
      choices: choices(path, index, loops),
    })),
  );
}

/** A leaf that computes a statement. */
interface Computation {
  readonly instances: number;
  readonly span: Place;
  readonly path: PathTo;
  /** By index. */
  readonly along: ReadonlyMap<string, readonly Loop[]>;
}

/** By index, the loops that go along it alone. */
function runsAlong(
  loops: readonly (readonly [indices: readonly string[], loop: Loop])[],
): ReadonlyMap<string, readonly Loop[]> {
  const found = new Map<string, readonly Loop[]>();
  for (const [[index, second], loop] of loops) {
    if (index === undefined || second !== undefined) continue;
    found.set(index, [...(found.get(index) ?? []), loop]);
  }
  return found;
}

/** What tells the choices that make an index of a statement what it is, each once. */
function choicesIn({
  mapped,
  decisions,
}: Compiled): (path: PathTo, index: string, loops: readonly Loop[]) => readonly string[] {
  const byPath = new Map(decisions.map((decision) => [decision.path, decision]));
  const ofStructure = structureChoices(mapped.program, decisions);
  const names = new Set(decisions.flatMap(({ path }) => /^kernels\/([^/]+)/.exec(path)?.[1] ?? []));
  // A kernel is called after its first statement, and may begin with copies of what that reads.
  const kernels = new Map<PathTo["beside"], string>();
  const kernelOf = (beside: PathTo["beside"]): string => {
    const name = kernels.get(beside) ?? [...beside].find((id) => names.has(id)) ?? "";
    kernels.set(beside, name);
    return name;
  };
  return ({ statement, beside, loops: around }, index, loops) => {
    const kernel = kernelOf(beside);
    // What lanes load for a statement stands beside it.
    const isSpread = beside.has(`${statement}.part`);
    const innermost = around.findLast(({ id }) => /\.r\d/.test(id))?.id;
    const found = [
      ...ofStructure(statement, index),
      ...loops.flatMap(({ id: loop }) =>
        choicesOfLoop({ loop, kernel, isSpread, isInnermost: loop === innermost }, byPath),
      ),
    ];
    return [...new Set(found)];
  };
}

interface PathTo {
  readonly statement: string;
  /** The statements of its kernel. */
  readonly beside: ReadonlySet<string>;
  /** Around it, outermost first. */
  readonly loops: readonly Loop[];
}

/** The ways to the leaves that compute instances; what begins and ends reductions is left out. */
function pathsTo(node: ScheduleNode, around: readonly Loop[] = []): readonly PathTo[] {
  switch (node.kind) {
    case "leaf": {
      const { statement, phase } = node;
      const path = { statement, beside: new Set<string>(), loops: around };
      return phase === "whole" || phase === "update" ? [path] : [];
    }
    case "band": {
      const inside = pathsTo(node.child, [...around, ...node.loops]);
      if (!node.loops.some(({ on }) => on === "grid")) return inside;
      const beside = new Set(inside.map(({ statement }) => statement));
      return inside.map((path) => ({ ...path, beside }));
    }
    case "sequence":
      return node.children.flatMap((child) => pathsTo(child, around));
  }
}
