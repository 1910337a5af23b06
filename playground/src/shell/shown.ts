/** Which parts of the page are shown. */
import { type Signal, signal } from "@preact/signals";

/** The views of the output; links hold their names. */
export const outputNames = [
  "wgsl",
  "loops",
  "host",
  "ranges",
  "bindings",
  "cost",
  "mapping",
] as const;

export type OutputName = (typeof outputNames)[number];

/** The view of the output that is shown. */
export const shownOutput: Signal<OutputName> = signal<OutputName>("wgsl");

/** The parts of the page; `run` and `tune` share a column. */
export type Part = "code" | "made" | "run" | "tune";

/** On a narrow screen one part is shown at a time. */
export const shownPart: Signal<Part> = signal<Part>("code");

/** The parts that share a column; links hold their names. */
export const sideNames = ["run", "tune"] as const;

/** Which of the two is shown where they share a column. */
export const shownSide: Signal<"run" | "tune"> = signal<"run" | "tune">("run");

/** Shows a part of the page, wherever it has its place. */
export function showPart(part: Part): void {
  shownPart.value = part;
  if (part === "run" || part === "tune") shownSide.value = part;
}

/** Shows a view of the output. */
export function showOutput(name: OutputName): void {
  shownOutput.value = name;
  showPart("made");
}
