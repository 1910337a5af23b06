const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"] as const;

/** A number of bytes for people, in three digits: `400 bytes`, `1.5 KiB`, `128 MiB`. */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = value >= 100 || unit === 0 ? 0 : value >= 10 ? 1 : 2;
  return `${Number(value.toFixed(digits))} ${units[unit]}`;
}
