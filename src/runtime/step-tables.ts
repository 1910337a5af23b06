/** The step table of a device: see `Plan.stepIndices`. */
import { bindingAlignment, bufferUsage } from "./gpu-flags.ts";

export interface StepTables {
  /**
   * A table with at least `length` entries, filled once and shared by all plans; stand in an
   * error scope when you call it.
   */
  get(length: number): GPUBuffer;
  /** A uniform buffer whose first word is the value; stand in an error scope when you call it. */
  word(value: number): GPUBuffer;
  destroy(): void;
}

/** Words that are kept: calls repeat a few. */
const keptWords = 256;

/** Tables on the device; a longer one is made when a plan needs it, the shorter ones stay. */
export function createStepTables(device: GPUDevice): StepTables {
  const words = new Map<number, GPUBuffer>();
  const made: { readonly length: number; readonly buffer: GPUBuffer }[] = [];
  return {
    get: (length) => {
      const found = made.find((table) => table.length >= length);
      if (found !== undefined) return found.buffer;
      const usage = bufferUsage.uniform | bufferUsage.copyDestination;
      const buffer = device.createBuffer({ size: length * bindingAlignment, usage });
      device.queue.writeBuffer(buffer, 0, stepTableWords(length));
      made.push({ length, buffer });
      return buffer;
    },
    word: (value) => {
      const found = words.get(value);
      if (found !== undefined) return found;
      const usage = bufferUsage.uniform;
      const buffer = device.createBuffer({ size: 16, usage, mappedAtCreation: true });
      new Uint32Array(buffer.getMappedRange())[0] = value;
      buffer.unmap();
      // Those left out are garbage once no command uses them.
      if (words.size >= keptWords) words.clear();
      words.set(value, buffer);
      return buffer;
    },
    destroy: () => {
      for (const { buffer } of made) buffer.destroy();
      for (const buffer of words.values()) buffer.destroy();
      made.length = 0;
      words.clear();
    },
  };
}

/** The content of a table: word `i` at byte `256 * i`, for `i` in `[0, length)`. */
function stepTableWords(length: number): Uint32Array<ArrayBuffer> {
  const stride = bindingAlignment / 4;
  const words = new Uint32Array(length * stride);
  for (let i = 0; i < length; i++) words[i * stride] = i;
  return words;
}
