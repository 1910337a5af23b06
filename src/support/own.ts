/**
 * A field of a record that is keyed by the names of a user's program: `undefined` where it has none of its own.
 * `record[name]` would find what objects inherit under the names `constructor` or `__proto__`.
 */
export function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
