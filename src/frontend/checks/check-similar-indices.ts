import { diagnose, type Report } from "../../diagnostics/diagnostic.ts";
import type { Interval } from "../../ir/affine.ts";
import { nearestWords } from "../../support/edit-distance.ts";
import { flatMap } from "../../support/flat-map.ts";
import {
  eachTyped,
  type StatementIndex,
  type TypedAccess,
  type TypedStatement,
} from "../names/typed.ts";

/**
 * Warns of a reduced index that one read alone uses, while another read uses one of a similar name
 * and the same range: `A(i, k) * B(kk, j)`. Not of indices with a `where`, nor of names that differ
 * in their numbers only.
 */
export function checkSimilarIndices(
  statement: TypedStatement,
  intervalOf: (index: string) => Interval | undefined,
  report: Report,
): void {
  if (statement.operator === "=") return;
  const ranged = new Set(statement.clauses.map((c) => c.index));
  const reads = flatMap([...statement.left, statement.value, ...statement.exists], (e) =>
    flatMap(eachTyped(e), (node) => (node.kind === "access" ? [node] : [])),
  );
  const uses = countUses(statement);
  const reported = new Set<string>();
  for (const index of [...statement.indices].reverse()) {
    if (index.left || ranged.has(index.name) || uses.get(index.name) !== 1) continue;
    const own = reads.find((read) => usesIndex(read, index));
    const others = statement.indices.filter(
      (other) =>
        other !== index &&
        !ranged.has(other.name) &&
        !reported.has(other.name) &&
        sameRange(intervalOf(index.name), intervalOf(other.name)) &&
        own !== undefined &&
        !usesIndex(own, other),
    );
    const [near] = nearestWords(
      index.source,
      others.map((other) => other.source).filter((name) => !onlyNumbersDiffer(index.source, name)),
    );
    if (near === undefined) continue;
    reported.add(index.name);
    const labels = flatMap(others, (other) =>
      other.source === near ? [{ span: other.span, text: `\`${near}\` is here` }] : [],
    );
    report(diagnose("TC2035", { index: index.source, near }, index.span, { labels }));
  }
}

/** How often each index is written. */
function countUses({ left, value, exists, clauses }: TypedStatement): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  const bounds = flatMap(clauses, (c) => [c.lower, c.upper]);
  for (const node of flatMap([...left, value, ...exists, ...bounds], eachTyped)) {
    if (node.kind === "index") uses.set(node.name, (uses.get(node.name) ?? 0) + 1);
  }
  return uses;
}

function usesIndex(read: TypedAccess, { name }: StatementIndex): boolean {
  return eachTyped(read).some((node) => node.kind === "index" && node.name === name);
}

function sameRange(a: Interval | undefined, b: Interval | undefined): boolean {
  return a !== undefined && a.lo === b?.lo && a.hi === b.hi;
}

function onlyNumbersDiffer(a: string, b: string): boolean {
  const stem = (name: string): string => name.replaceAll(/\d+/g, "#");
  return stem(a) === stem(b);
}
