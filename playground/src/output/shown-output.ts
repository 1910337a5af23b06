import { type Signal, signal } from "@preact/signals";

export type OutputName =
  | "wgsl"
  | "loops"
  | "host"
  | "ranges"
  | "bindings"
  | "facts"
  | "mapping"
  | "tune";

/** The view of the output that is shown. */
export const shownOutput: Signal<OutputName> = signal<OutputName>("wgsl");
