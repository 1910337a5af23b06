import type { JSX } from "preact";
import type { Figures } from "../../../src/tune.ts";
import { timeText } from "../run/time-text.ts";
import { Table } from "../shell/table.tsx";

interface FiguresProps {
  readonly found: { readonly default: Figures | null; readonly tuned: Figures | null };
}

const columns = ["", "Median", "Mean", "Deviation", "Min", "Max", "Samples"];

/** How steady default and tuned are, and how fast: from the comparison at the end, in turns. */
export function FiguresTable({ found }: FiguresProps): JSX.Element | null {
  const rows = Object.entries({ default: found.default, tuned: found.tuned });
  if (rows.every(([, figures]) => figures === null)) return null;
  return (
    <Table
      caption="Samples of the default and of the tuned choices"
      isCaptionHidden
      columns={columns}
    >
      {rows.map(([name, figures]) =>
        figures === null ? null : <Row key={name} name={name} figures={figures} />,
      )}
    </Table>
  );
}

function Row({ name, figures }: { readonly name: string; readonly figures: Figures }): JSX.Element {
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
