import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { TensorData } from "../../../src/index.ts";
import { Table } from "../shell/table.tsx";
import { type ColourScale, colourOf, numberText } from "./colour-scale.ts";
import { histogramOf } from "./plane.ts";

interface LegendProps {
  readonly scale: ColourScale;
  readonly data: TensorData | Float64Array;
}

/** Parts of a histogram. */
const parts = 24;

/** Which colour stands for what, with a bar above each for how many elements have it; and the same as a table. */
export function Legend({ scale, data }: LegendProps): JSX.Element {
  const { low, high, kind } = scale;
  const counts = useMemo(() => histogramOf(data, low, high, parts), [data, low, high]);
  const most = Math.max(1, ...counts);
  const at = (part: number): number => low + (high - low) * part;
  const colour = (part: number): string => `rgb(${colourOf(at(part), scale).join(" ")})`;
  const stops = Array.from({ length: 13 }, (_, n) => colour(n / 12)).join(", ");
  return (
    <>
      <div class="legend" aria-hidden="true">
        <span>{numberText(low)}</span>
        <span class="histogram">
          {counts.map((count, n) => (
            <span
              key={n}
              style={{
                // Few are not none.
                height: count === 0 ? "0" : `${Math.max(4, (100 * count) / most)}%`,
                backgroundColor: colour((n + 0.5) / parts),
              }}
            />
          ))}
          <span class="bar" style={{ backgroundImage: `linear-gradient(to right, ${stops})` }} />
        </span>
        {kind === "diverging" ? <span class="faint">0 in the middle</span> : null}
        <span>{numberText(high)}</span>
      </div>
      <details class="histogram-table">
        <summary>How many have which value</summary>
        <Table caption="Histogram" isCaptionHidden columns={["From", "To", "Elements"]}>
          {counts.map((count, n) => (
            <tr key={n}>
              <td class="number">{numberText(at(n / parts))}</td>
              <td class="number">{numberText(at((n + 1) / parts))}</td>
              <td class="number">{count.toLocaleString("en")}</td>
            </tr>
          ))}
        </Table>
      </details>
    </>
  );
}
