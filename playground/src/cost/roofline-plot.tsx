import type { JSX } from "preact";
import type { Ceilings } from "../../../src/runtime.ts";
import { amountText, timeText } from "../run/time-text.ts";
import { type Measured, rooflineOf } from "./roofline.ts";

/** Whether the name stands at the left: of mappings where there is room, of kernels where there is none at the right. */
function isNamedBefore(kind: Measured["kind"], x: number): boolean {
  return x > (kind === "mapping" ? 0.2 : 0.8);
}

interface RooflineProps {
  readonly most: Ceilings;
  readonly measured: readonly Measured[];
}

/** Where kernels and mappings stand below what the device can do. The tables beside it have the same figures. */
export function Roofline({ most, measured }: RooflineProps): JSX.Element | null {
  const shape = rooflineOf(most, measured);
  if (shape === null) return null;
  const line = shape.roof.map(({ x, y }) => `${100 * x},${100 - 100 * y}`).join(" ");
  const [left, right] = shape.intensity;
  const short = (value: number): string => String(Number(value.toPrecision(2)));
  return (
    <figure class="roofline">
      <div
        class="plot-area"
        role="img"
        aria-label="Operations a second over operations for each byte, below the roof of the device; the tables have the figures"
      >
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          <polyline points={line} />
        </svg>
        {shape.points.map(({ name, kind, us, choices, x, y }) => (
          <span
            key={`${kind} ${name}`}
            class={`roof-point ${kind}${isNamedBefore(kind, x) ? " left" : ""}`}
            style={{ left: `${100 * x}%`, bottom: `${100 * y}%` }}
            title={[`${name}: ${timeText(us)}`, ...choices].join("\n")}
          >
            <span>{name}</span>
          </span>
        ))}
      </div>
      <figcaption class="faint">
        To the right, operations for each byte, {short(left)} to {short(right)}; upwards, operations
        a second, {amountText(shape.rate[0], "op/s")} to {amountText(shape.rate[1], "op/s")}; the
        line is what the device can do. Both axes are logarithmic.
      </figcaption>
    </figure>
  );
}
