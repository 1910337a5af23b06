/** A replacement of a value, by its key: the value itself where it is to stay. */
export type Replace = (key: string, value: unknown) => unknown;

/**
 * Plain data as text that differs wherever the data does: as JSON, with the numbers that JSON lacks, and with what maps
 * have. `replace` is asked first.
 */
export function exactText(data: unknown, replace: Replace = (_, value) => value): string {
  return JSON.stringify(data, (key, value: unknown) => {
    const shown = replace(key, value);
    if (shown instanceof Map) return [...shown];
    if (typeof shown !== "number" || (Number.isFinite(shown) && !Object.is(shown, -0)))
      return shown;
    return `number ${1 / shown} ${shown}`;
  });
}
