/** Which parts of the source, of the loops and of the WGSL belong together. */
import { type Compiled, type OriginPart, originsOf } from "../../../src/index.ts";
import { type IndexRun, runsOf } from "./index-runs.ts";

/** Offsets in the source, half-open. */
export interface Place {
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
  return { links, loops, wgsl, runs: runsOf(compiled, parts) };
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
