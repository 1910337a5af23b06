/**
 * All that lowering a kernel looks at, as text: kernels of two compilations that have the same text have the same IR, but
 * for their names and for where the source has what they are made of.
 */
import type { Span } from "../../diagnostics/span.ts";
import { tensorsOf } from "../../ir/program.ts";
import { eachLeaf, type ScheduleNode, type Sequence } from "../../ir/schedule.ts";
import { exactText } from "../../support/exact-text.ts";
import { flatMap } from "../../support/flat-map.ts";
import type { Kernel } from "../kernel.ts";
import type { KernelSource } from "./kernel-context.ts";

/** A kernel's text, and what is not in it: where the source has its parts, numbered in the text. */
export interface SourceText {
  readonly text: string;
  readonly spans: readonly Span[];
}

/** A kernel that was lowered, with the places in the source that it was lowered from. */
export interface LoweredKernel {
  readonly kernel: Kernel;
  readonly spans: readonly Span[];
}

function sequencesIn(node: ScheduleNode): readonly Sequence[] {
  switch (node.kind) {
    case "leaf":
      return [];
    case "band":
      return sequencesIn(node.child);
    case "sequence":
      return [node, ...flatMap(node.children, sequencesIn)];
  }
}

function placeKey({ start, end }: Span): string {
  return `${start} ${end}`;
}

/** Null where tensors share a buffer: then what runs elsewhere counts, too. */
export function sourceText({
  program,
  schedule,
  kernel,
  host,
  barriers,
}: Omit<KernelSource, "name" | "limits">): SourceText | null {
  const leaves = eachLeaf(kernel);
  const ids = new Set(leaves.map((c) => c.leaf.statement));
  const statements = program.statements.filter((s) => ids.has(s.id));
  const touched = new Set(flatMap(statements, tensorsOf));
  const places = schedule.places.filter(({ target }) =>
    target.kind === "tensor" ? touched.has(target.tensor) : ids.has(target.statement),
  );
  if (program.shared !== undefined) return null;
  const sequences = new Map(sequencesIn(kernel).map((sequence, n) => [sequence, n]));
  const loops = new Set(flatMap(leaves, (c) => c.loops.map((l) => l.id)));
  const sites = flatMap(barriers, (site): readonly unknown[] => {
    if (site.kind === "loop-end") return loops.has(site.loop) ? [site] : [];
    const at = sequences.get(site.sequence);
    return at === undefined ? [] : [[at, site.child, site.memory]];
  });
  const numbers = new Map<string, number>();
  const spans: Span[] = [];
  const numberOf = (span: Span): number => {
    const key = placeKey(span);
    const known = numbers.get(key);
    if (known !== undefined) return known;
    numbers.set(key, spans.length);
    return spans.push(span) - 1;
  };
  const text = exactText(
    {
      kernel,
      host,
      places,
      // Which slot an access sees depends on who writes the tensor, in which iteration.
      order: places.some((p) => p.fold !== null)
        ? [program.tree, program.statements.map((s) => [s.id, s.write.tensor, s.loops])]
        : [],
      sites,
      statements,
      tensors: program.tensors.map((t) =>
        touched.has(t.name) ? { ...t, span: null } : [t.name, t.components.length],
      ),
    },
    (key, value) => {
      if (key === "span" && value !== null) return numberOf(value as Span);
      if (key === "spans" || key === "taken") return (value as readonly Span[]).map(numberOf);
      return value;
    },
  );
  return { text, spans };
}

/** A kernel of an earlier compilation as this one names it, and with its places in this source. */
export function renamedKernel(
  { kernel, spans }: LoweredKernel,
  name: string,
  now: readonly Span[],
): Kernel {
  const isSame = spans.every((s, n) => s.start === now[n]?.start && s.end === now[n]?.end);
  return { ...(isSame ? kernel : moved(kernel, spans, now)), name };
}

/** Plain data with other places in the source; what was shared stays shared. */
function moved<T>(data: T, from: readonly Span[], to: readonly Span[]): T {
  const places = new Map(from.map((span, n) => [placeKey(span), to[n] ?? span]));
  const known = new Map<object, unknown>();
  const visit = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    const done = known.get(value);
    if (done !== undefined) return done;
    const copy = Array.isArray(value) ? each(value) : fields(value);
    known.set(value, copy);
    return copy;
  };
  const each = (values: readonly unknown[]): readonly unknown[] => {
    const copies = values.map(visit);
    return copies.some((copy, n) => copy !== values[n]) ? copies : values;
  };
  const fields = (value: object): object => {
    let copy: Record<string, unknown> | null = null;
    for (const [key, field] of Object.entries(value)) {
      const next = key === "spans" ? move(field as readonly Span[]) : visit(field);
      if (next === field) continue;
      copy ??= { ...value };
      copy[key] = next;
    }
    return copy ?? value;
  };
  const move = (found: readonly Span[]): readonly Span[] =>
    found.map((span) => places.get(placeKey(span)) ?? span);
  return visit(data) as T;
}
