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
  /** The cursor was put there: what belongs to it is to be scrolled to. */
  readonly isChosen: boolean;
}

export const hovered: Signal<Hovered | null> = signal<Hovered | null>(null);
