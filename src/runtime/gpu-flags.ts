/**
 * The flags of WebGPU that the runtime uses, by value, because `GPUBufferUsage` and its like are
 * globals in browsers only. Source: WebGPU, sections "Buffer Usages" and "Shader Stages".
 */
export const bufferUsage = {
  mapRead: 0x0001,
  copySource: 0x0004,
  copyDestination: 0x0008,
  uniform: 0x0040,
  storage: 0x0080,
  queryResolve: 0x0200,
} as const;

/** `GPUShaderStage.COMPUTE`. */
export const computeStage = 0x4;

/** `GPUMapMode.READ`. */
export const mapModeRead = 0x1;

/** Multiples at which a storage or uniform buffer may be bound on every device, in bytes. */
export const bindingAlignment = 256;
