/** Microseconds in a unit that leaves three digits. */
export function timeText(us: number): string {
  if (us >= 1e6) return `${Number((us / 1e6).toPrecision(3))} s`;
  if (us >= 1000) return `${Number((us / 1000).toPrecision(3))} ms`;
  return us >= 1 ? `${Number(us.toPrecision(3))} µs` : `${Math.round(us * 1000)} ns`;
}

const prefixes = ["", "k", "M", "G", "T"] as const;

/** So much, with three digits and a prefix: `1.23 Gop/s`. */
export function amountText(amount: number, unit: string): string {
  let rest = amount;
  let step = 0;
  while (rest >= 1000 && step < prefixes.length - 1) {
    rest /= 1000;
    step += 1;
  }
  return `${Number(rest.toPrecision(3))}\u00a0${prefixes[step]}${unit}`;
}
