/**
 * The 64 bits of FNV-1a (Fowler, Noll and Vo) over the bytes of a text as UTF-8, in 16 hexadecimal digits: the same on
 * every machine and in every version. `hash = (hash ^ byte) * (2^40 + 0x1b3)`, in two halves.
 */
export function textHash(text: string): string {
  let [high, low] = [0xcbf29ce4, 0x84222325];
  for (const byte of new TextEncoder().encode(text)) {
    const mixed = (low ^ byte) >>> 0;
    const product = mixed * 0x1b3;
    const carry = Math.floor(product / 2 ** 32);
    high = (Math.imul(high, 0x1b3) + carry + (mixed << 8)) >>> 0;
    low = product >>> 0;
  }
  const hex = (half: number): string => half.toString(16).padStart(8, "0");
  return hex(high) + hex(low);
}
