/**
 * Finds unordered accesses: two invocations of a workgroup touch a word with no barrier for its
 * memory in between, or two workgroups touch a word of storage in one dispatch, and at least one of
 * the accesses writes. Writing equal values is a race too. Atomic arrays are not looked at.
 */
import { type ArrayView, type Machine, report } from "./machine.ts";
import { severalReaders } from "./memory.ts";

/** Called with the element, before or after the access. */
export type Touch = (at: number) => void;

/** The stamp of an access that conflicts with this read, or -1. Stamps before `since` are past. */
function stampRead(
  write: Float64Array,
  read: Float64Array,
  at: number,
  since: number,
  me: number,
): number {
  const reader = read[at] ?? 0;
  if (reader !== me) read[at] = reader >= since ? since + severalReaders : me;
  const writer = write[at] ?? 0;
  return writer >= since && writer !== me ? writer : -1;
}

/** The stamp of an access that conflicts with this write, or -1. */
function stampWrite(
  write: Float64Array,
  read: Float64Array,
  at: number,
  since: number,
  me: number,
): number {
  const writer = write[at] ?? 0;
  const reader = read[at] ?? 0;
  write[at] = me;
  if (writer >= since && writer !== me) return writer;
  return reader >= since && reader !== me ? reader : -1;
}

/** A detector for one place of the kernel; undefined where nothing is tracked. */
function touch(
  m: Machine,
  view: ArrayView,
  path: string,
  access: { readonly stamp: typeof stampRead; readonly words: string },
): Touch | undefined {
  const { shadow } = view;
  if (shadow === undefined) return undefined;
  const { write, read, groupWrite, groupRead } = shadow;
  const { stamp, words } = access;
  const { id } = view.array;
  const race = (at: number, conflict: number, since: number, what: string): void => {
    const who = conflict - since;
    const other = Number.isInteger(who) ? `${what} ${who}` : `more than one ${what}`;
    report(m, "race", id, path, () => `race on ${id}[${at}]: ${words} ${other}, unordered`);
  };
  if (view.array.space === "workgroup") {
    return (at) => {
      const since = m.workgroupEpoch;
      const conflict = stamp(write, read, at, since, since + m.invocation);
      if (conflict >= 0) race(at, conflict, since, "invocation");
    };
  }
  return (at) => {
    const since = m.storageEpoch;
    const conflict = stamp(write, read, at, since, since + m.invocation);
    if (conflict >= 0) race(at, conflict, since, "invocation");
    const dispatch = m.dispatchEpoch;
    const group = stamp(groupWrite, groupRead, at, dispatch, dispatch + m.groupNumber);
    if (group >= 0) race(at, group, dispatch, "workgroup");
  };
}

/** What a read of an element does to the detector; undefined where nothing is tracked. */
export function readTouch(m: Machine, view: ArrayView, path: string): Touch | undefined {
  return touch(m, view, path, { stamp: stampRead, words: "reads what was written by" });
}

/** What a write of an element does to the detector; undefined where nothing is tracked. */
export function writeTouch(m: Machine, view: ArrayView, path: string): Touch | undefined {
  return touch(m, view, path, { stamp: stampWrite, words: "writes what was touched by" });
}
