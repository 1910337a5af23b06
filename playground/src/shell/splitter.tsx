import { type Signal, signal } from "@preact/signals";
import type { JSX } from "preact";

type Side = "code" | "run";

/** Widths of the outer columns on a new page. */
export const firstWidths: Readonly<Record<Side, number>> = { code: 1, run: 0.85 };

/** Widths of the outer columns; the middle one is 1. */
export const widths: Signal<Readonly<Record<Side, number>>> = signal(firstWidths);

const [least, most, step] = [0.3, 3, 0.1];

/** Gives a column a width, or the nearest that it may have. */
export function widen(side: Side, to: number): void {
  widths.value = { ...widths.value, [side]: Math.min(most, Math.max(least, to)) };
}

/** Drags the border between two columns; arrow keys do it, too. */
export function Splitter({
  side,
  label,
}: {
  readonly side: Side;
  readonly label: string;
}): JSX.Element {
  const sign = side === "code" ? 1 : -1;
  const value = widths.value[side];
  const onPointerDown = (event: PointerEvent & { currentTarget: HTMLElement }): void => {
    const { currentTarget: bar, clientX: start } = event;
    const total = bar.parentElement?.clientWidth ?? 1;
    const sum = widths.value.code + widths.value.run + 1;
    const move = ({ clientX }: PointerEvent): void =>
      widen(side, value + (sign * (clientX - start) * sum) / total);
    bar.setPointerCapture(event.pointerId);
    bar.addEventListener("pointermove", move);
    const end = (): void => bar.removeEventListener("pointermove", move);
    bar.addEventListener("lostpointercapture", end, { once: true });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    event.preventDefault();
    widen(side, value + sign * (event.key === "ArrowRight" ? step : -step));
  };
  return (
    <hr
      class="splitter"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={Math.round(value * 100)}
      aria-valuemin={least * 100}
      aria-valuemax={most * 100}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onKeyDown={onKeyDown}
    />
  );
}
