/**
 * Files of a tar archive (POSIX ustar): a 512-byte header, the content padded to 512 bytes, and so
 * on; the name is at byte 0 (100 bytes), the size in octal at 124 (12 bytes), the type at 156.
 */
const blockBytes = 512;

/** The regular files of the archive by name; other entries are passed over. */
export function readTar(archive: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  let position = 0;
  while (position + blockBytes <= archive.length && archive[position] !== 0) {
    const header = archive.subarray(position, position + blockBytes);
    const size = Number.parseInt(text(header, 124, 12), 8) || 0;
    const type = text(header, 156, 1);
    const start = position + blockBytes;
    if (type === "0" || type === "") {
      files.set(text(header, 0, 100).replace(/^\.\//, ""), archive.subarray(start, start + size));
    }
    position = start + Math.ceil(size / blockBytes) * blockBytes;
  }
  return files;
}

/** The bytes `[start, start + length)` up to the first NUL. */
function text(header: Uint8Array, start: number, length: number): string {
  const field = header.subarray(start, start + length);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end < 0 ? field : field.subarray(0, end)).trim();
}
