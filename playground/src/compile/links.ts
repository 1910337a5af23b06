/** Which parts of the source, of the loops and of the WGSL belong together. */
import { type Compiled, type OriginPart, originsOf } from "../../../src/index.ts";

/** Offsets in the source, half-open. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/** Places that are about one thing. Lines count from 1. */
export interface Link {
  /** The accesses that it is, or the statements that it is in. */
  readonly spans: readonly Place[];
  /** Of loops: the indices that they go along, and nothing else of the statements. */
  readonly indices: readonly string[] | null;
  readonly loopLines: readonly number[];
  readonly wgslLines: readonly number[];
}

/** From a line on, the index of the source that a name stands for. */
export interface NamedIndices {
  /** From 1. */
  readonly line: number;
  readonly names: Readonly<Record<string, string>>;
}

/** What executes the instances of a statement along an index. */
export interface IndexRun {
  /** The statement. */
  readonly span: Place;
  readonly index: string;
  /** From the outside to the inside: `2 workgroups`, `8 invocations`, `a loop of 4`. */
  readonly loops: readonly string[];
}

/** How texts belong together. */
export interface Links {
  readonly links: readonly Link[];
  readonly runs: readonly IndexRun[];
  readonly loops: readonly NamedIndices[];
  /** One for each kernel. */
  readonly wgsl: readonly NamedIndices[];
}

interface Lines {
  readonly loop: Set<number>;
  readonly wgsl: Set<number>;
}

/** Links of the loops' text, as `printStage` makes it, and of the kernels' texts one after the other. */
export function linksOf(compiled: Compiled): Links {
  const { schedule, kernels } = originsOf(compiled);
  const found = new Map<string, { readonly part: OriginPart; readonly lines: Lines }>();
  const note = (part: OriginPart, text: keyof Lines, line: number): void => {
    const key = JSON.stringify(part);
    const entry = found.get(key) ?? { part, lines: { loop: new Set(), wgsl: new Set() } };
    found.set(key, entry);
    entry.lines[text].add(line);
  };
  for (const [n, parts] of schedule.entries()) {
    for (const part of parts) note(part, "loop", n + 1);
  }
  const wgsl: NamedIndices[] = [];
  let first = 1;
  for (const [k, { lines, indices }] of kernels.entries()) {
    wgsl.push({ line: first, names: oneIndexEach(Object.entries(indices)) });
    for (const [n, parts] of lines.entries()) {
      for (const part of parts) note(part, "wgsl", first + n);
    }
    first += (compiled.plan.kernels[k]?.wgsl ?? "").split("\n").length;
  }
  const links = [...found.values()].map(({ part, lines }): Link => {
    const indices = part.kind === "loop" ? part.indices : null;
    const spans = part.spans.map(({ start, end }) => ({ start, end }));
    return { spans, indices, loopLines: [...lines.loop], wgslLines: [...lines.wgsl] };
  });
  const loops = [{ line: 1, names: loopNames([...found.values()].map(({ part }) => part)) }];
  const parts = [...found.values()].map(({ part }) => part);
  return { links, loops, wgsl, runs: runsOf(compiled.mapped.schedule.root, parts) };
}

type ScheduleNode = Compiled["mapped"]["schedule"]["root"];
type Loop = Extract<ScheduleNode, { kind: "band" }>["loops"][number];

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
function runsOf(root: ScheduleNode, parts: readonly OriginPart[]): readonly IndexRun[] {
  const known = new Map(
    parts.flatMap((part) =>
      part.kind === "loop" ? [[`${part.statement} ${part.loop}`, part] as const] : [],
    ),
  );
  const best = new Map<
    string,
    { readonly instances: number; readonly runs: readonly IndexRun[] }
  >();
  for (const { statement, loops } of pathsTo(root, [])) {
    const instances = loops.reduce((product, { extent }) => product * extent, 1);
    const own = loops.flatMap((loop) => {
      const part = known.get(`${statement} ${loop.id}`);
      return part === undefined || loop.extent < 2 ? [] : [{ part, loop }];
    });
    const spans = new Map(own.flatMap(({ part }) => part.spans.map((s) => [s.start, s] as const)));
    for (const { start, end } of spans.values()) {
      const key = `${start} ${end}`;
      if ((best.get(key)?.instances ?? 0) > instances) continue;
      const runs = runsAlong(own.map(({ part, loop }) => [part.indices, loop]));
      best.set(key, { instances, runs: runs.map((run) => ({ ...run, span: { start, end } })) });
    }
  }
  return [...best.values()].flatMap(({ runs }) => runs);
}

/** By index, the loops that go along it alone. */
function runsAlong(
  loops: readonly (readonly [indices: readonly string[], loop: Loop])[],
): readonly Omit<IndexRun, "span">[] {
  const names = new Set(loops.flatMap(([indices]) => (indices.length === 1 ? indices : [])));
  return [...names].map((index) => ({
    index,
    loops: loops.flatMap(([indices, { on, extent }]) =>
      indices.length === 1 && indices[0] === index ? [levels[on](extent)] : [],
    ),
  }));
}

interface PathTo {
  readonly statement: string;
  readonly loops: readonly Loop[];
}

/** The loops around each leaf that computes instances, outermost first; what begins and ends reductions is left out. */
function pathsTo(node: ScheduleNode, around: readonly Loop[]): readonly PathTo[] {
  switch (node.kind) {
    case "leaf": {
      const { statement, phase } = node;
      return phase === "whole" || phase === "update" ? [{ statement, loops: around }] : [];
    }
    case "band":
      return pathsTo(node.child, [...around, ...node.loops]);
    case "sequence":
      return node.children.flatMap((child) => pathsTo(child, around));
  }
}

/** Names of loops, and of the dims in the bindings of leaves, which are those of indices. */
function loopNames(parts: readonly OriginPart[]): Readonly<Record<string, string>> {
  const loops = parts.flatMap((part) =>
    part.kind === "loop" ? [[part.loop, part.indices] as const] : [],
  );
  const own = loops.flatMap(([, indices]) => indices.map((index) => [index, [index]] as const));
  return oneIndexEach([...own, ...loops]);
}

/** Names that stand for one index; a loop over several has no colour of its own. */
function oneIndexEach(
  names: readonly (readonly [string, readonly string[]])[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap(([name, [index, second]]) =>
      index === undefined || second !== undefined ? [] : [[name, index] as const],
    ),
  );
}
