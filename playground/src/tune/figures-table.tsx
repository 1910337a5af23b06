import type { JSX } from "preact";
import type { Figures, TuneResult } from "../../../src/tune.ts";
import { timeText } from "../run/time-text.ts";
import { Table } from "../shell/table.tsx";

interface FiguresProps {
  readonly found: Pick<TuneResult, "default" | "tuned" | "source">;
}

const statistics: readonly (readonly [string, (figures: Figures) => string])[] = [
  ["Median", ({ us }) => timeText(us)],
  ["Mean", ({ mean }) => timeText(mean)],
  ["Deviation", ({ variance }) => timeText(Math.sqrt(variance))],
  ["Least", ({ min }) => timeText(min)],
  ["Most", ({ max }) => timeText(max)],
  ["Samples", ({ n }) => String(n)],
];

/** How steady default and tuned are, and how fast: from the comparison at the end, in turns. */
export function FiguresTable({ found }: FiguresProps): JSX.Element | null {
  const { default: usual, tuned } = found;
  const isSame = found.source.kind === "default";
  const all = [
    ["Default", usual],
    ["Tuned", isSame ? null : tuned],
  ] as const;
  const shown = all.flatMap(([name, figures]) => (figures === null ? [] : [{ name, figures }]));
  if (shown.length === 0) return null;
  return (
    <Table
      caption="Samples of the default and of the tuned choices"
      isCaptionHidden
      columns={["", ...shown.map(({ name }) => name)]}
    >
      {statistics.map(([title, textOf]) => (
        <tr key={title}>
          <th scope="row">{title}</th>
          {shown.map(({ name, figures }) => (
            <td class="number" key={name}>
              {textOf(figures)}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}
