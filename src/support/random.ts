/** A seeded source of random numbers: the same seed gives the same sequence on every machine. */
export interface Random {
  /** A float64 in [0, 1). */
  next(): number;
  /** An integer in [lo, hi). */
  integer(lo: number, hi: number): number;
  /** One element of a non-empty list, each equally likely. */
  pick<T>(items: readonly T[]): T;
  /** True with probability `p`. */
  chance(p: number): boolean;
}

/** The generator mulberry32 (public domain, Tommy Ettinger); period 2³², state one word. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const integer = (lo: number, hi: number): number => lo + Math.floor(next() * (hi - lo));
  return {
    next,
    integer,
    pick: (items) => items[integer(0, items.length)] as (typeof items)[number],
    chance: (p) => next() < p,
  };
}
