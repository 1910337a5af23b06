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
  // By numbers: for each item of an iteration engines may make an object.
  for (let index = 0; index < list.length; index++) {
    const found = map(list[index] as T, index);
    if (!isList(found)) result.push(found);
    else for (let n = 0; n < found.length; n++) result.push(found[n] as R);
  }
  return result;
}

function isList<R>(found: R | readonly R[]): found is readonly R[] {
  return Array.isArray(found);
}
