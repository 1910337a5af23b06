import type { JSX } from "preact";
import type { Figures } from "../../../src/tune.ts";
import { timeText } from "../run/time-text.ts";

interface FiguresProps {
  readonly found: { readonly default: Figures | null; readonly tuned: Figures | null };
}

/** How steady default and tuned are, and how fast: from the comparison at the end, in turns. */
export function FiguresTable({ found }: FiguresProps): JSX.Element {
  return (
    <table>
      <caption class="hidden">Samples of the default and of the tuned choices</caption>
      <thead>
        <tr>
          <th scope="col" />
          <th scope="col">Median</th>
          <th scope="col">Mean</th>
          <th scope="col">Deviation</th>
          <th scope="col">Min</th>
          <th scope="col">Max</th>
          <th scope="col">Samples</th>
        </tr>
      </thead>
      <tbody>
        <Row name="default" figures={found.default} />
        <Row name="tuned" figures={found.tuned} />
      </tbody>
    </table>
  );
}

function Row({ name, figures }: { readonly name: string; readonly figures: Figures | null }) {
  if (figures === null) return null;
  const { us, mean, variance, min, max, n } = figures;
  const times = [us, mean, Math.sqrt(variance), min, max];
  return (
    <tr>
      <th scope="row">{name}</th>
      {times.map((time, column) => (
        <td class="number" key={column}>
          {timeText(time)}
        </td>
      ))}
      <td class="number">{n}</td>
    </tr>
  );
}
