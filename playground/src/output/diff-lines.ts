/** Lines that two texts have in common (Myers 1986, greedily, from both ends to what differs). */

/** A line of a difference. */
export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** Beyond so many differences the middle is shown as removed and added whole. */
const mostEdits = 2000;

/** The lines of both texts in order: what only the first has is removed, what only the second, added. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  const room = Math.min(a.length, b.length) - start;
  while (end < room && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const same = (text: string): DiffLine => ({ kind: "same", text });
  return [
    ...a.slice(0, start).map(same),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

function middle(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  const trace = reach(a, b);
  if (trace === null) {
    return [
      ...a.map((text): DiffLine => ({ kind: "removed", text })),
      ...b.map((text): DiffLine => ({ kind: "added", text })),
    ];
  }
  return goBack(a, b, trace);
}

type Frontier = ReadonlyMap<number, number>;

/** The furthest place on each diagonal after 0, 1, 2... edits, until both ends are reached. */
function reach(a: readonly string[], b: readonly string[]): readonly Frontier[] | null {
  const trace: Frontier[] = [];
  let last: Frontier = new Map([[1, 0]]);
  for (let edits = 0; edits <= Math.min(mostEdits, a.length + b.length); edits++) {
    const next = new Map<number, number>();
    trace.push(last);
    for (let k = -edits; k <= edits; k += 2) {
      let x = startOn(last, k, edits);
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      next.set(k, x);
      if (x >= a.length && x - k >= b.length) return trace;
    }
    last = next;
  }
  return null;
}

/** Whether the way to diagonal `k` with so many edits comes from above: by a line that is added. */
function comesDown(last: Frontier, k: number, edits: number): boolean {
  return k === -edits || (k !== edits && (last.get(k - 1) ?? -1) < (last.get(k + 1) ?? -1));
}

function startOn(last: Frontier, k: number, edits: number): number {
  if (comesDown(last, k, edits)) return Math.max(0, last.get(k + 1) ?? 0);
  return (last.get(k - 1) ?? -1) + 1;
}

/** The way back from both ends: the edit of each round, behind the lines that are the same. */
function goBack(
  a: readonly string[],
  b: readonly string[],
  trace: readonly Frontier[],
): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let [x, y] = [a.length, b.length];
  for (const [edits, last] of [...trace.entries()].reverse()) {
    const k = x - y;
    const isDown = comesDown(last, k, edits);
    const start = startOn(last, k, edits);
    while (x > start) {
      x -= 1;
      y -= 1;
      lines.push({ kind: "same", text: a[x] ?? "" });
    }
    if (edits === 0) break;
    if (isDown) {
      y -= 1;
      lines.push({ kind: "added", text: b[y] ?? "" });
    } else {
      x -= 1;
      lines.push({ kind: "removed", text: a[x] ?? "" });
    }
  }
  return lines.reverse();
}
