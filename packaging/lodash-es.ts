/**
 * The functions of lodash that Chevrotain calls, as the language has them today: in the place of
 * `lodash-es` in what is published (see lean-chevrotain.ts). A function that is missing here is an
 * error of the build.
 */

type Key = string | number;
type Collection<T> = readonly T[] | Readonly<Record<string, T>> | null | undefined;
type Visit<T, R> = (value: T, key: Key) => R;

function entriesOf<T>(collection: Collection<T>): readonly (readonly [Key, T])[] {
  if (Array.isArray(collection)) return Array.from(collection as readonly T[], (v, n) => [n, v]);
  return Object.entries(collection ?? {}) as [string, T][];
}

/** Visits all, unless a visit gives `false`. */
export function forEach<T>(collection: Collection<T>, visit: Visit<T, unknown>): void {
  for (const [key, value] of entriesOf(collection)) if (visit(value, key) === false) return;
}
export function map<T, R>(collection: Collection<T>, visit: Visit<T, R>): R[] {
  return entriesOf(collection).map(([key, value]) => visit(value, key));
}
export function flatMap<T, R>(collection: Collection<T>, visit: Visit<T, R | R[]>): R[] {
  return map(collection, visit).flat() as R[];
}
export function filter<T>(collection: Collection<T>, holds: Visit<T, unknown>): T[] {
  return entriesOf(collection).flatMap(([key, value]) => (holds(value, key) ? [value] : []));
}
export function reject<T>(collection: Collection<T>, holds: Visit<T, unknown>): T[] {
  return filter(collection, (value, key) => !holds(value, key));
}
export function find<T>(collection: Collection<T>, holds: Visit<T, unknown>): T | undefined {
  return entriesOf(collection).find(([key, value]) => holds(value, key))?.[1];
}
export function every<T>(collection: Collection<T>, holds: Visit<T, unknown>): boolean {
  return entriesOf(collection).every(([key, value]) => holds(value, key));
}
export function some<T>(collection: Collection<T>, holds: Visit<T, unknown>): boolean {
  return entriesOf(collection).some(([key, value]) => holds(value, key));
}
export function reduce<T, R>(
  collection: Collection<T>,
  combine: (result: R, value: T, key: Key) => R,
  first: R,
): R {
  return entriesOf(collection).reduce((result, [key, value]) => combine(result, value, key), first);
}
export function groupBy<T>(collection: Collection<T>, group: (value: T) => Key): object {
  return reduce<T, Record<Key, T[]>>(
    collection,
    (groups, value) =>
      Object.assign(groups, { [group(value)]: [...(groups[group(value)] ?? []), value] }),
    {},
  );
}

export function compact<T>(list: readonly T[]): T[] {
  return list.filter(Boolean);
}
export function difference<T>(list: readonly T[], others: readonly T[]): T[] {
  return list.filter((value) => !others.includes(value));
}
export function drop<T>(list: readonly T[], count: number = 1): T[] {
  return list.slice(count);
}
export function dropRight<T>(list: readonly T[], count: number = 1): T[] {
  return list.slice(0, Math.max(0, list.length - count));
}
export function first<T>(list: readonly T[] | undefined): T | undefined {
  return list?.[0];
}
export function last<T>(list: readonly T[] | undefined): T | undefined {
  return list?.at(-1);
}
export function flatten<T>(list: readonly (T | readonly T[])[]): T[] {
  return list.flat() as T[];
}
export function uniq<T>(list: readonly T[]): T[] {
  return [...new Set(list)];
}
export function includes<T>(collection: Collection<T> | string, value: T): boolean {
  if (typeof collection === "string") return collection.includes(String(value));
  return values(collection).includes(value);
}
export function indexOf<T>(list: readonly T[], value: T): number {
  return list.indexOf(value);
}

export function assign(target: object, ...sources: readonly object[]): object {
  return Object.assign(target, ...sources);
}
/** The object itself, with what it lacks. */
export function defaults(target: object, other: object): object {
  return Object.assign(target, { ...other, ...pickBy(target, (value) => value !== undefined) });
}
export function clone<T>(value: T): T {
  if (Array.isArray(value)) return [...value] as T;
  return typeof value === "object" && value !== null ? { ...value } : value;
}
export function has(value: object | null | undefined, key: PropertyKey): boolean {
  return value !== null && value !== undefined && Object.hasOwn(value, key);
}
export function keys(value: object | null | undefined): string[] {
  return Object.keys(value ?? {});
}
export function values<T>(collection: Collection<T>): T[] {
  return Object.values(collection ?? {});
}
export function pickBy(value: object, holds: (field: unknown) => boolean): object {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => holds(field)));
}

export function isEmpty(value: unknown): boolean {
  if (typeof value === "string") return value === "";
  return typeof value !== "object" || Object.keys(value ?? {}).length === 0;
}
export function isArray(value: unknown): boolean {
  return Array.isArray(value);
}
export function isFunction(value: unknown): boolean {
  return typeof value === "function";
}
export function isObject(value: unknown): boolean {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}
export function isRegExp(value: unknown): boolean {
  return value instanceof RegExp;
}
export function isString(value: unknown): boolean {
  return typeof value === "string";
}
export function isUndefined(value: unknown): boolean {
  return value === undefined;
}
export function identity<T>(value: T): T {
  return value;
}
export function noop(): void {}
export function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
