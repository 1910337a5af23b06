import type { JSX } from "preact";
import { Table } from "../shell/table.tsx";
import { colourOf, numberText } from "./colour-scale.ts";
import { markOf } from "./pixels.ts";
import { histogramParts as parts, type Summary } from "./summary.ts";

/** Which colour stands for what, with a bar above each for how many elements have it; and the same as a table. */
export function Legend({ summary }: { readonly summary: Summary }): JSX.Element {
  const { scale, histogram: counts, statistics } = summary;
  const { low, high, kind } = scale;
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
      <NotFinite {...{ scale, statistics }} />
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

/** What is no finite number: how it is drawn, and how many there are. */
function NotFinite({ scale, statistics }: Omit<Summary, "histogram">): JSX.Element | null {
  const [above, below] = statistics.infinite;
  const all = [
    [Number.NaN, statistics.nan],
    [Infinity, above],
    [-Infinity, below],
  ] as const;
  const found = all.filter(([, count]) => count > 0);
  if (found.length === 0) return null;
  return (
    <ul class="not-finite">
      {found.map(([value, count]) => (
        <li key={String(value)}>
          <span
            class="swatch"
            aria-hidden="true"
            style={{ backgroundColor: `rgb(${colourOf(value, scale).join(" ")})` }}
          >
            {markOf(value)}
          </span>{" "}
          <b class="bad">
            {count.toLocaleString("en")} {numberText(value)}
          </b>
        </li>
      ))}
    </ul>
  );
}
