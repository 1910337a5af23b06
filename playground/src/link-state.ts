/** What the pointer is on, in any of the linked texts. */
import { type Signal, signal } from "@preact/signals";

/** The texts that are linked. */
export type PanelName = "source" | "loops" | "wgsl";

/** A place in one of them. */
export interface Hovered {
  readonly panel: PanelName;
  readonly offset: number;
  /** From 1. */
  readonly line: number;
}

export const hovered: Signal<Hovered | null> = signal<Hovered | null>(null);
