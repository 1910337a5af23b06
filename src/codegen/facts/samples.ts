/**
 * What of a large range is looked at, and how much each of it stands for. Ranges that are small enough are
 * looked at whole, so that small kernels are counted exactly by the same code.
 */

/** One value of a range, and how many values it stands for. */
export interface Sample {
  readonly at: number;
  readonly weight: number;
}

/** All of 0..count. */
export function everyOne(count: number): readonly Sample[] {
  return Array.from({ length: count }, (_, at) => ({ at, weight: 1 }));
}

/** The first, a middle and the last of 0..count, the middle one for all between. */
export function firstMiddleLast(count: number): readonly Sample[] {
  if (count <= 3) return everyOne(count);
  return [
    { at: 0, weight: 1 },
    { at: Math.floor(count / 2), weight: count - 2 },
    { at: count - 1, weight: 1 },
  ];
}

/**
 * `most` of the iterations 0..count, from equal parts of the range; where in its part each lies changes by
 * the golden ratio, so that no period of addresses is met again and again. The first and the last are
 * among them.
 */
export function spread(count: number, most: number): readonly Sample[] {
  if (count <= most) return everyOne(count);
  const part = count / most;
  return Array.from({ length: most }, (_, n) => {
    const within = n === 0 ? 0 : n === most - 1 ? 1 : (n * 0.6180339887498949) % 1;
    const at = Math.min(count - 1, Math.floor((n + within) * part));
    return { at, weight: part };
  });
}

/** The middles of `most` equal parts of 0..count, for what grows or shrinks over a range. */
export function middles(count: number, most: number): readonly Sample[] {
  const parts = Math.min(count, most);
  const weight = count / parts;
  return Array.from({ length: parts }, (_, n) => ({ at: Math.floor((n + 0.5) * weight), weight }));
}
