/** Chunks that scans are offered have from so many to so many steps. */
const [leastChunk, mostChunk] = [4, 4096];

/** The sizes of chunks that a scan of so many steps may have, ascending: powers of two, more chunks than one. */
export function chunkSizes(length: number): readonly number[] {
  const sizes: number[] = [];
  for (let size = leastChunk; size <= mostChunk && size < length; size *= 2) sizes.push(size);
  return sizes;
}
