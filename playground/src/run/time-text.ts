/** Microseconds in a unit that leaves three digits. */
export function timeText(us: number): string {
  if (us >= 1e6) return `${Number((us / 1e6).toPrecision(3))} s`;
  if (us >= 1000) return `${Number((us / 1000).toPrecision(3))} ms`;
  return us >= 1 ? `${Number(us.toPrecision(3))} µs` : `${Math.round(us * 1000)} ns`;
}
