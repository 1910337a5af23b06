// Sound as WAV files: PCM of 16 bits, one channel (https://www.mmsp.ece.mcgill.ca/Documents/AudioFormats/WAVE/WAVE.html).

/** Samples in a second: what the model is for. */
export const rate = 16_000;

/**
 * The bytes of a WAV file.
 * @param {Float32Array} samples from -1 to 1; what is beyond is cut off
 * @returns {Buffer}
 */
export function encodeWav(samples) {
  const file = Buffer.alloc(44 + 2 * samples.length);
  file.write("RIFF", 0, "latin1");
  file.writeUInt32LE(36 + 2 * samples.length, 4);
  file.write("WAVEfmt ", 8, "latin1");
  file.writeUInt32LE(16, 16); // bytes of the format
  file.writeUInt16LE(1, 20); // PCM
  file.writeUInt16LE(1, 22); // channels
  file.writeUInt32LE(rate, 24);
  file.writeUInt32LE(2 * rate, 28);
  file.writeUInt16LE(2, 32); // bytes of a sample of all channels
  file.writeUInt16LE(16, 34); // bits
  file.write("data", 36, "latin1");
  file.writeUInt32LE(2 * samples.length, 40);
  samples.forEach((sample, n) => {
    file.writeInt16LE(Math.round(32767 * Math.min(1, Math.max(-1, sample))), 44 + 2 * n);
  });
  return file;
}

/**
 * The samples of a WAV file, from -1 to 1. Throws where it is of another kind.
 * @param {Buffer} file
 * @returns {Float32Array}
 */
export function decodeWav(file) {
  if (file.toString("latin1", 0, 4) !== "RIFF" || file.toString("latin1", 8, 12) !== "WAVE") {
    throw new Error("it is no WAV file");
  }
  /** @type {Record<string, Buffer>} */
  const chunks = {};
  for (let at = 12; at + 8 <= file.length; ) {
    const bytes = file.readUInt32LE(at + 4);
    chunks[file.toString("latin1", at, at + 4)] = file.subarray(at + 8, at + 8 + bytes);
    at += 8 + bytes + (bytes % 2);
  }
  const { "fmt ": format, data } = chunks;
  if (format === undefined || format.length < 16 || data === undefined) {
    throw new Error("it is cut off");
  }
  const found = [format.readUInt16LE(2), format.readUInt32LE(4), format.readUInt16LE(14)];
  if (format.readUInt16LE(0) !== 1 || found.join() !== [1, rate, 16].join()) {
    const [channels, hertz, bits] = found;
    throw new Error(
      `it has ${channels} channels of ${bits} bits at ${hertz} Hz: 1 of 16 bits at ${rate} Hz is wanted`,
    );
  }
  const count = Math.floor(data.length / 2);
  return Float32Array.from({ length: count }, (_, n) => data.readInt16LE(2 * n) / 32768);
}
