/** `make(0)` to `make(length - 1)`: `Array.from`, without what makes that slow in engines. */
export function listOf<T>(length: number, make: (n: number) => T): T[] {
  const list: T[] = [];
  for (let n = 0; n < length; n++) list.push(make(n));
  return list;
}
