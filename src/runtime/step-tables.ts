/** The step table of a device: see `Plan.stepIndices`. */
import { bindingAlignment, bufferUsage } from "./gpu-flags.ts";

export interface StepTables {
  /**
   * A table with at least `length` entries, filled once and shared by all plans; stand in an
   * error scope when you call it.
   */
  get(length: number): GPUBuffer;
  destroy(): void;
}

/** Tables on the device; a longer one is made when a plan needs it, the shorter ones stay. */
export function createStepTables(device: GPUDevice): StepTables {
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
    destroy: () => {
      for (const { buffer } of made) buffer.destroy();
      made.length = 0;
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
