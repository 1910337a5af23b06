/**
 * What can go wrong on the way from a plan to a result. The kind says whose turn it is:
 *
 * - `argument`: a tensor or option that the caller gave does not fit; nothing was run.
 * - `misuse`: a call at the wrong time, such as `encode` before `prepare`, or after `dispose`.
 * - `no-adapter`: no usable WebGPU adapter.
 * - `unsupported`: the plan or a tensor needs more than this device offers.
 * - `shader`: the text of a kernel was refused by the WGSL compiler.
 * - `validation`, `internal`: WebGPU refused a command, or the driver failed.
 * - `out-of-memory`: a buffer could not be had.
 * - `device-lost`: the device is gone, and everything on it.
 */
export type FaultKind =
  | "argument"
  | "misuse"
  | "no-adapter"
  | "unsupported"
  | "shader"
  | "validation"
  | "internal"
  | "out-of-memory"
  | "device-lost";

/** The only error that the runtime throws or rejects with, save for its own bugs. */
export class RuntimeFault extends Error {
  override readonly name: string = "RuntimeFault";
  readonly kind: FaultKind;

  constructor(kind: FaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
