/**
 * Origins: which access, reduction or loop of the program a part of a kernel comes from.
 *
 * ```
 * origin := part*
 * part   := read of a tensor by a statement | write of its tensor | state of its reduction
 *         | loop over some of its indices
 * ```
 * Origins say nothing about what a kernel computes: two loads that differ in their origins only are one.
 * What one load, store or loop is made of several keeps the origins of all. A statement is named by its
 * id in the program that the kernel was lowered from; spans and indices are those of the source.
 */
import type { Span } from "../diagnostics/span.ts";

/** One thing of the program. */
export type OriginPart =
  | {
      readonly kind: "read" | "write";
      readonly statement: string;
      /** A tensor of the rewritten program: some are copies that rewrites made. */
      readonly tensor: string;
      /** The access, or the statement where a rewrite made the access. */
      readonly spans: readonly Span[];
    }
  /** What a reduction has combined so far. */
  | { readonly kind: "state"; readonly statement: string; readonly spans: readonly Span[] }
  | {
      readonly kind: "loop";
      readonly statement: string;
      /** Its id in the schedule; a statement's loops may be several loops of a kernel. */
      readonly loop: string;
      /** The indices of the source that it goes along: none where it only repeats the statement. */
      readonly indices: readonly string[];
      /** The statement, and those that were taken into it. */
      readonly spans: readonly Span[];
    };

/** Each part once, the first one that lowering found first. */
export type Origin = readonly OriginPart[];

/** What has an origin, or none. */
export interface WithOrigin {
  readonly origin?: Origin;
}

/** The parts of both, each once. */
export function uniteOrigins(a: Origin, b: Origin): Origin {
  const fresh = b.filter((part) => !a.includes(part));
  return fresh.length === 0 ? a : [...a, ...fresh];
}

/** Adds to the parts of what is being made. */
export function addParts(parts: OriginPart[], more: Origin = []): void {
  for (const part of more) if (!parts.includes(part)) parts.push(part);
}

/** The origin of something as a property of what is made of it. */
export function originOf({ origin }: { readonly origin?: Origin | undefined }): WithOrigin {
  return origin === undefined ? {} : { origin };
}

/** The origin of things that become one, as a property of it. */
export function originOfAll(things: readonly WithOrigin[]): WithOrigin {
  const all = things.reduce<Origin>((o, { origin }) => uniteOrigins(o, origin ?? []), []);
  return all.length === 0 ? {} : { origin: all };
}
