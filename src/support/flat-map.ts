/**
 * What a function gives for the items of a list, one after the other: lists, of which the result has
 * the items, or single items. The same as `Array.prototype.flatMap`, for which engines take ten times
 * as long as for this loop: the passes of the compiler are made of it.
 */
export function flatMap<T, R>(
  list: readonly T[],
  map: (item: T, index: number) => R | readonly R[],
): R[] {
  const result: R[] = [];
  let index = 0;
  for (const item of list) {
    const found = map(item, index++);
    if (!isList(found)) result.push(found);
    else for (const part of found) result.push(part);
  }
  return result;
}

function isList<R>(found: R | readonly R[]): found is readonly R[] {
  return Array.isArray(found);
}
