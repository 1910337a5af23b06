/** Which parts of the source, of the loops and of the WGSL belong together. */
import type { Compiled } from "../../../src/index.ts";

/** Places that are about one thing. Lines count from 1. */
export interface Link {
  readonly spans: readonly { readonly start: number; readonly end: number }[];
  readonly loopLines: readonly number[];
  readonly wgslLines: readonly number[];
}

/** The index of the source that a name of a text stands for. */
export interface IndexNames {
  readonly loops: Readonly<Record<string, string>>;
  readonly wgsl: Readonly<Record<string, string>>;
}

type Node = Compiled["mapped"]["schedule"]["root"];

interface BoundLeaf {
  readonly statement: string;
  readonly binding: Readonly<
    Record<string, { readonly terms: readonly { readonly variable: string }[] }>
  >;
}

function leavesOf(node: Node): readonly BoundLeaf[] {
  switch (node.kind) {
    case "leaf":
      return [node];
    case "band":
      return leavesOf(node.child);
    case "sequence":
      return node.children.flatMap(leavesOf);
  }
}

/** Names of loops and dims, with the index that each goes along; none for a loop over several. */
export function indexNamesOf({ mapped }: Compiled): IndexNames {
  const names = new Map<string, string | null>();
  const note = (name: string, index: string): void => {
    const before = names.get(name);
    names.set(name, before === undefined || before === index ? index : null);
  };
  for (const { binding } of leavesOf(mapped.schedule.root)) {
    for (const [dim, { terms }] of Object.entries(binding)) {
      note(dim, dim);
      for (const { variable } of terms) note(variable, dim);
    }
  }
  const loops = Object.fromEntries(
    [...names].flatMap(([name, index]) => (index === null ? [] : [[name, index] as const])),
  );
  const wgsl = Object.fromEntries(
    Object.entries(loops).map(([name, index]) => [name.replaceAll(/\W/g, "_"), index] as const),
  );
  return { loops, wgsl };
}

/** Links of a statement with the lines of its leaves. */
export function linksOf({ mapped }: Compiled, loops: string): readonly Link[] {
  const lines = loops.split("\n");
  return mapped.program.statements.map(({ id, span }) => ({
    spans: span.end > span.start ? [span] : [],
    loopLines: lines.flatMap((line, n) =>
      new RegExp(`(?:^|\\s)${escaped(id)}(?:\\.(?:init|update|finish))?\\(`).test(line)
        ? [n + 1]
        : [],
    ),
    wgslLines: [],
  }));
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
